import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { member, quote, type Reply } from "../reply.ts";
import type { Rule, Section } from "../rule.ts";
import { compareStable, demandSameNumbers } from "../stable-compare.ts";
import { type Read, read, type Subject } from "../subject.ts";
import { Breach, demand, Skip } from "../verdict.ts";
import { readTotals } from "./stats-rules.ts";

type Ranking = ResultOf<typeof breakdown>;
type Row = Ranking["rows"][number];

const measureOf = (dimension: string) => (dimension === "events" ? "events" : "pageviews");
const hits = (row: Row, dimension: string) => row[measureOf(dimension)] ?? 0;

/** A dimension in full. One that does not answer is a rule of its own. */
async function rank(subject: Subject, dimension: Dimension, fresh = false): Promise<Read<typeof breakdown>> {
  await read(subject, breakdown);
  return read(subject, breakdown, { dimension }, { fresh }).catch((error: unknown) => {
    if (error instanceof Breach) throw new Skip(`${dimension} are not answered: see breakdown.dimensions`);
    throw error;
  });
}

/** A check on each of the dimensions. */
function ofEach(
  chosen: readonly Dimension[],
  check: (ranking: Ranking, reply: Reply, dimension: Dimension) => void,
): Rule["check"] {
  return async (subject) => {
    for (const dimension of chosen) {
      const { reply, answer } = await rank(subject, dimension);
      check(answer, reply, dimension);
    }
  };
}

/** A check on each row of the dimensions: says what was expected of a row that is wrong. */
function ofEachRow(
  chosen: readonly Dimension[],
  object: (row: Row, ranking: Ranking) => string | undefined,
): Rule["check"] {
  return ofEach(chosen, (ranking, reply) => {
    for (const row of ranking.rows) {
      const expected = object(row, ranking);
      if (expected !== undefined) throw new Breach(reply.sent, expected, quote(row));
    }
  });
}

/** A rule on all rows needs rows: those of a site that has visits, and not cut off. */
function ofWhole(
  chosen: readonly Dimension[],
  check: (ranking: Ranking, reply: Reply) => void,
): Rule["check"] {
  return async (subject) => {
    subject.demandVisits();
    let isWhole = false;
    for (const dimension of chosen) {
      const { reply, answer } = await rank(subject, dimension);
      if (answer.total_rows > answer.rows.length) continue;
      isWhole = true;
      check(answer, reply);
    }
    if (!isWhole) throw new Skip("the site has more rows than a breakdown can show");
  };
}

function total(rows: readonly Row[], read: (row: Row) => number | undefined): number {
  return rows.reduce((sum, row) => sum + (read(row) ?? 0), 0);
}

/** Order by code point is that of the UTF-8 bytes; null comes last. */
function comesAfter(a: string | null, b: string | null): boolean {
  if (a === null) return true;
  return b !== null && Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0;
}

