import { expect } from "vitest";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { type Condition, type Filter, formatFilter } from "../../src/operations/filter.ts";
import { createMatch, splitFilter } from "../../src/operations/filter-matching.ts";
import type { DataSource, HourTotals } from "../../src/sources/data-source.ts";
import { columnsOf } from "../../src/sources/hits.ts";
import type { VisitRule } from "../../src/sources/measure/definition.ts";
import { LOG_NOW } from "./logs.ts";
import { FILTERED_DAYS, type MadeHit } from "./made-hits.ts";
import { countSteps } from "./steps.ts";

/* A naive count of what a filter keeps of made-up hits, by the definition in docs/contract.md or by another rule. */

interface MadeVisit {
  day: string;
  visitor: number;
  /** By the rule. */
  hits: MadeHit[];
  views: MadeHit[];
  /** That belong to it, also if they are no hits. */
  events: MadeHit[];
}

/** What a visit is, in words of its own. */
export interface MadeRule extends Pick<VisitRule, "hits" | "needsView"> {
  isBounce(visit: { hits: number; views: number; seconds: number }): boolean;
}

const OF_LOGS: MadeRule = { hits: "views", needsView: true, isBounce: ({ hits }) => hits === 1 };

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
export function countKept(hits: readonly MadeHit[], filter: Filter, folded?: string, rule = OF_LOGS) {
  const { hits: onHits, visits: onVisits, visitHits } = splitFilter(filter);
  const isMet = (condition: Condition, value: string | null) =>
    value !== folded && createMatch(condition)(value);
  const kept = findVisits(hits, rule).flatMap((visit) => {
    const valueOfHit = (dimension: Dimension, hit: MadeHit) => {
      if (dimension === "pages") return hit.kind === "event" ? null : hit.path || null;
      if (dimension === "events") return hit.event || null;
      return valueOfVisit(visit, dimension);
    };
    const all = [...visit.views, ...visit.events];
    const others = visit.hits.filter(({ kind }) => kind === "other");
    const isChosen =
      onVisits.every((condition) => isMet(condition, valueOfVisit(visit, condition.dimension))) &&
      visitHits.every((condition) => {
        if (condition.dimension === "hostnames") return isMet(condition, valueOfVisit(visit, "hostnames"));
        return condition.isNot
          ? all.every((hit) => isMet(condition, valueOfHit(condition.dimension, hit)))
          : all.some((hit) => isMet(condition, valueOfHit(condition.dimension, hit)));
      });
    const kept = [...all, ...others].filter((hit) =>
      onHits.every((condition) => isMet(condition, valueOfHit(condition.dimension, hit))),
    );
    return isChosen && kept.length > 0 ? [{ ...visit, kept }] : [];
  });
  // What is no visit only has events.
  const found = kept.filter(({ views }) => views.length > 0 || !rule.needsView);
  type KeptVisit = (typeof kept)[number];
  const countVisitors = (visits: readonly KeptVisit[]) =>
    new Set(visits.map(({ day, visitor }) => `${day} ${visitor}`)).size;
  const secondsOf = ({ hits }: MadeVisit) => (hits.at(-1)?.time ?? 0) - (hits[0]?.time ?? 0);
  const countVisits = (visits: readonly KeptVisit[]) => ({
    visits: visits.length,
    bounces: visits.filter((visit) =>
      rule.isBounce({ hits: visit.hits.length, views: visit.views.length, seconds: secondsOf(visit) }),
    ).length,
    visitSeconds: visits.reduce((sum, visit) => sum + secondsOf(visit), 0),
  });
  const countHits = (visits: readonly KeptVisit[], kind: MadeHit["kind"]) =>
    visits.flatMap((visit) => visit.kept.filter((hit) => hit.kind === kind)).length;
  return {
    days: FILTERED_DAYS.map((date) => {
      const visits = found.filter(({ day }) => day === date);
      return {
        date,
        visitors: countVisitors(visits),
        pageviews: countHits(visits, "pageview"),
        events: countHits(
          kept.filter(({ day }) => day === date),
          "event",
        ),
        ...countVisits(visits),
      };
    }),
    /** The hours with anything, in UTC. */
    hours: listHours(found.flatMap(({ hits: [first], kept }) => [first, ...kept])).map((start) => {
      const isIn = (hit: MadeHit | undefined) => hit !== undefined && hourOf(hit) === start;
      const active = found.map((visit) => ({ ...visit, kept: visit.kept.filter(isIn) }));
      return {
        start: start * 1000,
        visitors: countVisitors(active.filter(({ kept }) => kept.length > 0)),
        pageviews: countHits(active, "pageview"),
        ...countVisits(found.filter(({ hits: [first] }) => isIn(first))),
      };
    }),
    /** The visits that took steps, with `=`, by trying all ways. */
    steps: (steps: Filter) =>
      countSteps(
        found.map(({ views, events }) => [...views, ...events].toSorted(byTime)),
        steps.map((step) => (hit: MadeHit) => {
          if (step.dimension === "pages") return hit.kind === "pageview" && isMet(step, hit.path || null);
          return isMet(step, hit.event || null);
        }),
      ),
    breakdown: (dimension: Dimension): KeptRow[] => {
      if (dimension === "pages" || dimension === "events") {
        const kind = dimension === "pages" ? "pageview" : "event";
        const items = kept.flatMap((visit) =>
          visit.kept
            .filter((hit) => hit.kind === kind)
            .map((hit) => ({ visit, value: (dimension === "pages" ? hit.path : hit.event) || null })),
        );
        return [...groupBy(items, ({ value }) => value)].map(([value, some]) => ({
          value,
          visitors: countVisitors(some.flatMap(({ visit }) => (found.includes(visit) ? [visit] : []))),
          hits: some.length,
        }));
      }
      const byValue = groupBy(found, (visit) => valueOfVisit(visit, dimension));
      return [...byValue].map(([value, visits]) => ({
        value,
        visitors: countVisitors(visits),
        hits: countHits(visits, "pageview"),
        ...countVisits(visits),
      }));
    },
  };
}

