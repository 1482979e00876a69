import { expect } from "vitest";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { type Condition, type Filter, formatFilter } from "../../src/operations/filter.ts";
import type { DataSource, HourTotals } from "../../src/sources/data-source.ts";
import { createMatch, splitFilter } from "../../src/sources/filter-matching.ts";
import { columnsOf } from "../../src/sources/hits.ts";
import { LOG_NOW } from "./logs.ts";
import { FILTERED_DAYS, type MadeHit } from "./made-hits.ts";
import { countSteps } from "./steps.ts";

/* A naive count of what a filter keeps of made-up hits, by the definition in docs/contract.md. */

interface MadeVisit {
  day: string;
  visitor: number;
  views: MadeHit[];
  events: MadeHit[];
}

interface KeptRow {
  value: string | null;
  visitors: number;
  hits: number;
  visits?: number;
  bounces?: number;
  visitSeconds?: number;
}

/**
 * Counts what a filter keeps of the hits.
 *
 * @param folded A value that stands for several, of which no condition knows whether they meet it.
 */
export function countKept(hits: readonly MadeHit[], filter: Filter, folded?: string) {
  const { hits: onHits, visits: onVisits, visitHits } = splitFilter(filter);
  const isMet = (condition: Condition, value: string | null) =>
    value !== folded && createMatch(condition)(value);
  const found = findVisits(hits).flatMap((visit) => {
    const valueOfHit = (dimension: Dimension, hit: MadeHit) => {
      if (dimension === "pages") return hit.kind === "event" ? null : hit.path || null;
      if (dimension === "events") return hit.event || null;
      return valueOfVisit(visit, dimension);
    };
    const all = [...visit.views, ...visit.events];
    const isChosen =
      onVisits.every((condition) => isMet(condition, valueOfVisit(visit, condition.dimension))) &&
      visitHits.every((condition) =>
        condition.isNot
          ? all.every((hit) => isMet(condition, valueOfHit(condition.dimension, hit)))
          : all.some((hit) => isMet(condition, valueOfHit(condition.dimension, hit))),
      );
    const kept = all.filter((hit) =>
      onHits.every((condition) => isMet(condition, valueOfHit(condition.dimension, hit))),
    );
    return isChosen && kept.length > 0 ? [{ ...visit, kept }] : [];
  });
  type KeptVisit = (typeof found)[number];
  const countVisitors = (visits: readonly KeptVisit[]) =>
    new Set(visits.map(({ day, visitor }) => `${day} ${visitor}`)).size;
  const isView = ({ kind }: MadeHit) => kind === "pageview";
  const countVisits = (visits: readonly KeptVisit[]) => ({
    visits: visits.length,
    bounces: visits.filter(({ views }) => views.length === 1).length,
    visitSeconds: visits.reduce(
      (sum, { views }) => sum + (views.at(-1)?.time ?? 0) - (views[0]?.time ?? 0),
      0,
    ),
  });
  const countViews = (visits: readonly KeptVisit[]) =>
    visits.flatMap(({ kept }) => kept.filter(isView)).length;
  return {
    days: FILTERED_DAYS.map((date) => {
      const visits = found.filter(({ day }) => day === date);
      return {
        date,
        visitors: countVisitors(visits),
        pageviews: countViews(visits),
        events: visits.flatMap(({ kept }) => kept).length - countViews(visits),
        ...countVisits(visits),
      };
    }),
    /** The hours with anything, in UTC. */
    hours: listHours(found.flatMap(({ views, kept }) => [views[0], ...kept])).map((start) => {
      const isIn = (hit: MadeHit | undefined) => hit !== undefined && hourOf(hit) === start;
      const active = found.map((visit) => ({ ...visit, kept: visit.kept.filter(isIn) }));
      return {
        start: start * 1000,
        visitors: countVisitors(active.filter(({ kept }) => kept.length > 0)),
        pageviews: countViews(active),
        ...countVisits(found.filter(({ views: [first] }) => isIn(first))),
      };
    }),
    /** The visits that took steps, with `=`, by trying all ways. */
    steps: (steps: Filter) =>
      countSteps(
        found.map(({ views, events }) => [...views, ...events].toSorted((a, b) => a.sequence - b.sequence)),
        steps.map((step) => (hit: MadeHit) => {
          if (step.dimension === "pages") return hit.kind === "pageview" && isMet(step, hit.path || null);
          return isMet(step, hit.event || null);
        }),
      ),
    breakdown: (dimension: Dimension): KeptRow[] => {
      if (dimension === "pages" || dimension === "events") {
        const items = found.flatMap((visit) =>
          visit.kept
            .filter((hit) => isView(hit) === (dimension === "pages"))
            .map((hit) => ({ visit, value: (dimension === "pages" ? hit.path : hit.event) || null })),
        );
        return [...groupBy(items, ({ value }) => value)].map(([value, some]) => ({
          value,
          visitors: countVisitors(some.map(({ visit }) => visit)),
          hits: some.length,
        }));
      }
      const byValue = groupBy(found, (visit) => valueOfVisit(visit, dimension));
      return [...byValue].map(([value, visits]) => ({
        value,
        visitors: countVisitors(visits),
        hits: countViews(visits),
        ...countVisits(visits),
      }));
    },
  };
}