function isLanguage(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

const SAMPLE: Dimension[] = ["pages", "referrers", "countries", "devices", "events"];

export const breakdownSection: Section = {
  name: "breakdown",
  title: "Breakdown",
  rules: [
    {
      id: "breakdown.days-default",
      severity: "must",
      title: "Without days, /breakdown covers 30, as /stats does.",
      fix: "Let days default to 30.",
      check: async (subject) => {
        await read(subject, breakdown);
        const reply = await subject.ask(breakdown.path, { site: subject.site.domain, dimension: "pages" });
        const days = member(reply.json, "period", "days");
        demand(days === 30, reply, "days: 30", `days: ${quote(days)}`);
      },
    },
    {
      id: "breakdown.limit-default",
      severity: "must",
      title: "Without limit, /breakdown has at most 10 rows and says so in limit.",
      fix: "Let limit default to 10.",
      check: async (subject) => {
        await read(subject, breakdown);
        const reply = await subject.ask(breakdown.path, { site: subject.site.domain, dimension: "pages" });
        const limit = member(reply.json, "limit");
        demand(limit === 10, reply, "limit: 10", `limit: ${quote(limit)}`);
      },
    },
    {
      id: "breakdown.dimensions",
      severity: "must",
      title: `Every dimension is answered: ${dimensions.join(", ")}.`,
      fix: "Answer an empty list of rows for what is not recorded, not an error.",
      check: async (subject) => {
        for (const dimension of dimensions) await read(subject, breakdown, { dimension });
      },
    },
    {
      id: "breakdown.dimension-named",
      severity: "must",
      title: "dimension is the one that was asked for.",
      fix: "Repeat the parameter in the answer.",
      check: ofEach(SAMPLE, (ranking, reply, dimension) =>
        demand(ranking.dimension === dimension, reply, quote(dimension), quote(ranking.dimension)),
      ),
    },
    {
      id: "breakdown.limit-kept",
      severity: "must",
      title: "limit is the one that was asked for, and there are no more rows.",
      fix: "Cut the rows at the limit and repeat it in the answer.",
      check: async (subject) => {
        for (const limit of [2, 3]) {
          const { reply, answer } = await read(subject, breakdown, { limit });
          const { rows } = answer;
          const isKept = answer.limit === limit && rows.length <= limit;
          demand(isKept, reply, `limit: ${limit}`, `limit: ${answer.limit} and ${rows.length} rows`);
        }
      },
    },
    {
      id: "breakdown.limit-filled",
      severity: "must",
      title: "There are as many rows as the limit allows and the dimension has.",
      fix: "Count total_rows without the limit, and fill up to it.",
      check: async (subject) => {
        for (const limit of [2, 3, 1000]) {
          const { reply, answer } = await read(subject, breakdown, { limit });
          const expected = Math.min(limit, answer.total_rows);
          const seen = `${answer.rows.length} rows of ${answer.total_rows}`;
          // More than the limit is another rule's matter.
          demand(answer.rows.length >= expected, reply, `${expected} rows`, seen);
        }
      },
    },
    {
      id: "breakdown.truncated",
      severity: "must",
      title: "truncated says whether total_rows is more than the rows.",
      fix: "Send truncated: true exactly where the limit cut rows off.",
      check: async (subject) => {
        for (const limit of [2, 3, 1000]) {
          const { reply, answer } = await read(subject, breakdown, { limit });
          const isCut = answer.total_rows > answer.rows.length;
          const seen = `${answer.truncated}, with ${answer.rows.length} of ${answer.total_rows} rows`;
          demand(answer.truncated === isCut, reply, `truncated: ${isCut}`, seen);
        }
      },
    },
    {
      id: "breakdown.limit-cuts-the-end",
      severity: "must",
      title: "A limit changes neither total_rows nor totals, and leaves the first rows as they are.",
      fix: "Rank everything first, and cut last.",
      check: async (subject) => {
        const look = ({ total_rows, totals, rows }: Ranking, count: number) =>
          quote([
            total_rows,
            totals.visitors,
            totals.pageviews,
            ...rows.slice(0, count).map((row) => row.value),
          ]);
        await compareStable(
          (fresh) => read(subject, breakdown, {}, { fresh }),
          async ({ answer: whole }) => {
            const { reply, answer: part } = await read(subject, breakdown, { limit: 3 });
            const [expected, seen] = [look(whole, 3), look(part, 3)];
            demand(seen === expected, reply, expected, seen);
          },
        );
      },
    },
    {
      id: "breakdown.order",
      severity: "must",
      title: "Rows are ordered by visitors, then by page views (for events: events), the most first.",
      fix: "Sort by both numbers, descending.",
      check: ofEach(SAMPLE, (ranking, reply, dimension) => {
        const { rows } = ranking;
        const index = rows.findIndex((row, at) => {
          const before = rows[at - 1] ?? row;
          return (before.visitors - row.visitors || hits(before, dimension) - hits(row, dimension)) < 0;
        });
        const expected = `${quote(rows[index])} before ${quote(rows[index - 1])}`;
        demand(index === -1, reply, expected, "the other order");
      }),
    },
    {
      id: "breakdown.tie-order",
      severity: "must",
      title: "Rows of the same numbers are ordered by value, by code point, null last.",
      fix: "Sort by value as bytes of UTF-8 (a C collation), so that pages of a list do not change at random.",
      check: ofEach(SAMPLE, (ranking, reply, dimension) => {
        const { rows } = ranking;
        const index = rows.findIndex((row, at) => {
          const before = rows[at - 1];
          if (before === undefined || before.value === row.value) return false;
          const isTie = before.visitors === row.visitors && hits(before, dimension) === hits(row, dimension);
          return isTie && comesAfter(before.value, row.value);
        });
        const expected = `${quote(rows[index]?.value)} before ${quote(rows[index - 1]?.value)}`;
        demand(index === -1, reply, expected, "the other order");
      }),
    },
    {
      id: "breakdown.values-once",
      severity: "must",
      title: "No value has two rows.",
      fix: "Group by the whole value; what is unknown is one row with the value null.",
      check: ofEach(SAMPLE, (ranking, reply) => {
        const values = ranking.rows.map(({ value }) => value);
        const twice = values.findIndex((value, index) => values.indexOf(value) !== index);
        demand(twice === -1, reply, "each value once", `${quote(values[twice])} twice`);
      }),
    },
    {
      id: "breakdown.percentage",
      severity: "must",
      title: "percentage is the share of totals.visitors, 0–100.",
      fix: "Divide a row's visitors by totals.visitors, not by the sum of the rows.",
      check: ofEachRow(SAMPLE, (row, { totals }) => {
        const share = totals.visitors === 0 ? 0 : (100 * row.visitors) / totals.visitors;
        // Half a tenth from rounding; a service that keeps more digits breaks another rule.
        return Math.abs(row.percentage - share) <= 0.05 + 1e-9 ? undefined : `${share.toFixed(1)} percent`;
      }),
    },
    {
      id: "breakdown.percentage-digits",
      severity: "must",
      title: "percentage has one decimal.",
      fix: "Round to tenths.",
      check: ofEachRow(SAMPLE, ({ percentage }) =>
        Math.abs(percentage * 10 - Math.round(percentage * 10)) < 1e-6 ? undefined : "one decimal",
      ),
    },
    {
      id: "breakdown.row-within-totals",
      severity: "must",
      title: "No row has more visitors than totals.",
      fix: "A row's visitors are summed over the days, as those of totals are.",
      check: ofEachRow(SAMPLE, ({ visitors }, { totals }) =>
        visitors <= totals.visitors ? undefined : `at most ${totals.visitors} visitors`,
      ),
    },
    {
      id: "breakdown.pageviews",
      severity: "must",
      title: "Rows carry pageviews, those of events alone excepted.",
      fix: "Send pageviews with every row of each other dimension.",
      check: ofEachRow(
        dimensions.filter((each) => each !== "events"),
        ({ pageviews }) => (pageviews === undefined ? "pageviews" : undefined),
      ),
    },
    {
      id: "breakdown.events",
      severity: "must",
      title: "Rows of events carry events in place of pageviews, and totals.events stands beside the others.",
      fix: "Send events, and no pageviews, with each row of this dimension.",
      check: ofEach(["events"], ({ rows, totals }, reply) => {
        const wrong = rows.find(({ events, pageviews }) => events === undefined || pageviews !== undefined);
        demand(wrong === undefined, reply, "events in place of pageviews", quote(wrong));
        demand(totals.events !== undefined, reply, "totals.events", quote(totals));
      }),
    },
    {
      id: "breakdown.totals",
      severity: "must",
      title: "totals are those of /stats for the same days.",
      fix: "Count totals of the whole period, not of the rows shown.",
      check: async (subject) => {
        for (const days of [7, 30]) {
          await demandSameNumbers(
            (fresh) => readTotals(subject, { days }, fresh),
            async () => {
              const { reply, answer } = await read(subject, breakdown, { days });
              const { visitors, pageviews } = answer.totals;
              return {
                reply,
                asOf: answer.period.as_of,
                period: answer.period,
                numbers: { visitors, pageviews },
              };
            },
          );
        }
      },
    },
    {
      id: "breakdown.events-total",
      severity: "must",
      title: "totals.events of the dimension events is events of /stats.",
      fix: "Count custom events of the whole period; page views are not among them.",
      check: async (subject) => {
        await demandSameNumbers(
          (fresh) => readTotals(subject, {}, fresh),
          async () => {
            const { reply, answer } = await rank(subject, "events");
            const { events } = answer.totals;
            if (events === undefined) throw new Skip("there is no totals.events: see breakdown.events");
            return { reply, asOf: answer.period.as_of, period: answer.period, numbers: { events } };
          },
        );
      },
    },
    {
      id: "breakdown.pages-add-up",
      severity: "should",
      title: "All rows of pages have the page views of the period together.",
      fix: "A row's page views are the page's: each page view belongs to one page.",
      check: ofWhole(["pages"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.pageviews);
        demand(sum === totals.pageviews, reply, `${totals.pageviews} page views`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.visits-add-up",
      severity: "should",
      title:
        "All rows of devices or countries have the page views of the period together, unknown ones included.",
      fix: "A row's page views are those of the visits with its value; put visits without one into a row with null.",
      check: ofWhole(["devices", "countries"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.pageviews);
        demand(sum === totals.pageviews, reply, `${totals.pageviews} page views`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.everybody-counts",
      severity: "should",
      title: "All rows of devices or countries have at least the period's visitors together.",
      fix: "Put visitors without a value into a row with null.",
      check: ofWhole(["devices", "countries"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.visitors);
        demand(sum >= totals.visitors, reply, `at least ${totals.visitors} visitors`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.events-add-up",
      severity: "should",
      title: "All rows of events have the events of the period together.",
      fix: "Each event has one name.",
      check: ofWhole(["events"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.events);
        demand((totals.events ?? sum) === sum, reply, `${totals.events} events`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.labels",
      severity: "should",
      title: "Every row has a label for people, none of them empty.",
      fix: 'Send words where there is no value, such as "(none)".',
      check: ofEachRow(SAMPLE, ({ label }) => (label.trim() === "" ? "a label" : undefined)),
    },
    {
      id: "breakdown.countries",
      severity: "must",
      title: "Values of countries are ISO 3166-1 alpha-2 codes, or null.",
      fix: "Send DE and leave Germany to the label.",
      check: ofEachRow(["countries"], ({ value }) =>
        value === null || /^[A-Z]{2}$/.test(value) ? undefined : "two capital letters",
      ),
    },
    {
      id: "breakdown.regions",
      severity: "must",
      title: "Values of regions are ISO 3166-2 codes, or null.",
      fix: "Send DE-BE and leave Berlin to the label.",
      check: ofEachRow(["regions"], ({ value }) =>
        value === null || /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(value) ? undefined : "a code such as DE-BE",
      ),
    },
    {
      id: "breakdown.languages",
      severity: "must",
      title: "Values of languages are BCP 47 tags, or null.",
      fix: "Send de or pt-BR, with a hyphen.",
      check: ofEachRow(["languages"], ({ value }) =>
        value === null || isLanguage(value) ? undefined : "a tag such as pt-BR",
      ),
    },
    {
      id: "breakdown.channels",
      severity: "should",
      title: "The value of a channel is its name.",
      fix: "Send the same text as value and label.",
      check: ofEachRow(["channels"], ({ value, label }) =>
        value === null || value === label ? undefined : quote(label),
      ),
    },
  ],
};
