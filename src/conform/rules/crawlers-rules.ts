import { quote } from "../../errors.ts";
import { crawlerPurposes, crawlers } from "../../operations/crawlers.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { compareValues } from "../../operations/row-order.ts";
import type { Reply } from "../reply.ts";
import { checkDefault } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { compareStable } from "../stable-compare.ts";
import { read, type Subject } from "../subject.ts";
import { Breach, demand, Skip } from "../verdict.ts";
import { crawlerQueryRules, expectLastSeen } from "./crawlers-query-rules.ts";

type Crawlers = ResultOf<typeof crawlers>;
type Row = Crawlers["rows"][number];

/** Checks the crawlers of 30 days. Skips if there are none. */
function ofList(check: (list: Crawlers, reply: Reply, subject: Subject) => void): Rule["check"] {
  return async (subject) => {
    const { reply, answer } = await read(subject, crawlers);
    if (answer.rows.length === 0) throw new Skip("no crawler read the site in the last 30 days");
    check(answer, reply, subject);
  };
}

/** Checks each row. `findExpected` returns what was expected of a wrong one. */
const ofEachRow = (
  findExpected: (row: Row, list: Crawlers, subject: Subject) => string | undefined,
): Rule["check"] =>
  ofList((list, reply, subject) => {
    for (const row of list.rows) {
      const expected = findExpected(row, list, subject);
      if (expected !== undefined) throw new Breach(reply.sent, expected, quote(row));
    }
  });

/** Demands that no two rows next to each other are in the wrong order. */
const inOrder = (isWrong: (before: Row, row: Row) => boolean): Rule["check"] =>
  ofList(({ rows }, reply) => {
    const index = rows.findIndex((row, at) => isWrong(rows[at - 1] ?? row, row));
    const expected = `${quote(rows[index])} before ${quote(rows[index - 1])}`;
    demand(index === -1, reply, expected, "the other order");
  });

/** Whether some number of failed requests rounds to the percentage. */
function isShare(percentage: number, requests: number): boolean {
  if (requests === 0) return percentage === 0;
  const errors = Math.round((percentage * requests) / 100);
  return Math.abs((100 * errors) / requests - percentage) <= 0.05 + 1e-9;
}

const hasOneDecimal = (value: number) => Math.abs(value * 10 - Math.round(value * 10)) < 1e-6;