/** Of its first hit; without a page view, entry and exit page are those of its events, which have none here. */
function valueOfVisit({ views, hits, events }: MadeVisit, dimension: Dimension): string | null {
  if (dimension === "entry_pages") return views[0]?.path || null;
  if (dimension === "exit_pages") return views.at(-1)?.path || null;
  return (hits[0] ?? events[0])?.[columnsOf[dimension]] || null;
}

const hourOf = ({ time }: MadeHit) => time - (time % 3600);

const listHours = (hits: readonly (MadeHit | undefined)[]) =>
  [...new Set(hits.flatMap((hit) => (hit === undefined ? [] : hourOf(hit))))].sort((a, b) => a - b);

const byTime = (a: MadeHit, b: MadeHit) => a.time - b.time || a.sequence - b.sequence;

const KINDS: Record<VisitRule["hits"], readonly MadeHit["kind"][]> = {
  views: ["pageview"],
  events: ["pageview", "event"],
  all: ["pageview", "event", "other"],
};

function findVisits(made: readonly MadeHit[], rule: MadeRule): MadeVisit[] {
  const isHit = ({ kind }: MadeHit) => KINDS[rule.hits].includes(kind);
  return [...groupBy(made, ({ day, visitor }) => `${day} ${visitor}`).values()].flatMap((own) => {
    const { day = "", visitor = 0 } = own[0] ?? {};
    const visits: MadeVisit[] = [];
    const begin = () => visits.push({ day, visitor, hits: [], views: [], events: [] });
    for (const hit of own.filter(isHit).toSorted(byTime)) {
      if (hit.time - (visits.at(-1)?.hits.at(-1)?.time ?? 0) > 1800) begin();
      visits.at(-1)?.hits.push(hit);
    }
    const events = own.filter(({ kind }) => kind === "event").toSorted(byTime);
    if (visits.length === 0 && events.length > 0) begin();
    for (const visit of visits) {
      visit.views = visit.hits.filter(({ kind }) => kind === "pageview");
      visit.events = visit.hits.filter(({ kind }) => kind === "event");
    }
    if (rule.hits !== "views") return visits;
    for (const hit of events) {
      const begun = visits.filter(({ hits: [first] }) => (first?.time ?? 0) <= hit.time);
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
