import type { Dimension } from "../../operations/dimensions.ts";
import { cutVisits, type Hit, type Visit, type Visits } from "./visits.ts";

export interface Totals {
  visitors: number;
  pageviews: number;
  events: number;
}

/** The visitors of one value, and its page views; for the dimension `events`, its events. */
export interface Tally {
  visitors: number;
  hits: number;
}

export type Tallies = Map<string | null, Tally>;

export interface Counts {
  /** Totals of a day, or of its first part up to and including `until`, in seconds after midnight. */
  totals(date: string, until?: number): Totals;
  /** Tallies of a dimension over several days; `until` limits the last one. */
  tallies(dates: string[], dimension: Dimension, until?: number): Tallies;
  /** Distinct visitors with a hit in (`after`, `until`], in seconds after midnight. */
  active(date: string, after: number, until: number): number;
}

/**
 * Counts a site's visits. The counts of a whole day are cached, since a day that is over never changes; a day in progress
 * (`until`) is counted each time.
 */
export function createCounts(visits: Visits): Counts {
  const knownTotals = new Map<string, Totals>();
  const knownTallies = new Map<string, Tallies>();

  const totals: Counts["totals"] = (date, until) => {
    if (until !== undefined) return countTotals(happenedBy(visits(date), until));
    const known = knownTotals.get(date) ?? countTotals(visits(date));
    knownTotals.set(date, known);
    return known;
  };

  const talliesOfDay = (date: string, dimension: Dimension, until: number | undefined): Tallies => {
    if (until !== undefined) return countTallies(happenedBy(visits(date), until), dimension);
    const key = `${dimension} ${date}`;
    const known = knownTallies.get(key);
    if (known) return known;
    const made = visits(date);
    const tallies = countTallies(made, dimension);
    knownTallies.set(key, tallies);
    // An answer needs the totals too, and making the visits takes longer than counting them.
    if (!knownTotals.has(date)) knownTotals.set(date, countTotals(made));
    return tallies;
  };

  return {
    totals,
    tallies: (dates, dimension, until) =>
      addUp(dates.map((date) => talliesOfDay(date, dimension, date === dates.at(-1) ? until : undefined))),
    active: (date, after, until) => {
      const isRecent = ({ at }: Hit) => at > after && at <= until;
      const active = visits(date).filter(({ hits }) => hits.some(isRecent));
      return new Set(active.map(({ visitor }) => visitor)).size;
    },
  };
}

function happenedBy(visits: Visit[], until: number): Visit[] {
  return cutVisits(visits, ({ at }) => at <= until);
}

function countTotals(visits: Visit[]): Totals {
  const visitors = new Set<number>();
  let [pageviews, events] = [0, 0];
  for (const { visitor, hits } of visits) {
    visitors.add(visitor);
    for (const { event } of hits) {
      if (event === null) pageviews++;
      else events++;
    }
  }
  return { visitors: visitors.size, pageviews, events };
}

function countTallies(visits: Visit[], dimension: Dimension): Tallies {
  const values = new Map<string | null, { visitors: Set<number>; hits: number }>();
  const add = (value: string | null, visitor: number, hits: number) => {
    let counted = values.get(value);
    if (!counted) {
      counted = { visitors: new Set(), hits: 0 };
      values.set(value, counted);
    }
    counted.visitors.add(visitor);
    counted.hits += hits;
  };
  for (const visit of visits) {
    if (dimension === "pages" || dimension === "events") {
      for (const { path, event } of visit.hits) {
        if (dimension === "pages" && event === null) add(path, visit.visitor, 1);
        if (dimension === "events" && event !== null) add(event, visit.visitor, 1);
      }
    } else {
      add(valueOfVisit[dimension](visit), visit.visitor, pageViews(visit).length);
    }
  }
  return new Map(
    [...values].map(([value, { visitors, hits }]) => [value, { visitors: visitors.size, hits }]),
  );
}

/** Adds up days. Visitors are counted day by day, so their sum is right by definition. */
function addUp(days: Tallies[]): Tallies {
  const sums: Tallies = new Map();
  for (const day of days) {
    for (const [value, { visitors, hits }] of day) {
      const sum = sums.get(value) ?? { visitors: 0, hits: 0 };
      sums.set(value, { visitors: sum.visitors + visitors, hits: sum.hits + hits });
    }
  }
  return sums;
}

function pageViews({ hits }: Visit): Hit[] {
  return hits.filter(({ event }) => event === null);
}

/** The dimensions with one value per visit; pages and events have one per hit. */
const valueOfVisit: Record<Exclude<Dimension, "pages" | "events">, (visit: Visit) => string | null> = {
  entry_pages: (visit) => pageViews(visit).at(0)?.path ?? null,
  exit_pages: (visit) => pageViews(visit).at(-1)?.path ?? null,
  hostnames: ({ hostname }) => hostname,
  referrers: ({ source }) => source.referrer,
  channels: ({ source }) => source.channel,
  utm_sources: ({ source }) => source.utm.source,
  utm_mediums: ({ source }) => source.utm.medium,
  utm_campaigns: ({ source }) => source.utm.campaign,
  utm_terms: ({ source }) => source.utm.term,
  utm_contents: ({ source }) => source.utm.content,
  countries: ({ place }) => place.country,
  regions: ({ place }) => place.region,
  cities: ({ place }) => place.city,
  languages: ({ place }) => place.language,
  devices: ({ technology }) => technology.device,
  browsers: ({ technology }) => technology.browser,
  operating_systems: ({ technology }) => technology.operating_system,
};
