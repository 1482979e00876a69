import { quote } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import type { Reply } from "../reply.ts";
import type { Rule, Rules } from "../rule.ts";
import { demandSameNumbers } from "../stable-compare.ts";
import { read } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";
import { type Ranking, type Row, rank, rankEach } from "./breakdown-ranking.ts";
import { readTotals } from "./stats-rules.ts";

/** Checks all rows of a dimension. Skips if there are no visits, or if the limit cuts off rows. */
function ofWhole(
  chosen: readonly Dimension[],
  check: (ranking: Ranking, reply: Reply) => void,
): Rule["check"] {
  return async (subject) => {
    subject.demandVisits();
    let isWhole = false;
    for (const { reply, answer } of await rankEach(subject, chosen)) {
      if (answer.total_rows > answer.rows.length) continue;
      isWhole = true;
      check(answer, reply);
    }
    if (!isWhole) throw new Skip("the site has more rows than a breakdown can return");
  };
}

const total = (rows: readonly Row[], read: (row: Row) => number | undefined): number =>
  rows.reduce((sum, row) => sum + (read(row) ?? 0), 0);

/** Checks that all rows of a dimension add up to the page views of the period. */
const pageviewsAddUp = (...chosen: Dimension[]) =>
  ofWhole(chosen, ({ rows, totals }, reply) => {
    const sum = total(rows, (row) => row.pageviews);
    demand(sum === totals.pageviews, reply, `${totals.pageviews} page views`, `${sum} in all rows`);
  });

/** Rows with fewer page views may agree by chance. */
const MIN_PAGEVIEWS = 10;
const MIN_ROWS = 3;

/**
 * A row that shows that entry or exit pages are counted like pages. That is so if nearly all rows have the same page views
 * as in `pages`, though people read several pages: with one page per visit, both would rightly be the same.
 */
function findPageCounts(pages: Ranking, visits: Ranking): Row | undefined {
  const readers = total(pages.rows, ({ visitors }) => visitors);
  if (readers < 1.2 * pages.totals.visitors) return undefined;
  const views = new Map(pages.rows.map(({ value, pageviews }) => [value, pageviews]));
  const rows = visits.rows.filter(
    ({ value, pageviews = 0 }) => views.has(value) && pageviews >= MIN_PAGEVIEWS,
  );
  const same = rows.filter(({ value, pageviews }) => views.get(value) === pageviews);
  return rows.length >= MIN_ROWS && same.length >= 0.9 * rows.length ? same[0] : undefined;
}

export const sumRules = {
  "breakdown.totals": {
    must: "totals are the numbers of /stats for the same days.",
    fix: "Count totals over the whole period, not over the returned rows.",
    check: async (subject) => {
      for (const days of [7, 30, 365]) {
        await demandSameNumbers(
          (fresh) => readTotals(subject, { days }, fresh),
          async () => {
            const { reply, answer } = await read(subject, breakdown, { days });
            const { visitors, pageviews } = answer.totals;
            return { reply, period: answer.period, numbers: { visitors, pageviews } };
          },
        );
      }
    },
  },
  "breakdown.events-total": {
    must: "totals.events of the dimension events equals events of /stats.",
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
  "breakdown.pages-add-up": {
    should: "All rows of pages add up to the page views of the period.",
    fix: "Count each page view for exactly one page.",
    check: pageviewsAddUp("pages"),
  },
  "breakdown.visits-add-up": {
    should:
      "All rows of devices or countries add up to the page views of the period, including the unknown row.",
    fix: "Count the page views of each visit for the visit's value, and put visits without a value into a row with null.",
    check: pageviewsAddUp("devices", "countries"),
  },
  "breakdown.entries-add-up": {
    should: "All rows of entry_pages or exit_pages add up to the page views of the period.",
    fix: "Count all page views of a visit for its one entry page and its one exit page.",
    check: pageviewsAddUp("entry_pages", "exit_pages"),
  },
  "breakdown.entries-are-visits": {
    must: "Rows of entry_pages and exit_pages count the page views of whole visits, not of the page alone, as pages does.",
    fix: "Find the first and last page of each visit, then count the page views of those visits.",
    check: async (subject) => {
      subject.demandVisits();
      for (const dimension of ["entry_pages", "exit_pages"] as const) {
        const { answer: pages } = await rank(subject, "pages");
        const { reply, answer } = await rank(subject, dimension);
        const same = findPageCounts(pages, answer);
        const example = same && `${quote(same)}, as in pages, and so in all rows`;
        demand(same === undefined, reply, "page views of the visits", example ?? "");
      }
    },
  },
  "breakdown.everybody-counts": {
    should: "All rows of devices or countries add up to at least the visitors of the period.",
    fix: "Put visitors without a value into a row with null.",
    check: ofWhole(["devices", "countries"], ({ rows, totals }, reply) => {
      const sum = total(rows, (row) => row.visitors);
      demand(sum >= totals.visitors, reply, `at least ${totals.visitors} visitors`, `${sum} in all rows`);
    }),
  },
  "breakdown.events-add-up": {
    should: "All rows of events add up to the events of the period.",
    fix: "Count each event for exactly one name.",
    check: ofWhole(["events"], ({ rows, totals }, reply) => {
      const sum = total(rows, (row) => row.events);
      demand((totals.events ?? sum) === sum, reply, `${totals.events} events`, `${sum} in all rows`);
    }),
  },
} satisfies Rules;
