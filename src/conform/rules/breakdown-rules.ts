import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { quote, type Reply } from "../reply.ts";
import { checkDefault } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { compareStable, demandSameNumbers } from "../stable-compare.ts";
import { type Read, read, type Subject } from "../subject.ts";
import { Breach, demand, Skip } from "../verdict.ts";
import { readTotals } from "./stats-rules.ts";

type Ranking = ResultOf<typeof breakdown>;
type Row = Ranking["rows"][number];

const measureOf = (dimension: string) => (dimension === "events" ? "events" : "pageviews");
const hits = (row: Row, dimension: string) => row[measureOf(dimension)] ?? 0;

/** The breakdown by a dimension. Throws Skip if it is not answered, which is a separate rule. */
async function rank(subject: Subject, dimension: Dimension, fresh = false): Promise<Read<typeof breakdown>> {
  await read(subject, breakdown);
  return read(subject, breakdown, { dimension }, { fresh }).catch((error: unknown) => {
    if (error instanceof Breach)
      throw new Skip(`the dimension ${dimension} is not answered: see breakdown.dimensions`);
    throw error;
  });
}

/** Checks the breakdown by each dimension. */
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

/** Checks each row of the dimensions. `findExpected` returns what was expected of a wrong row. */
function ofEachRow(
  chosen: readonly Dimension[],
  findExpected: (row: Row, ranking: Ranking) => string | undefined,
): Rule["check"] {
  return ofEach(chosen, (ranking, reply) => {
    for (const row of ranking.rows) {
      const expected = findExpected(row, ranking);
      if (expected !== undefined) throw new Breach(reply.sent, expected, quote(row));
    }
  });
}

/** Checks all rows of a dimension. Skips if there are no visits, or if the limit cuts off rows. */
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
    if (!isWhole) throw new Skip("the site has more rows than a breakdown can return");
  };
}

function total(rows: readonly Row[], read: (row: Row) => number | undefined): number {
  return rows.reduce((sum, row) => sum + (read(row) ?? 0), 0);
}

/** Compares by code point, which is the order of the UTF-8 bytes. null comes last. */
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

