import type { Dimension } from "../../../src/operations/dimensions.ts";
import { type Filter, isOnHits } from "../../../src/operations/filter.ts";

/** A visit as whoever made it up knows it. */
export interface KnownVisit {
  date: string;
  visitor: string;
  /** The values of the whole visit, but for entry and exit page. */
  values: Partial<Record<Dimension, string | null>>;
  /** In order. Events neither begin nor extend a visit. */
  hits: readonly KnownHit[];
}

export interface KnownHit {
  /** Seconds since 1970. */
  time: number;
  path: string;
  /** The name of an event; absent for a page view. */
  event?: string;
}

/** What a filter keeps of some visits, counted the slow way, by the words of the definition alone. */
export function countNaively(visits: readonly KnownVisit[], filter: Filter) {
  const kept = visits.map((visit) => ({ ...visit, kept: keepHits(visit, filter) }));
  return kept.filter((visit) => visit.kept.length > 0);
}

export type KeptVisit = ReturnType<typeof countNaively>[number];

const isView = ({ event }: KnownHit) => event === undefined;

function keepHits(visit: KnownVisit, filter: Filter): readonly KnownHit[] {
  const isKept = filter.every((condition) => {
    const { dimension, ofVisit, isNot, alternatives } = condition;
    if (isOnHits(condition)) return true;
    const matches = (value: string | null) => alternatives.some((each) => matchSlowly(each, value));
    const found = ofVisit
      ? visit.hits.some((hit) => matches(valueOfHit(visit, hit, dimension)))
      : matches(valueOfVisit(visit, dimension));
    return found !== isNot;
  });
  if (!isKept) return [];
  return visit.hits.filter((hit) =>
    filter.filter(isOnHits).every(({ dimension, isNot, alternatives }) => {
      const value = valueOfHit(visit, hit, dimension);
      return alternatives.some((each) => matchSlowly(each, value)) !== isNot;
    }),
  );
}

function valueOfHit(visit: KnownVisit, hit: KnownHit, dimension: Dimension): string | null {
  if (dimension === "pages") return isView(hit) ? hit.path : null;
  return dimension === "events" ? (hit.event ?? null) : valueOfVisit(visit, dimension);
}

function valueOfVisit({ hits, values }: KnownVisit, dimension: Dimension): string | null {
  const views = hits.filter(isView);
  if (dimension === "entry_pages") return views[0]?.path ?? null;
  if (dimension === "exit_pages") return views.at(-1)?.path ?? null;
  return values[dimension] ?? null;
}

const patterns = new WeakMap<readonly string[], RegExp>();

function matchSlowly(parts: readonly string[] | null, value: string | null): boolean {
  if (parts === null || value === null) return parts === value;
  const pattern = patterns.get(parts) ?? readPattern(parts);
  patterns.set(parts, pattern);
  return pattern.test(value);
}

function readPattern(parts: readonly string[]): RegExp {
  const texts = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return new RegExp(`^${texts.join("[\\s\\S]*")}$`);
}

/** The totals of each day. */
export function totalNaively(dates: readonly string[], kept: readonly KeptVisit[]) {
  return dates.map((date) => {
    const visits = kept.filter((visit) => visit.date === date);
    return { date, ...countVisits(visits), events: countHits(visits, (hit) => !isView(hit)) };
  });
}

/** The totals of each hour in UTC with anything. */
export function hoursNaively(kept: readonly KeptVisit[]) {
  const hourOf = (hit: KnownHit | undefined) => Math.floor((hit?.time ?? 0) / 3600);
  const begins = ({ hits }: KeptVisit) => hourOf(hits.find(isView));
  const active = new Map<number, KeptVisit[]>();
  const begun = new Map<number, KeptVisit[]>();
  for (const visit of kept) {
    addTo(begun, begins(visit), visit);
    for (const hour of new Set(visit.kept.map(hourOf)))
      addTo(active, hour, { ...visit, kept: visit.kept.filter((hit) => hourOf(hit) === hour) });
  }
  return [...new Set([...active.keys(), ...begun.keys()])]
    .sort((a, b) => a - b)
    .map((hour) => {
      const { visits, bounces, visitSeconds } = countVisits(begun.get(hour) ?? []);
      const { visitors, pageviews } = countVisits(active.get(hour) ?? []);
      return { start: hour * 3_600_000, visitors, pageviews, visits, bounces, visitSeconds };
    });
}

function addTo<K, T>(lists: Map<K, T[]>, key: K, one: T) {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  list.push(one);
}

/** The rows of a dimension, by value. */
export function rankNaively(kept: readonly KeptVisit[], dimension: Dimension) {
  const groups = new Map<string | null, KeptVisit[]>();
  const isOfHits = dimension === "pages" || dimension === "events";
  for (const visit of kept) {
    const values = isOfHits
      ? visit.kept
          .filter((hit) => isView(hit) === (dimension === "pages"))
          .map((hit) => valueOfHit(visit, hit, dimension))
      : [valueOfVisit(visit, dimension)];
    for (const value of new Set(values)) {
      const own = isOfHits
        ? visit.kept.filter((hit) => valueOfHit(visit, hit, dimension) === value)
        : visit.kept;
      addTo(groups, value, { ...visit, kept: own });
    }
  }
  const rows = [...groups].map(([value, visits]) => {
    const { visitors, pageviews, ...whole } = countVisits(visits);
    const hits = dimension === "events" ? countHits(visits, () => true) : pageviews;
    return { value, visitors, hits, ...(!isOfHits && whole) };
  });
  return sortRows(rows);
}

export const sortRows = <T extends { value: string | null }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => (String(a.value) < String(b.value) ? -1 : 1));

function countVisits(visits: readonly KeptVisit[]) {
  const views = visits.map(({ hits }) => hits.filter(isView));
  return {
    visitors: new Set(visits.map(({ date, visitor }) => `${date} ${visitor}`)).size,
    pageviews: countHits(visits, isView),
    visits: visits.length,
    bounces: views.filter(({ length }) => length === 1).length,
    visitSeconds: views.reduce((sum, hits) => sum + (hits.at(-1)?.time ?? 0) - (hits[0]?.time ?? 0), 0),
  };
}

const countHits = (visits: readonly KeptVisit[], isCounted: (hit: KnownHit) => boolean) =>
  visits.flatMap(({ kept }) => kept.filter(isCounted)).length;
