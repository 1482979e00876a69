import { isDeepStrictEqual } from "node:util";
import { dimensions } from "../../src/operations/dimensions.ts";
import { parseFilter } from "../../src/operations/filter.ts";
import { startOfDay } from "../../src/sources/calendar.ts";
import { createCounts } from "../../src/sources/demo/counts.ts";
import type { Hit, Visit } from "../../src/sources/demo/visits.ts";
import { openHits } from "../../test/support/clickhouse.ts";
import { buildMmdb } from "../../test/support/mmdb.ts";
import { rankDays } from "../../test/support/rank-days.ts";
import { AGENTS } from "./agents.ts";
import { retry } from "./postgres.ts";
import { type RybbitServer, startRybbit } from "./rybbit-server.ts";
import { createSampleDays, type SampleDay } from "./sample-visits.ts";

const SITE = { id: "1", domain: "example.com", timezone: "Europe/Berlin" };
/** The night of the 25th has an hour more in Berlin. */
const [FIRST, DAYS] = ["2026-10-24", 4] as const;
/** Where its rules find another channel than the demo. */
const CHANNELS: Readonly<Record<string, string>> = {
  "news.ycombinator.com": "Organic Social",
  "youtube.com": "Organic Social",
  "chatgpt.com": "Organic Social",
  "claude.ai": "Referral",
  "perplexity.ai": "Organic Search",
  "gemini.google.com": "Organic Search",
  "partners.example": "Affiliate",
};
const FILTERS = [
  [],
  ["countries=DE|US", "devices=mobile"],
  ["visit:pages=/docs*"],
  ["utm_sources=google"],
  ["visit:events!=signup"],
  ["referrers="],
];

/**
 * Starts a Rybbit, sends the demo's visits to the address to which its script sends them, and holds what `--schema rybbit` reads from
 * its table against the visits, and against what Rybbit itself answers.
 */
export async function run(): Promise<number> {
  const days = createSampleDays(FIRST, DAYS);
  const places = [...new Set(days.flatMap(({ visits }) => visits.map(({ place }) => describePlace(place))))];
  const requests = listRequests(days, places);
  const rybbit = await startRybbit({
    domain: SITE.domain,
    geoip: buildGeoip(places),
    now: startOfDay(FIRST, SITE.timezone),
  });
  try {
    for (const { time, body, headers } of requests) {
      await rybbit.setClock(time);
      const answer = await fetch(`${rybbit.url}/api/track`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: `https://${SITE.domain}`, ...headers },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`Rybbit answers ${answer.status}: ${await answer.text()}`);
    }
    // It writes every ten seconds.
    await retry(async () => {
      const count = Number(await rybbit.clickhouse.run("SELECT count() FROM events FORMAT TSV"));
      if (count !== requests.length) throw new Error(`Rybbit wrote ${count} of ${requests.length} rows.`);
    });
    const compared = [
      ...(await compareKnown(rybbit, days.map(writeAsRybbit))),
      ...(await compareOwn(rybbit, days)),
    ];
    const wrong = compared.filter(({ said, known }) => !isDeepStrictEqual(said, known));
    for (const { name, said, known } of wrong)
      process.stdout.write(`${name}:\n  known ${JSON.stringify(known)}\n  said  ${JSON.stringify(said)}\n`);
    process.stdout.write(
      `${requests.length} requests: ${compared.length - wrong.length} of ${compared.length} answers are right.\n`,
    );
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await rybbit.stop();
  }
}

/** In Rybbit's words: what its table has of a visit, where that is not what the demo has. */
function writeAsRybbit({ date, visits }: SampleDay): SampleDay {
  return {
    date,
    visits: visits.map((visit) => ({
      ...visit,
      source: {
        ...visit.source,
        channel: CHANNELS[visit.source.referrer ?? ""] ?? visit.source.channel,
      },
      place: { ...visit.place, city: cityOf(visit.place) },
      technology: nameTechnology(visit.technology),
      // Paths are as browsers write them, and queries are in a column of their own.
      hits: visit.hits.map((hit) => ({ ...hit, path: new URL(hit.path, "https://example.com").pathname })),
    })),
  };
}

function nameTechnology({ browser, operating_system, device }: Visit["technology"]): Visit["technology"] {
  const isRenamed = device !== "desktop" && ["Chrome", "Safari", "Firefox"].includes(browser);
  const isAndroidTablet = device === "tablet" && operating_system === "Android";
  return {
    browser: isRenamed && !isAndroidTablet ? `Mobile ${browser}` : browser,
    operating_system: operating_system === "iPadOS" ? "iOS" : operating_system,
    // A long side of more than 1,024 pixels is that of a desktop.
    device: device === "tablet" ? "desktop" : device,
  };
}

const cityOf = ({ city_label: label }: Visit["place"]) => label?.split(",")[0] ?? null;

/** What a database of addresses says. */
const describePlace = (place: Visit["place"]) => JSON.stringify([place.country, place.region, cityOf(place)]);

/** Each place has a network of its own. */
function buildGeoip(places: readonly string[]): Buffer {
  const networks = places.map((place, index) => {
    const [country, region, city]: (string | null)[] = JSON.parse(place);
    const record = {
      ...(country && { country: { iso_code: country } }),
      ...(region && { subdivisions: [{ iso_code: region.split("-")[1] ?? "" }] }),
      ...(city && { city: { names: { en: city } } }),
    };
    return [`10.${index}.0.0/16`, record] as const;
  });
  return buildMmdb(Object.fromEntries(networks), { type: "GeoLite2-City" });
}