export const breakdownSection = defineSection({
  name: "breakdown",
  title: "Breakdown",
  rules: [
    {
      id: "breakdown.days-default",
      title: "Without days, /breakdown covers 30 days, like /stats.",
      fix: "Let days default to 30.",
      check: checkDefault(breakdown, { dimension: "pages" }, ["period", "days"], 30),
    },
    {
      id: "breakdown.limit-default",
      title: "Without limit, /breakdown returns at most 10 rows and limit: 10.",
      fix: "Let limit default to 10.",
      check: checkDefault(breakdown, { dimension: "pages" }, ["limit"], 10),
    },
    {
      id: "breakdown.dimensions",
      title: `Every dimension is answered: ${dimensions.join(", ")}.`,
      fix: "For a dimension that is not recorded, answer with an empty list of rows, not an error.",
      check: async (subject) => {
        for (const dimension of dimensions) await read(subject, breakdown, { dimension });
      },
    },
    {
      id: "breakdown.dimension-named",
      title: "dimension repeats the requested dimension.",
      fix: "Repeat the parameter in the answer.",
      check: ofEach(SAMPLE, (ranking, reply, dimension) =>
        demand(ranking.dimension === dimension, reply, quote(dimension), quote(ranking.dimension)),
      ),
    },
    {
      id: "breakdown.limit-kept",
      title: "limit repeats the requested limit, and there are no more rows than that.",
      fix: "Cut the rows at the limit, and repeat the limit in the answer.",
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
      title: "The rows fill the limit, or there is a row for every value.",
      fix: "Count total_rows without the limit, and return rows up to the limit.",
      check: async (subject) => {
        for (const limit of [2, 3, 1000]) {
          const { reply, answer } = await read(subject, breakdown, { limit });
          const expected = Math.min(limit, answer.total_rows);
          const seen = `${answer.rows.length} rows of ${answer.total_rows}`;
          // Too many rows break another rule.
          demand(answer.rows.length >= expected, reply, `${expected} rows`, seen);
        }
      },
    },
    {
      id: "breakdown.truncated",
      title: "truncated is true exactly when total_rows is greater than the number of rows.",
      fix: "Send truncated: true exactly when the limit cut off rows.",
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
      title: "A limit changes neither total_rows, nor totals, nor the first rows.",
      fix: "Rank all rows first and cut them last.",
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
      title: "Rows are ordered by visitors, then by page views (for events: by events), highest first.",
      fix: "Sort by both numbers in descending order.",
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
      title: "Rows with equal numbers are ordered by value, by code point, with null last.",
      fix: "Sort values as UTF-8 bytes (C collation), so that the order is always the same.",
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
      title: "No value has two rows.",
      fix: "Group by the whole value, and put everything unknown into one row with the value null.",
      check: ofEach(SAMPLE, (ranking, reply) => {
        const values = ranking.rows.map(({ value }) => value);
        const twice = values.findIndex((value, index) => values.indexOf(value) !== index);
        demand(twice === -1, reply, "each value once", `${quote(values[twice])} twice`);
      }),
    },
    {
      id: "breakdown.percentage",
      title: "percentage is the share of totals.visitors, 0–100.",
      fix: "Divide a row's visitors by totals.visitors, not by the sum of the rows.",
      check: ofEachRow(SAMPLE, (row, { totals }) => {
        const share = totals.visitors === 0 ? 0 : (100 * row.visitors) / totals.visitors;
        // Allows for rounding to tenths. More digits break another rule.
        return Math.abs(row.percentage - share) <= 0.05 + 1e-9 ? undefined : `${share.toFixed(1)} percent`;
      }),
    },
    {
      id: "breakdown.percentage-digits",
      title: "percentage has at most one decimal place.",
      fix: "Round to tenths.",
      check: ofEachRow(SAMPLE, ({ percentage }) =>
        Math.abs(percentage * 10 - Math.round(percentage * 10)) < 1e-6
          ? undefined
          : "at most one decimal place",
      ),
    },
    {
      id: "breakdown.row-within-totals",
      title: "No row has more visitors than totals.",
      fix: "Sum a row's visitors over the days, as in totals.",
      check: ofEachRow(SAMPLE, ({ visitors }, { totals }) =>
        visitors <= totals.visitors ? undefined : `at most ${totals.visitors} visitors`,
      ),
    },
    {
      id: "breakdown.pageviews",
      title: "Rows of every dimension except events have pageviews.",
      fix: "Send pageviews with every row of every dimension except events.",
      check: ofEachRow(
        dimensions.filter((each) => each !== "events"),
        ({ pageviews }) => (pageviews === undefined ? "pageviews" : undefined),
      ),
    },
    {
      id: "breakdown.events",
      title: "Rows of events have events instead of pageviews, and totals has events, too.",
      fix: "Send events and no pageviews with each row of this dimension, and add totals.events.",
      check: ofEach(["events"], ({ rows, totals }, reply) => {
        const wrong = rows.find(({ events, pageviews }) => events === undefined || pageviews !== undefined);
        demand(wrong === undefined, reply, "events instead of pageviews", quote(wrong));
        demand(totals.events !== undefined, reply, "totals.events", quote(totals));
      }),
    },
    {
      id: "breakdown.totals",
      title: "totals are the numbers of /stats for the same days.",
      fix: "Count totals over the whole period, not over the returned rows.",
      check: async (subject) => {
        for (const days of [7, 30]) {
          await demandSameNumbers(
            (fresh) => readTotals(subject, { days }, fresh),
            async () => {
              const { reply, answer } = await read(subject, breakdown, { days });
              const { visitors, pageviews } = answer.totals;
              return {
                reply,
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
      title: "totals.events of the dimension events equals events of /stats.",
      fix: "Count the custom events of the whole period, without page views.",
      check: async (subject) => {
        await demandSameNumbers(
          (fresh) => readTotals(subject, {}, fresh),
          async () => {
            const { reply, answer } = await rank(subject, "events");
            const { events } = answer.totals;
            if (events === undefined) throw new Skip("there is no totals.events: see breakdown.events");
            return { reply, period: answer.period, numbers: { events } };
          },
        );
      },
    },
    {
      id: "breakdown.pages-add-up",
      severity: "should",
      title: "All rows of pages add up to the page views of the period.",
      fix: "Count each page view for exactly one page.",
      check: ofWhole(["pages"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.pageviews);
        demand(sum === totals.pageviews, reply, `${totals.pageviews} page views`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.visits-add-up",
      severity: "should",
      title:
        "All rows of devices or countries add up to the page views of the period, including the unknown row.",
      fix: "Count the page views of each visit for the visit's value, and put visits without a value into a row with null.",
      check: ofWhole(["devices", "countries"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.pageviews);
        demand(sum === totals.pageviews, reply, `${totals.pageviews} page views`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.everybody-counts",
      severity: "should",
      title: "All rows of devices or countries add up to at least the visitors of the period.",
      fix: "Put visitors without a value into a row with null.",
      check: ofWhole(["devices", "countries"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.visitors);
        demand(sum >= totals.visitors, reply, `at least ${totals.visitors} visitors`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.events-add-up",
      severity: "should",
      title: "All rows of events add up to the events of the period.",
      fix: "Count each event for exactly one name.",
      check: ofWhole(["events"], ({ rows, totals }, reply) => {
        const sum = total(rows, (row) => row.events);
        demand((totals.events ?? sum) === sum, reply, `${totals.events} events`, `${sum} in all rows`);
      }),
    },
    {
      id: "breakdown.labels",
      severity: "should",
      title: "Every row has a label for people that is not empty.",
      fix: 'If there is no value, send a label such as "(none)".',
      check: ofEachRow(SAMPLE, ({ label }) => (label.trim() === "" ? "a label" : undefined)),
    },
    {
      id: "breakdown.countries",
      title: "Values of countries are ISO 3166-1 alpha-2 codes or null.",
      fix: "Send DE as value and Germany as label.",
      check: ofEachRow(["countries"], ({ value }) =>
        value === null || /^[A-Z]{2}$/.test(value) ? undefined : "two capital letters",
      ),
    },
    {
      id: "breakdown.regions",
      title: "Values of regions are ISO 3166-2 codes or null.",
      fix: "Send DE-BE as value and Berlin as label.",
      check: ofEachRow(["regions"], ({ value }) =>
        value === null || /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(value) ? undefined : "a code such as DE-BE",
      ),
    },
    {
      id: "breakdown.languages",
      title: "Values of languages are BCP 47 tags or null.",
      fix: "Send de or pt-BR, with a hyphen.",
      check: ofEachRow(["languages"], ({ value }) =>
        value === null || isLanguage(value) ? undefined : "a tag such as pt-BR",
      ),
    },
    {
      id: "breakdown.channels",
      severity: "should",
      title: "The value of a channel is its name, the same as its label.",
      fix: "Send the same text as value and label.",
      check: ofEachRow(["channels"], ({ value, label }) =>
        value === null || value === label ? undefined : quote(label),
      ),
    },
  ],
});
