import { startOfDay } from "../../src/sources/calendar.ts";
import { createDeadLinkRequests } from "../../src/sources/demo/dead-link-requests.ts";
import type { Fixtures, SiteProfile } from "../../src/sources/demo/fixture-types.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createVisits, type Visit } from "../../src/sources/demo/visits.ts";
import type { LoggedRequest } from "./log-formats.ts";

/** A visit ends after this many seconds; what is further apart is two visits. */
const GAP = 1_801;
const DAY = 86_400;

/** A user agent of each technology in the fixtures. */
export const AGENTS: Record<string, string> = {
  "chrome-windows": windows("Chrome/142.0.0.0 Safari/537.36"),
  "edge-windows": windows("Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0"),
  "firefox-windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "chrome-mac": mac("AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"),
  "safari-mac": mac("AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15"),
  "firefox-linux": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "chrome-linux":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "safari-iphone": apple("iPhone; CPU iPhone OS 18_6 like Mac OS X", "Version/18.6"),
  "chrome-iphone": apple("iPhone; CPU iPhone OS 18_6 like Mac OS X", "CriOS/142.0.0.0"),
  "safari-ipad": apple("iPad; CPU OS 18_6 like Mac OS X", "Version/18.6"),
  "chrome-android": android("Linux; Android 10; K", "Chrome/142.0.0.0 Mobile Safari/537.36"),
  "samsung-android": android(
    "Linux; Android 14; SM-S921B",
    "SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
  ),
  "firefox-android": "Mozilla/5.0 (Android 14; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0",
  "chrome-tablet": android("Linux; Android 14; SM-X710", "Chrome/142.0.0.0 Safari/537.36"),
  console:
    "Mozilla/5.0 (PlayStation; PlayStation 5/9.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Safari/605.1.15",
};

