import { quote } from "../../errors.ts";
import { dimensions } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import { compareValues } from "../../operations/row-order.ts";
import { checkCut, checkDefault, ofAnswers } from "../reply-checks.ts";
import { demandOnce, demandOrder, demandTruncated } from "../row-checks.ts";
import { defineSection } from "../rule.ts";
import { read } from "../subject.ts";
import { demand } from "../verdict.ts";
import {
  findShare,
  hits,
  ofEach,
  ofEachRow,
  rank,
  readRanking,
  SAMPLE,
  Unrecorded,
} from "./breakdown-ranking.ts";
import { sumRules } from "./breakdown-sums-rules.ts";
import { rowValueRules } from "./breakdown-values-rules.ts";

export const breakdownSection = defineSection({
  name: "breakdown",
  title: "Breakdown",
  rules: {
    "breakdown.days-default": {
      must: "Without days, /breakdown covers 30 days, like /stats.",
      fix: "Let days default to 30.",
      check: checkDefault(breakdown, { dimension: "pages" }, ["period", "days"], 30),
    },
    "breakdown.limit-default": {
      must: "Without limit, /breakdown returns at most 10 rows and limit: 10.",
      fix: "Let limit default to 10.",
      check: checkDefault(breakdown, { dimension: "pages" }, ["limit"], 10),
    },
    "breakdown.dimensions": {
      must: `Every dimension is answered, or refused as not recorded: ${dimensions.join(", ")}.`,
      fix: "Refuse a dimension that is not recorded with 400, invalid_parameter and the recorded ones in allowed.",
      check: async (subject) => {
        for (const dimension of dimensions) {
          await readRanking(subject, dimension).catch((error: unknown) => {
            if (!(error instanceof Unrecorded)) throw error;
          });
        }
      },
    },
    "breakdown.dimension-named": {
      must: "dimension repeats the requested dimension.",
      fix: "Repeat the parameter in the answer.",
      check: ofEach(SAMPLE, (ranking, reply, dimension) =>
        demand(ranking.dimension === dimension, reply, quote(dimension), quote(ranking.dimension)),
      ),
    },
    "breakdown.limit-kept": {
      must: "limit repeats the requested limit, and there are no more rows than that.",
      fix: "Cut the rows at the limit, and repeat the limit in the answer.",
      check: ofAnswers(
        [breakdown],
        ({ reply, answer }, _, { limit }) => {
          const { rows } = answer;
          const isKept = answer.limit === limit && rows.length <= limit;
          demand(isKept, reply, `limit: ${limit}`, `limit: ${answer.limit} and ${rows.length} rows`);
        },
        [{ limit: 2 }, { limit: 3 }],
      ),
    },
    "breakdown.limit-filled": {
      must: "The rows fill the limit, or there is a row for every value.",
      fix: "Count total_rows without the limit, and return rows up to the limit.",
      check: ofAnswers(
        [breakdown],
        ({ reply, answer: { rows, total_rows } }, _, { limit }) => {
          const expected = Math.min(limit, total_rows);
          // Too many rows break another rule.
          demand(rows.length >= expected, reply, `${expected} rows`, `${rows.length} rows of ${total_rows}`);
        },
        [{ limit: 2 }, { limit: 3 }, { limit: 1000 }],
      ),
    },
    "breakdown.truncated": {
      must: "truncated is true exactly when total_rows is greater than the number of rows: not when both are equal.",
      fix: "Send truncated: true exactly when the limit cut off rows; rows.length === limit does not show that.",
      check: async (subject) => {
        const { answer: whole } = await read(subject, breakdown);
        const devices = (await rank(subject, "devices")).answer.total_rows;
        const pages = [2, 3, 1000, whole.total_rows].map((limit) => ({ dimension: "pages", limit }));
        for (const params of [...pages, { dimension: "devices", limit: devices }]) {
          if (params.limit < 1 || params.limit > 1000) continue;
          demandTruncated(await read(subject, breakdown, params));
        }
      },
    },
    "breakdown.limit-cuts-the-end": {
      must: "A limit changes neither total_rows, nor totals, nor the first rows.",
      fix: "Rank all rows first and cut them last.",
      check: checkCut(breakdown, ({ total_rows, totals, rows }) =>
        quote([total_rows, totals.visitors, totals.pageviews, ...rows.slice(0, 3).map(({ value }) => value)]),
      ),
    },
    "breakdown.order": {
      must: "Rows are ordered by visitors, then by page views (for events: by events), highest first.",
      fix: "Sort by both numbers in descending order.",
      check: ofEach(SAMPLE, ({ rows }, reply, dimension) =>
        demandOrder(
          rows,
          reply,
          (before, row) =>
            (before.visitors - row.visitors || hits(before, dimension) - hits(row, dimension)) < 0,
        ),
      ),
    },
    "breakdown.tie-order": {
      must: "Rows with equal numbers are ordered by value, by code point, with null last.",
      fix: "Sort values as UTF-8 bytes (C collation), so that the order is always the same.",
      check: ofEach(SAMPLE, ({ rows }, reply, dimension) =>
        demandOrder(
          rows,
          reply,
          (before, row) => {
            const isTie =
              before.visitors === row.visitors && hits(before, dimension) === hits(row, dimension);
            return isTie && compareValues(before.value, row.value) > 0;
          },
          (row) => quote(row?.value),
        ),
      ),
    },
    "breakdown.values-once": {
      must: "No value has two rows.",
      fix: "Group by the whole value, and put everything unknown into one row with the value null.",
      check: ofEach(SAMPLE, (ranking, reply) => {
        demandOnce(
          ranking.rows.flatMap(({ value, other }) => (other ? [] : [value])),
          reply,
        );
      }),
    },
    "breakdown.percentage": {
      must: "percentage is the share of totals.visitors, 0–100.",
      fix: "Divide a row's visitors by totals.visitors, not by the sum of the rows.",
      check: ofEachRow(SAMPLE, findShare),
    },
    "breakdown.percentage-digits": {
      must: "percentage has at most one decimal place.",
      fix: "Round half up to tenths.",
      check: ofEachRow(SAMPLE, ({ percentage }) =>
        Math.abs(percentage * 10 - Math.round(percentage * 10)) < 1e-6
          ? undefined
          : "at most one decimal place",
      ),
    },
    "breakdown.row-within-totals": {
      must: "No row has more visitors than totals.",
      fix: "Sum a row's visitors over the days, as in totals.",
      check: ofEachRow(SAMPLE, ({ visitors }, { totals }) =>
        visitors <= totals.visitors ? undefined : `at most ${totals.visitors} visitors`,
      ),
    },
    "breakdown.pageviews": {
      must: "Rows of every dimension except events have pageviews.",
      fix: "Send pageviews with every row of every dimension except events.",
      check: ofEachRow(
        dimensions.filter((dimension) => dimension !== "events"),
        ({ pageviews }) => (pageviews === undefined ? "pageviews" : undefined),
      ),
    },
    "breakdown.events": {
      must: "Rows of events have events instead of pageviews, and totals has events, too.",
      fix: "Send events and no pageviews with each row of this dimension, and add totals.events.",
      check: ofEach(["events"], ({ rows, totals }, reply) => {
        const wrong = rows.find(({ events, pageviews }) => events === undefined || pageviews !== undefined);
        demand(wrong === undefined, reply, "events instead of pageviews", quote(wrong));
        demand(totals.events !== undefined, reply, "totals.events", quote(totals));
      }),
    },
    ...sumRules,
    ...rowValueRules,
  },
});