const valueOfVisit = ({ views }: MadeVisit, dimension: Dimension): string | null =>
  views[0]?.[columnsOf[dimension]] || null;

const hourOf = ({ time }: MadeHit) => time - (time % 3600);

const listHours = (hits: readonly (MadeHit | undefined)[]) =>
  [...new Set(hits.flatMap((hit) => (hit === undefined ? [] : hourOf(hit))))].sort((a, b) => a - b);

function findVisits(hits: readonly MadeHit[]): MadeVisit[] {
  return [...groupBy(hits, ({ day, visitor }) => `${day} ${visitor}`).values()].flatMap((own) => {
    const views = own.filter(({ kind }) => kind === "pageview");
    const visits = [...groupBy(views, ({ visit }) => visit).values()].map(
      ([first, ...rest]): MadeVisit => ({
        day: first?.day ?? "",
        visitor: first?.visitor ?? 0,
        views: first === undefined ? [] : [first, ...rest],
        events: [],
      }),
    );
    for (const hit of own.filter(({ kind }) => kind === "event")) {
      const begun = visits.filter(({ views: [first] }) => (first?.time ?? 0) <= hit.time);
      (begun.at(-1) ?? visits[0])?.events.push(hit);
    }
    return visits;
  });
}

function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

export type Kept = ReturnType<typeof countKept>;

/** The totals and some breakdowns of a source are those of the naive count. */
export async function expectKept(
  source: DataSource,
  domain: string,
  filter: Filter,
  { kept, asked }: { kept: Kept; asked: readonly Dimension[] },
): Promise<void> {
  const site = (await source.sites()).find((each) => each.domain === domain);
  if (site === undefined) throw new Error(`There is no ${domain}.`);
  const [from, to] = FILTERED_DAYS;
  const span = { site, from, to, now: LOG_NOW, filter };
  const name = formatFilter(filter).join(" & ");
  expect([name, await source.days(span)]).toEqual([name, kept.days]);
  const hours = (await source.hours?.(span)) ?? [];
  expect(hours).toHaveLength(48);
  expect([name, hours.filter(hasCounts)]).toEqual([name, kept.hours]);
  for (const dimension of asked) {
    const { rows, totalRows } = await source.breakdown(span, dimension, 1_000);
    const found = rows.map(({ label, other, ...row }) => (other ? { ...row, value: label } : row));
    const expected = kept.breakdown(dimension);
    expect([name, dimension, totalRows, sortRows(found)]).toEqual([
      name,
      dimension,
      expected.length,
      sortRows(expected),
    ]);
  }
}

const hasCounts = ({ visitors, visits = 0 }: HourTotals) => visitors + visits > 0;

const sortRows = (rows: readonly KeptRow[]) =>
  rows.toSorted((a, b) => JSON.stringify(a.value).localeCompare(JSON.stringify(b.value)));