function windows(rest: string) {
  return `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;
}
function mac(rest: string) {
  return `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${rest}`;
}
function apple(machine: string, version: string) {
  return `Mozilla/5.0 (${machine}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${version} Mobile/15E148 Safari/604.1`;
}
function android(machine: string, rest: string) {
  return `Mozilla/5.0 (${machine}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;
}

/**
 * The demo's fixtures without what no log can carry, so that both sides can be asked for the same visits:
 * - pages whose path has a query (it is dropped) or controls (a server refuses them);
 * - referrers that are no host;
 * - the browsers' disguises: an iPad says that it runs iOS, and PlayStation's WebKit that it is Safari.
 * Events stay in the demo. They are no page views, and each of its visits has one, so that leaving them out of the log
 * changes no other number.
 *
 * @param limits `mostVisitors` a site has on an ordinary day.
 */
export function readLoggableFixtures({ mostVisitors = Number.POSITIVE_INFINITY } = {}): Fixtures {
  const fixtures = readFixtures();
  const isPlain = (text: string) => !/[?\p{Cc}]/u.test(text);
  const { spoofed, spreadsheet, ...sources } = fixtures.sources;
  return {
    ...fixtures,
    sites: fixtures.sites.map((site) => ({
      ...site,
      visitors: Math.min(site.visitors, mostVisitors),
      pages: site.pages.filter(({ path }) => isPlain(path)),
    })),
    sources: {
      ...sources,
      ...(spoofed && { spoofed: { ...spoofed, referrer: "evil.example" } }),
      ...(spreadsheet && { spreadsheet: { ...spreadsheet, referrer: "sheets.example" } }),
    },
    technologies: Object.fromEntries(
      Object.entries(fixtures.technologies).map(([key, technology]) => [
        key,
        {
          ...technology,
          browser: technology.browser.replace("WebKit", "Safari"),
          operating_system: technology.operating_system.replace("iPadOS", "iOS"),
        },
      ]),
    ),
  };
}

/**
 * The requests of some days of a site, by time.
 *
 * A visitor's return visit is moved within the day if it begins before the first one is over: the demo draws both by
 * themselves, but a log knows visits by their gaps alone. The day's numbers do not depend on the time.
 */
export function listRequests(
  fixtures: Fixtures,
  site: { domain: string },
  dates: readonly string[],
  now: number,
): LoggedRequest[] {
  const profile = findProfile(fixtures, site);
  const agentOf = new Map(
    Object.entries(fixtures.technologies).map(([key, technology]) => [technology, AGENTS[key] ?? ""]),
  );
  return listVisits(fixtures, site, dates, now)
    .flatMap(({ date, visit }) => requestsOf(visit, profile, date, agentOf))
    .sort((a, b) => a.time - b.time);
}

/** The requests of some days for what is not there, of people and of scanners, by time. */
export function listDeadLinks(
  fixtures: Fixtures,
  site: { domain: string },
  dates: readonly string[],
  now: number,
): LoggedRequest[] {
  const profile = findProfile(fixtures, site);
  const { domain, timezone } = profile;
  const requestsOf = createDeadLinkRequests(profile, fixtures, "analytics", mondayOf(now));
  return dates
    .flatMap((date) => {
      const midnight = startOfDay(date, timezone) / 1000;
      return requestsOf(date).map(({ sender, at, path, referrer }) => ({
        time: midnight + at,
        address: `172.20.${sender >> 8}.${sender & 255}`,
        host: domain,
        target: encodeURI(path),
        referrer: referrer === null ? "" : `https://${referrer.startsWith("/") ? domain : ""}${referrer}`,
        agent: AGENTS["firefox-linux"] ?? "",
        language: "en",
        status: 404,
      }));
    })
    .sort((a, b) => a.time - b.time);
}

/** The visits of those requests, on request with their events. */
export function listVisits(
  fixtures: Fixtures,
  site: { domain: string },
  dates: readonly string[],
  now: number,
  hasEvents = false,
): { date: string; visit: Visit }[] {
  const visitsOf = createVisits(findProfile(fixtures, site), fixtures, "analytics", mondayOf(now));
  return dates.flatMap((date) => separate(visitsOf(date), hasEvents).map((visit) => ({ date, visit })));
}

function findProfile(fixtures: Fixtures, { domain }: { domain: string }): SiteProfile {
  const profile = fixtures.sites.find((site) => site.domain === domain);
  if (profile === undefined) throw new Error(`The fixtures have no ${domain}.`);
  return profile;
}

export function mondayOf(instant: number): string {
  const today = new Date(instant);
  const back = (today.getUTCDay() + 6) % 7;
  return new Date(instant - back * DAY * 1000).toISOString().slice(0, 10);
}

/** Visits that are apart. A visitor's visits are adjacent. */
function separate(visits: readonly Visit[], hasEvents: boolean): Visit[] {
  const found: Visit[] = [];
  for (const visit of visits) {
    const hits = visit.hits.filter(({ event }) => hasEvents || event === null);
    const before = found.at(-1);
    found.push({ ...visit, hits: before?.visitor === visit.visitor ? moveApart(hits, before.hits) : hits });
  }
  return found;
}

function moveApart(views: Visit["hits"], before: Visit["hits"]): Visit["hits"] {
  const [start, end] = [before.at(0)?.at ?? 0, before.at(-1)?.at ?? 0];
  const [from, to] = [views.at(0)?.at ?? 0, views.at(-1)?.at ?? 0];
  if (from - end >= GAP || start - to >= GAP) return views;
  // The shortest day has 23 hours.
  const isLater = end + GAP + (to - from) < DAY - 3_600;
  const shift = isLater ? end + GAP - from : start - GAP - to;
  return views.map((hit) => ({ ...hit, at: hit.at + shift }));
}

function requestsOf(
  { visitor, hostname, source, place, technology, hits }: Visit,
  { timezone }: SiteProfile,
  date: string,
  agents: ReadonlyMap<object, string>,
): LoggedRequest[] {
  const utm = new URLSearchParams();
  for (const [key, value] of Object.entries(source.utm)) if (value !== null) utm.set(`utm_${key}`, value);
  const query = utm.size === 0 ? "" : `?${utm}`;
  const midnight = startOfDay(date, timezone) / 1000;
  return hits.map(({ at, path }, index) => {
    const previous = hits[index - 1];
    const first = source.referrer === null ? "" : `https://${source.referrer}/`;
    return {
      time: midnight + at,
      address: `10.${visitor >> 16}.${(visitor >> 8) & 255}.${visitor & 255}`,
      host: hostname,
      target: `${encodeURI(path)}${index === 0 ? query : ""}`,
      referrer: previous === undefined ? first : `https://${hostname}${encodeURI(previous.path)}`,
      agent: agents.get(technology) ?? "",
      language: place.language ?? "",
    };
  });
}