/** Rules for an optional operation. */
export const crawlersSection = defineSection({
  name: "crawlers",
  title: "Crawlers (if offered)",
  rules: [
    {
      id: "crawlers.days-default",
      title: "Without days, /crawlers covers 30 days.",
      fix: "Let days default to 30.",
      check: checkDefault(crawlers, {}, ["period", "days"], 30),
    },
    {
      id: "crawlers.limit-default",
      title: "Without limit, /crawlers returns at most 10 rows and limit: 10.",
      fix: "Let limit default to 10.",
      check: checkDefault(crawlers, {}, ["limit"], 10),
    },
    {
      id: "crawlers.limit-kept",
      title: "limit repeats the requested limit, and the rows fill it, or there is a row for every crawler.",
      fix: "Cut the rows at the limit, and count total_rows without it.",
      check: async (subject) => {
        for (const limit of [2, 3]) {
          const { reply, answer } = await read(subject, crawlers, { limit });
          const { rows, total_rows } = answer;
          const isKept = answer.limit === limit && rows.length === Math.min(limit, total_rows);
          const seen = `limit: ${answer.limit} and ${rows.length} of ${total_rows} rows`;
          demand(isKept, reply, `limit: ${limit} and ${Math.min(limit, total_rows)} rows`, seen);
        }
      },
    },
    {
      id: "crawlers.truncated",
      title: "truncated is true exactly when total_rows is greater than the number of rows.",
      fix: "Send truncated: true exactly when the limit cut off rows.",
      check: async (subject) => {
        const { answer: whole } = await read(subject, crawlers);
        for (const limit of [2, 1000, whole.total_rows]) {
          if (limit < 1 || limit > 1000) continue;
          const { reply, answer } = await read(subject, crawlers, { limit });
          const isCut = answer.total_rows > answer.rows.length;
          const seen = `${answer.truncated}, with ${answer.rows.length} of ${answer.total_rows} rows`;
          demand(answer.truncated === isCut, reply, `truncated: ${isCut}`, seen);
        }
      },
    },
    {
      id: "crawlers.limit-cuts-the-end",
      title: "A limit changes neither total_rows, nor totals, nor the first rows.",
      fix: "Rank all rows first, and cut them last.",
      check: async (subject) => {
        const look = ({ total_rows, totals, rows }: Crawlers) =>
          quote([total_rows, totals.requests, ...rows.slice(0, 3).map(({ value }) => value)]);
        await compareStable(
          (fresh) => read(subject, crawlers, {}, { fresh }),
          async ({ answer: whole }) => {
            const { reply, answer: part } = await read(subject, crawlers, { limit: 3 });
            demand(look(part) === look(whole), reply, look(whole), look(part));
          },
        );
      },
    },
    {
      id: "crawlers.order",
      title: "Rows are ordered by requests, highest first.",
      fix: "Sort by requests in descending order.",
      check: inOrder((before, row) => before.requests < row.requests),
    },
    {
      id: "crawlers.tie-order",
      title: "Rows with equal requests are ordered by value, by code point, with null last.",
      fix: "Sort values as UTF-8 bytes (C collation), so that the order is always the same.",
      check: inOrder(
        (before, row) => before.requests === row.requests && compareValues(before.value, row.value) > 0,
      ),
    },
    {
      id: "crawlers.values-once",
      title: "No value has two rows.",
      fix: "Group by the crawler's name, and put everything without a known name into one row with the value null.",
      check: ofList(({ rows }, reply) => {
        const values = rows.map(({ value }) => value);
        const twice = values.findIndex((value, index) => values.indexOf(value) !== index);
        demand(twice === -1, reply, "each value once", `${quote(values[twice])} twice`);
      }),
    },
    {
      id: "crawlers.adds-up",
      title: "All rows add up to totals.requests, and the rows of a limit to no more than that.",
      fix: "Count each request of a crawler in exactly one row, and count totals without the limit.",
      check: ofList(({ rows, totals, total_rows }, reply) => {
        const sum = rows.reduce((all, { requests }) => all + requests, 0);
        const isWhole = rows.length === total_rows;
        const holds = isWhole ? sum === totals.requests : sum <= totals.requests;
        const expected = `${isWhole ? "" : "at most "}${totals.requests} requests`;
        demand(holds, reply, expected, `${sum} in ${rows.length} of ${total_rows} rows`);
      }),
    },
    {
      id: "crawlers.pages",
      title: "A row with requests has at least one page, and no more pages than requests.",
      fix: "Count the distinct paths of each day, and add up the days.",
      check: ofEachRow(({ pages, requests }) =>
        pages <= requests && (pages > 0 || requests === 0) ? undefined : `1 to ${requests} pages`,
      ),
    },
    {
      id: "crawlers.error-percentage",
      title: "error_percentage is a possible share of the row's requests, rounded to one decimal place.",
      fix: "Divide the requests answered with 4xx or 5xx by requests, and round half up to tenths.",
      check: ofEachRow(({ error_percentage, requests }) =>
        hasOneDecimal(error_percentage) && isShare(error_percentage, requests)
          ? undefined
          : `a share of ${requests} requests, with one decimal place`,
      ),
    },
    {
      id: "crawlers.last-seen",
      title: "last_seen is in the period, by the site's calendar, and not after as_of.",
      fix: "Send the time of the crawler's last request in the requested days.",
      check: ofEachRow(expectLastSeen),
    },
    {
      id: "crawlers.purpose",
      severity: "should",
      title: `purpose is one of ${crawlerPurposes.join(", ")}.`,
      fix: "Send other if none of the others fits.",
      check: ofEachRow(({ purpose }) =>
        crawlerPurposes.some((known) => known === purpose)
          ? undefined
          : `one of ${crawlerPurposes.join(", ")}`,
      ),
    },
    {
      id: "crawlers.labels",
      severity: "should",
      title: "Every row has a label for people that is not empty.",
      fix: "Send the crawler's name, or a label such as (unknown).",
      check: ofEachRow(({ label }) => (label.trim() === "" ? "a label" : undefined)),
    },
    ...crawlerQueryRules,
  ],
});
