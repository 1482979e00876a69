import { addDays, listDays } from "../../src/operations/days.ts";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { parseFilter } from "../../src/operations/filter.ts";
import { compareRows } from "../../src/operations/row-order.ts";
import { dateAt, listHours, startOfDay } from "../../src/sources/calendar.ts";
import type { DataSource, Span } from "../../src/sources/data-source.ts";
import type { Visit } from "../../src/sources/demo/visits.ts";
import { LOG_NOW } from "./logs.ts";
import { findProfile, listUmamiVisits, UMAMI_VISITS, type UmamiDomain } from "./umami-visits.ts";

/*
 * Questions to Umami about the visits that were sent into it, and what is known about these. Nothing here asks Umami or reads
 * from src/sources/gateways: what is expected is counted from the visits themselves.
 */

export interface UmamiCheck {
  name: string;
  /** In which the site is read, if not in its own timezone. */
  timezone?: string;
  ask(source: DataSource): Promise<unknown>;
  expected: unknown;
}

/** A hit with all that is known about it. */
interface KnownHit {
  date: string;
  visitor: string;
  time: number;
  path: string;
  event: string | null;
  visit: Visit;
  isFirst: boolean;
}

const HOUR_MS = 3_600_000;

/** All kinds of questions about one site, and those about days and hours about another one, in another timezone. */
export function listUmamiChecks(): UmamiCheck[] {
  const domain = "example.com";
  const date = "2026-11-03";
  const hits = listHits(domain);
  return [
    ...(Object.keys(UMAMI_VISITS) as UmamiDomain[]).flatMap(checkSpans),
    ...Object.keys(READ).map((dimension) => checkRows(domain, hits, date, dimension as Dimension)),
    ...FILTERS.map((filter) => checkFilter(domain, hits, date, filter)),
    ...FILTERED_ROWS.map(([filter, dimension]) => checkRows(domain, hits, date, dimension, filter)),
    // Hours there begin half an hour after those of UTC.
    checkHours(domain, hits, date, date, "Asia/Kolkata"),
    checkActive(domain),
    ...checkWindows(domain, hits, date),
  ];
}

/** The days on which there were visits, and the days around them. */
function checkSpans(domain: UmamiDomain): UmamiCheck[] {
  const hits = listHits(domain);
  const dates = UMAMI_VISITS[domain];
  return [
    ...dates.flatMap((date) => [checkDays(domain, hits, date, date), checkHours(domain, hits, date, date)]),
    checkDays(domain, hits, addDays(dates[0], -3), addDays(dates.at(-1) ?? dates[0], 3)),
  ];
}

function listHits(domain: UmamiDomain): KnownHit[] {
  const { timezone } = findProfile(domain);
  return listUmamiVisits(domain).flatMap(({ date, visit }) =>
    visit.hits.map(({ at, path, event }, index) => ({
      date,
      visitor: `${date} ${visit.visitor}`,
      time: startOfDay(date, timezone) + at * 1000,
      path,
      event,
      visit,
      isFirst: index === 0,
    })),
  );
}

async function openSpan(source: DataSource, domain: UmamiDomain, from: string, to = from): Promise<Span> {
  const site = await source.site?.(domain);
  if (site === undefined) throw new Error(`There is no ${domain}.`);
  return { site, from, to, now: LOG_NOW };
}

/** Without a page view only if nothing but events is counted. */
const countVisitors = (hits: readonly KnownHit[]) => new Set(hits.map(({ visitor }) => visitor)).size;
const views = (hits: readonly KnownHit[]) => hits.filter(({ event }) => event === null);

const total = (hits: readonly KnownHit[], filter = "") => ({
  visitors: countVisitors(filter.startsWith("events") ? hits : views(hits)),
  pageviews: views(hits).length,
  events: hits.length - views(hits).length,
});

function checkDays(domain: UmamiDomain, hits: readonly KnownHit[], from: string, to: string): UmamiCheck {
  return {
    name: `days of ${domain}, ${from} to ${to}`,
    ask: async (source) => source.days(await openSpan(source, domain, from, to)),
    expected: listDays(from, to).map((date) => ({
      date,
      ...total(hits.filter((hit) => hit.date === date)),
    })),
  };
}

