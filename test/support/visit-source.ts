import { addDays, countDays } from "../../src/operations/days.ts";
import type { Dimension } from "../../src/operations/dimensions.ts";
import type { Condition, Filter } from "../../src/operations/filter.ts";
import { createMatch, splitFilter } from "../../src/operations/filter-matching.ts";
import { compareRows } from "../../src/operations/row-order.ts";
import { dateAt } from "../../src/sources/calendar.ts";
import type { DataSource, Span } from "../../src/sources/data-source.ts";

/** A visit with its page views. */
export interface ListedVisit {
  visitor: string;
  day: string;
  /** From the first page view to the last. */
  seconds: number;
  pages: readonly string[];
  country: string | null;
}

const SITE = {
  id: "site_visits",
  domain: "visits.test",
  name: "Visits",
  timezone: "Europe/Berlin",
  createdAt: Date.parse("2020-01-01T00:00:00Z"),
  dataSince: "2020-01-01",
};

/** A site as a list of visits that a test can count by hand, filtered by pages and countries. */
export function createVisitSource(visits: readonly ListedVisit[], dataSince = SITE.dataSince): DataSource {
  /** The visits with a kept page view, each with these. */
  const keep = ({ from, to, now, filter }: Omit<Span, "site">) => {
    const today = dateAt(now, SITE.timezone);
    const { hits, visits: onVisits, visitHits } = splitFilter(filter);
    const meets = (conditions: readonly Condition[], value: string | null) =>
      conditions.every((condition) => createMatch(condition)(value));
    return visits
      .filter(({ day }) => day >= from && day <= to && day <= today)
      .filter(({ country }) => meets(onVisits, country))
      .filter(({ pages }) => visitHits.length === 0 || pages.some((page) => meets(visitHits, page)))
      .map((visit) => ({ ...visit, kept: visit.pages.filter((page) => meets(hits, page)) }))
      .filter(({ kept }) => kept.length > 0);
  };
  type Kept = ReturnType<typeof keep>;
  const sum = (list: Kept, read: (visit: Kept[number]) => number) =>
    list.reduce((total, visit) => total + read(visit), 0);
  const count = (list: Kept) => ({
    visitors: new Set(list.map(({ visitor, day }) => `${day} ${visitor}`)).size,
    visits: list.length,
    bounces: list.filter(({ pages }) => pages.length === 1).length,
    visitSeconds: sum(list, ({ seconds }) => seconds),
  });
  const readValues = (visit: Kept[number], dimension: Dimension) =>
    dimension === "pages" ? [...new Set(visit.kept)] : dimension === "countries" ? [visit.country] : [null];
  return {
    daysKept: 365,
    filters: true,
    sites: async () => [{ ...SITE, dataSince }],
    days: async (span) =>
      Array.from({ length: countDays(span.from, span.to) }, (_, index) => {
        const date = addDays(span.from, index);
        const list = keep({ ...span, from: date, to: date });
        return { date, ...count(list), pageviews: sum(list, ({ kept }) => kept.length), events: 0 };
      }),
    breakdown: async (span, dimension, limit) => {
      const list = dimension === "events" ? [] : keep(span);
      const values = new Set(list.flatMap((visit) => readValues(visit, dimension)));
      const rows = [...values].map((value) => {
        const own = list.filter((visit) => readValues(visit, dimension).includes(value));
        const { visitors, ...totals } = count(own);
        const views = (visit: Kept[number]) =>
          dimension === "pages" ? visit.kept.filter((page) => page === value).length : visit.kept.length;
        const isOfVisits = dimension !== "pages";
        return {
          value,
          label: value ?? "(none)",
          visitors,
          hits: sum(own, views),
          ...(isOfVisits && totals),
        };
      });
      return { rows: rows.sort(compareRows).slice(0, limit), totalRows: rows.length };
    },
    active: async (_site, now, _signal, filter?: Filter) => {
      const today = dateAt(now, SITE.timezone);
      return count(keep({ from: today, to: today, now, filter })).visitors;
    },
  };
}