interface Tracked {
  time: number;
  body: Record<string, string | number>;
  headers: Record<string, string>;
}

/** What the script in the site's pages sends, by time. */
function listRequests(days: readonly SampleDay[], places: readonly string[]): Tracked[] {
  const requests = days.flatMap(({ date, visits }, day) => {
    const midnight = startOfDay(date, SITE.timezone);
    return visits.flatMap((visit) => {
      const { technology, place, visitor } = visit;
      const headers = {
        "x-forwarded-for": `10.${places.indexOf(describePlace(place))}.${day}.${visitor}`,
        "user-agent":
          AGENTS[`${technology.browser} ${technology.operating_system} ${technology.device}`] ?? "",
      };
      return visit.hits.map((hit, index) => ({
        time: midnight + hit.at * 1000,
        body: describeHit(visit, hit, visit.hits[index - 1]),
        headers,
      }));
    });
  });
  return requests.sort((a, b) => a.time - b.time);
}

/** Rybbit tells devices by their screens. */
const SCREENS: Readonly<Record<string, [number, number]>> = {
  desktop: [1920, 1080],
  mobile: [390, 844],
};

function describeHit(
  { hostname, source, place, technology }: Visit,
  { path, event }: Hit,
  before: Hit | undefined,
): Tracked["body"] {
  const { pathname, search } = new URL(path, `https://${hostname}`);
  const utm = Object.entries(source.utm).filter(([, value]) => before === undefined && value !== null);
  const query = new URLSearchParams(search);
  for (const [key, value] of utm) query.set(`utm_${key}`, `${value}`);
  const external = source.referrer === null ? "" : `https://${source.referrer}/`;
  const [screenWidth, screenHeight] = SCREENS[technology.device] ?? [1024, 1366];
  return {
    type: event === null ? "pageview" : "custom_event",
    site_id: SITE.id,
    hostname,
    pathname,
    querystring: query.size === 0 ? "" : `?${query}`,
    screenWidth,
    screenHeight,
    language: place.language ?? "",
    page_title: path,
    referrer: before === undefined ? external : new URL(before.path, `https://${hostname}`).href,
    ...(event !== null && { event_name: event, properties: "{}" }),
  };
}

interface Compared {
  name: string;
  said: unknown;
  known: unknown;
}

const NOW = startOfDay(FIRST, SITE.timezone) + (DAYS + 2) * 86_400_000;

async function openSpan({ clickhouse }: RybbitServer, days: readonly SampleDay[]) {
  const source = await openHits(
    clickhouse,
    { now: NOW },
    { table: "events", schema: "rybbit", timezone: SITE.timezone },
  );
  const [site] = await source.sites();
  if (site === undefined) throw new Error("The table has no site.");
  return { source, span: { site, from: FIRST, to: days.at(-1)?.date ?? "", now: NOW } };
}

async function compareKnown(rybbit: RybbitServer, days: readonly SampleDay[]): Promise<Compared[]> {
  const { source, span } = await openSpan(rybbit, days);
  const countsOf = createCounts((date) => days.find((day) => day.date === date)?.visits ?? []);
  const compared: Compared[] = [{ name: "site", said: span.site.domain, known: SITE.domain }];
  for (const texts of FILTERS) {
    const filter = parseFilter(texts);
    const counts = countsOf(filter);
    compared.push({
      name: `days ${texts.join(" ")}`,
      said: (await source.days({ ...span, filter })).map(withoutBounces),
      known: days.map(({ date }) => withoutBounces({ date, ...counts.totals(date) })),
    });
    for (const dimension of dimensions) {
      const { rows } = await source.breakdown({ ...span, filter }, dimension, 1_000);
      compared.push({
        name: `${dimension} ${texts.join(" ")}`,
        said: rows.map(({ label: _, ...row }) => withoutBounces(row)),
        known: rankDays(
          counts,
          days.map(({ date }) => date),
          dimension,
        ).map(withoutBounces),
      });
    }
  }
  return compared;
}

/** Rybbit's are visits with one page view, whatever else happens in them. */
const withoutBounces = <T extends { bounces?: number }>({ bounces: _, ...row }: T) => row;

/** What Rybbit itself says of each day. */
async function compareOwn(rybbit: RybbitServer, days: readonly SampleDay[]): Promise<Compared[]> {
  const { source, span } = await openSpan(rybbit, days);
  const ask = async (path: string, date: string, more: Record<string, string> = {}) => {
    const search = new URLSearchParams({
      startDate: date,
      endDate: date,
      timeZone: SITE.timezone,
      filters: "[]",
      ...more,
    });
    const answer = await fetch(`${rybbit.url}/api/${path}/${SITE.id}?${search}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Rybbit's ${path} answers ${answer.status}: ${text}`);
    return JSON.parse(text).data;
  };
  const compared: Compared[] = [];
  for (const { date } of days) {
    const { pageviews, users, sessions, bounce_rate, session_duration } = await ask("overview", date);
    const [day] = await source.days({ ...span, from: date, to: date });
    const { visitors, visits, bounces, visitSeconds } = day ?? {};
    compared.push({
      name: `Rybbit's overview of ${date}`,
      said: { pageviews: day?.pageviews, visitors, visits, bounces, visitSeconds },
      known: {
        pageviews: Number(pageviews),
        visitors: Number(users),
        visits: Number(sessions),
        bounces: Math.round((bounce_rate / 100) * sessions),
        visitSeconds: Math.round(session_duration * sessions),
      },
    });
  }
  return compared;
}