function checkHours(
  domain: UmamiDomain,
  hits: readonly KnownHit[],
  from: string,
  to: string,
  timezone?: string,
): UmamiCheck {
  const starts = listHours(from, to, timezone ?? findProfile(domain).timezone);
  return {
    name: `hours of ${domain}, ${from}${timezone ? ` in ${timezone}` : ""}`,
    ...(timezone && { timezone }),
    ask: async (source) => source.hours?.(await openSpan(source, domain, from, to)),
    expected: starts.map((start) => {
      const kept = views(hits).filter(({ time }) => time >= start && time < start + HOUR_MS);
      return { start, visitors: countVisitors(kept), pageviews: kept.length };
    }),
  };
}

/** Umami's words. */
const BROWSERS: Record<string, string> = {
  Chrome: "chrome",
  Edge: "edge-chromium",
  Firefox: "firefox",
  Safari: "safari",
  "Samsung Internet": "samsung",
};
const SYSTEMS: Record<string, string> = {
  Windows: "Windows 10",
  macOS: "Mac OS",
  Android: "Android OS",
};

function nameBrowser({ technology: { browser, operating_system } }: Visit): string {
  if (operating_system === "iOS") return browser === "Safari" ? "ios" : "crios";
  return BROWSERS[browser] ?? browser;
}

type Read = (hit: KnownHit) => string | null | undefined;

/** The value of a page view in each dimension; undefined if it is in no row, null if its visitor has none. */
const READ: Partial<Record<Dimension, Read>> = {
  pages: ({ path }) => path,
  hostnames: ({ visit }) => visit.hostname,
  referrers: ({ visit, isFirst }) => (isFirst ? (visit.source.referrer ?? undefined) : undefined),
  utm_sources: ({ visit, isFirst }) => (isFirst ? (visit.source.utm.source ?? undefined) : undefined),
  utm_mediums: ({ visit, isFirst }) => (isFirst ? (visit.source.utm.medium ?? undefined) : undefined),
  utm_campaigns: ({ visit, isFirst }) => (isFirst ? (visit.source.utm.campaign ?? undefined) : undefined),
  utm_terms: ({ visit, isFirst }) => (isFirst ? (visit.source.utm.term ?? undefined) : undefined),
  utm_contents: ({ visit, isFirst }) => (isFirst ? (visit.source.utm.content ?? undefined) : undefined),
  countries: ({ visit }) => visit.place.country,
  regions: ({ visit }) => visit.place.region,
  cities: ({ visit: { place } }) =>
    place.city_label === undefined ? null : `${place.city_label.split(",")[0]}, ${place.country}`,
  languages: ({ visit }) => visit.place.language?.slice(0, 2) ?? null,
  devices: ({ visit }) => visit.technology.device,
  browsers: ({ visit }) => nameBrowser(visit),
  operating_systems: ({ visit: { technology } }) =>
    SYSTEMS[technology.operating_system] ?? technology.operating_system,
  events: ({ event }) => event ?? undefined,
  entry_pages: ({ path }) => path,
  exit_pages: ({ path }) => path,
};

function checkRows(
  domain: UmamiDomain,
  hits: readonly KnownHit[],
  date: string,
  dimension: Dimension,
  filter?: string,
): UmamiCheck {
  const conditions = filter === undefined ? undefined : parseFilter([filter]);
  const kept = hits.filter((hit) => hit.date === date && (KEEPS[filter ?? ""]?.(hit) ?? true));
  const counted = dimension === "events" ? kept.filter(({ event }) => event !== null) : views(kept);
  const read = READ[dimension];
  const rows = new Map<string | null, KnownHit[]>();
  for (const hit of keepEnds(dimension, counted)) {
    const value = read?.(hit);
    if (value !== undefined) rows.set(value, [...(rows.get(value) ?? []), hit]);
  }
  return {
    name: `${dimension} of ${domain}, ${date}${filter ? `, ${filter}` : ""}`,
    ask: async (source) => {
      const span = { ...(await openSpan(source, domain, date)), filter: conditions };
      const ranking = await source.breakdown(span, dimension, 1_000);
      return ranking.rows.map(({ label, ...row }) => row);
    },
    expected: [...rows]
      .map(([value, of]) => ({ value, visitors: countVisitors(of), hits: of.length }))
      .sort(compareRows),
  };
}

