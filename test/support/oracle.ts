import { Temporal } from "temporal-polyfill";
import type { Dimension } from "../../src/operations/dimensions.ts";
import type { Hit, Visit } from "../../src/reference/visits.ts";

/**
 * The numbers once more, straight from the raw visits and as naively as can be: every hit gets its instant by
 * Temporal, everything is filtered by instant, nothing is remembered. Shares no code with the product.
 */
export interface OracleSite {
  timezone: string;
  visits: (date: string) => Visit[];
}

interface DatedHit extends Hit {
  instant: number;
  day: string;
  visit: Visit;
  visitor: string;
}

const todayOf = (site: OracleSite, now: number) =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(site.timezone).toPlainDate();

/** What has happened by `now` on the days `from` to `to`, both included. */
function hitsBetween(site: OracleSite, now: number, from: string, to: string): DatedHit[] {
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
  const length = first.until(last, { largestUnit: "day" }).days + 1;
  return Array.from({ length }, (_, index) => first.add({ days: index })).flatMap((date) => {
    const midnight = date.toZonedDateTime(site.timezone).epochMilliseconds;
    // Once a day: Temporal takes longer to write a date than all else takes for a hit.
    const day = date.toString();
    return site.visits(day).flatMap((visit) => {
      const visitor = `${day} ${visit.visitor}`;
      return visit.hits
        .map(({ at, path, event }) => {
          return { at, path, event, instant: midnight + at * 1000, day, visit, visitor };
        })
        .filter((hit) => hit.instant <= now);
    });
  });
}

/** The last `days` days, today included. */
function hitsOf(site: OracleSite, now: number, days: number): DatedHit[] {
  const today = todayOf(site, now);
  return hitsBetween(site, now, today.subtract({ days: days - 1 }).toString(), today.toString());
}

export function countStats(site: OracleSite, now: number, days: number) {
  return countTotals(hitsOf(site, now, days));
}

/** The same of the days `from` to `to`, wherever they lie. */
export function countSpan(site: OracleSite, now: number, from: string, to: string) {
  return countTotals(hitsBetween(site, now, from, to));
}

function countTotals(hits: DatedHit[]) {
  return {
    visitors: new Set(hits.map((hit) => hit.visitor)).size,
    pageviews: hits.filter((hit) => hit.event === null).length,
    events: hits.filter((hit) => hit.event !== null).length,
  };
}

export function countSeries(site: OracleSite, now: number, days: number) {
  const hits = hitsOf(site, now, days);
  const today = todayOf(site, now);
  return Array.from({ length: days }, (_, index) => {
    const date = today.subtract({ days: days - 1 - index }).toString();
    const own = hits.filter((hit) => hit.day === date);
    return {
      date,
      visitors: new Set(own.map((hit) => hit.visitor)).size,
      pageviews: own.filter((hit) => hit.event === null).length,
    };
  });
}

export function countRealtime(site: OracleSite, now: number) {
  const hits = hitsOf(site, now, 2).filter((hit) => hit.instant > now - 300_000);
  return new Set(hits.map((hit) => hit.visitor)).size;
}

export function countBreakdown(site: OracleSite, now: number, days: number, dimension: Dimension) {
  return countValues(hitsOf(site, now, days), dimension);
}

/** The same of the days `from` to `to`, wherever they lie. */
export function countSpanValues(
  site: OracleSite,
  now: number,
  from: string,
  to: string,
  dimension: Dimension,
) {
  return countValues(hitsBetween(site, now, from, to), dimension);
}

/** The same over the days before today that lie between `first` and `last` days ago, both included. */
export function countPast(site: OracleSite, now: number, first: number, last: number, dimension: Dimension) {
  const today = todayOf(site, now);
  const [from, to] = [today.subtract({ days: first }).toString(), today.subtract({ days: last }).toString()];
  const hits = hitsOf(site, now, first + 1).filter(({ day }) => day >= from && day <= to);
  return { visitors: new Set(hits.map((hit) => hit.visitor)).size, rows: countValues(hits, dimension) };
}

function countValues(hits: DatedHit[], dimension: Dimension) {
  const byVisit = new Map<Visit, DatedHit[]>();
  for (const hit of hits) push(byVisit, hit.visit, hit);
  const readValue = (hit: DatedHit): string | null | undefined => {
    const { source, place, technology, hostname } = hit.visit;
    const ofVisit = byVisit.get(hit.visit) ?? [];
    switch (dimension) {
      case "pages":
        return hit.event === null ? hit.path : undefined;
      case "events":
        return hit.event ?? undefined;
      case "entry_pages":
        return ofVisit[0]?.path;
      case "exit_pages":
        return ofVisit.at(-1)?.path;
      case "hostnames":
        return hostname;
      case "referrers":
        return source.referrer;
      case "channels":
        return source.channel;
      case "utm_sources":
        return source.utm.source;
      case "utm_mediums":
        return source.utm.medium;
      case "utm_campaigns":
        return source.utm.campaign;
      case "utm_terms":
        return source.utm.term;
      case "utm_contents":
        return source.utm.content;
      case "countries":
        return place.country;
      case "regions":
        return place.region;
      case "cities":
        return place.city;
      case "languages":
        return place.language;
      case "devices":
        return technology.device;
      case "browsers":
        return technology.browser;
      case "operating_systems":
        return technology.operating_system;
    }
  };
  const byValue = new Map<string | null, DatedHit[]>();
  for (const hit of hits) {
    const value = readValue(hit);
    if (value !== undefined) push(byValue, value, hit);
  }
  return [...byValue].map(([value, own]) => {
    const counted = own.filter((hit) => (dimension === "events" ? hit.event !== null : hit.event === null));
    return { value, visitors: new Set(own.map((hit) => hit.visitor)).size, hits: counted.length };
  });
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