/** The first or last page view of each visitor's hour: a visit of Umami ends with the hour. */
function keepEnds(dimension: Dimension, hits: readonly KnownHit[]): readonly KnownHit[] {
  if (dimension !== "entry_pages" && dimension !== "exit_pages") return hits;
  const sign = dimension === "entry_pages" ? 1 : -1;
  const ends = new Map<string, KnownHit>();
  for (const hit of hits) {
    const key = `${hit.visitor} ${Math.floor(hit.time / HOUR_MS)}`;
    const end = ends.get(key);
    if (end === undefined || sign * (hit.time - end.time) < 0) ends.set(key, hit);
  }
  return [...ends.values()];
}

/** What filters keep, of those whose meaning is the contract's. */
const KEEPS: Record<string, (hit: KnownHit) => boolean> = {
  "pages=/": ({ path }) => path === "/",
  "pages=/plans|/docs|/": ({ path }) => ["/plans", "/docs", "/"].includes(path),
  "pages=/docs*": ({ path }) => path.startsWith("/docs"),
  "pages=/DOCS*": () => false,
  "pages!=/docs*": ({ path }) => !path.startsWith("/docs"),
  "pages!=/": ({ path }) => path !== "/",
  "hostnames=www.example.com": ({ visit }) => visit.hostname === "www.example.com",
  "countries=DE|US": ({ visit }) => ["DE", "US"].includes(visit.place.country ?? ""),
  "regions=DE-BE": ({ visit }) => visit.place.region === "DE-BE",
  "cities=Berlin, DE": ({ visit }) => visit.place.city_label === "Berlin, Germany",
  "languages=de|fr": ({ visit }) => ["de", "fr"].includes(visit.place.language?.slice(0, 2) ?? ""),
  "devices=desktop": ({ visit }) => visit.technology.device === "desktop",
  "devices=tablet": ({ visit }) => visit.technology.device === "tablet",
  "browsers=chrome": ({ visit }) => nameBrowser(visit) === "chrome",
  "events=signup": ({ event }) => event === "signup",
  "events=outbound_link": ({ event }) => event === "outbound_link",
  "operating_systems=Mac*": ({ visit }) => visit.technology.operating_system === "macOS",
};
const FILTERS = Object.keys(KEEPS);

const FILTERED_ROWS: [filter: string, dimension: Dimension][] = [
  ["pages=/docs*", "countries"],
  ["pages=/", "pages"],
  ["countries=DE|US", "pages"],
  ["countries=DE|US", "referrers"],
  ["countries=DE|US", "entry_pages"],
  ["devices=desktop", "events"],
  ["pages!=/docs*", "events"],
];

function checkFilter(
  domain: UmamiDomain,
  hits: readonly KnownHit[],
  date: string,
  filter: string,
): UmamiCheck {
  const kept = hits.filter((hit) => hit.date === date && KEEPS[filter]?.(hit));
  return {
    name: `totals of ${domain}, ${date}, ${filter}`,
    ask: async (source) =>
      source.days({ ...(await openSpan(source, domain, date)), filter: parseFilter([filter]) }),
    expected: [{ date, ...total(kept, filter) }],
  };
}

/** Nobody was there just now: the visits are weeks old. */
const checkActive = (domain: UmamiDomain): UmamiCheck => ({
  name: `who is on ${domain} now`,
  ask: async (source) => {
    const { site, now } = await openSpan(source, domain, dateAt(LOG_NOW, "UTC"));
    return source.active(site, now);
  },
  expected: 0,
});

/** Who was there in the last minutes, shortly after each event and just before it is too long ago. */
function checkWindows(domain: UmamiDomain, hits: readonly KnownHit[], date: string): UmamiCheck[] {
  const events = hits.filter((hit) => hit.date === date && hit.event !== null).slice(0, 3);
  return events.flatMap(({ time, event }) =>
    [30_000, 299_000, 300_000].flatMap((passed) => {
      const now = time + passed;
      const there = hits.filter((hit) => hit.time > now - 300_000 && hit.time <= now);
      const filters = [`events=${event}`, "devices=desktop", "pages!=/docs*"];
      return filters.map((filter) => ({
        name: `who was on ${domain} at ${new Date(now).toISOString()}, ${filter}`,
        ask: async (source: DataSource) => {
          const { site } = await openSpan(source, domain, date);
          return source.active(site, now, undefined, parseFilter([filter]));
        },
        expected: countVisitors(
          there.filter((hit) => KEEPS[filter]?.(hit) ?? `events=${hit.event}` === filter),
        ),
      }));
    }),
  );
}
