import { describe, expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { escapeValue, formatFilter, parseFilter } from "../../../src/operations/filter.ts";
import { startOfDay } from "../../../src/sources/calendar.ts";
import type { DataSource, HourTotals, Span } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { createVisits, type Visit } from "../../../src/sources/demo/visits.ts";
import { stamp } from "../../oracle/calendar.ts";
import { listRequests, listVisits, mondayOf, readLoggableFixtures } from "../../support/demo-logs.ts";
import { type LoggedRequest, writtenFormats } from "../../support/log-formats.ts";
import { createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";
import { IS_LONG } from "../../support/seed.ts";
import {
  countNaively,
  hoursNaively,
  type KeptVisit,
  type KnownVisit,
  rankNaively,
  sortRows,
  totalNaively,
} from "./naive-filter.ts";

const fixtures = readLoggableFixtures({ mostVisitors: 120 });
const demo = await openDemoSource({ clock: () => LOG_NOW, fixtures });

const ALWAYS: Dimension[] = [
  ...(["pages", "entry_pages", "exit_pages", "utm_sources", "utm_mediums", "utm_campaigns"] as const),
  ...(["utm_terms", "utm_contents"] as const),
];
const CARRIED: Record<string, Dimension[]> = {
  referrers: ["referrers", "channels"],
  agents: ["browsers", "operating_systems", "devices"],
  languages: ["languages"],
  hostnames: ["hostnames"],
};

/** The demo's visits on some days of a site as a log of a format. */
async function writeLog(format: string, domain: string, from: string, to: string, of = fixtures) {
  const written = writtenFormats[format];
  if (written === undefined) throw new Error(`Nobody writes ${format}.`);
  const site = (await demo.sites()).find((each) => each.domain === domain);
  if (site === undefined) throw new Error(`The demo has no ${domain}.`);
  const dates = Array.from({ length: 400 }, (_, day) => addDays(from, day)).filter((date) => date <= to);
  const requests = listRequests(of, site, dates, LOG_NOW);
  const lines = [...(written.header === undefined ? [] : [written.header]), ...requests.map(written.write)];
  const { path } = createLogFolder({ "access.log": joinLines(...lines) });
  const logs = openTestLogs({
    logs: [`${domain}=${path("access.log")}`],
    site: undefined,
    timezone: site.timezone,
    ...written.flags,
  });
  const dimensions = [...ALWAYS, ...written.carries.flatMap((each) => CARRIED[each] ?? [])];
  return { site, dates, requests, logs, dimensions };
}

/** Both sides' answers about them. */
async function compare(format: string, domain: string, from: string, to: string) {
  const { site, requests, logs, dimensions } = await writeLog(format, domain, from, to);
  const logged = await logs.findSite(domain);
  const spanOf = (one: typeof site): Span => ({ site: one, from, to, now: LOG_NOW });
  const strip = (days: readonly { date: string; visitors: number; pageviews: number }[]) =>
    days.map(({ date, visitors, pageviews }) => ({ date, visitors, pageviews }));
  return {
    requests,
    dimensions,
    outcomes: logs.outcomes(),
    recorded: await logs.source.dimensions?.(logged),
    demoDays: strip(await demo.days(spanOf(site))),
    days: strip(await logs.source.days(spanOf(logged))),
    expectedHours: countRequests(requests, site.timezone),
    hours: listCounted((await logs.source.hours?.(spanOf(logged))) ?? [], site.timezone),
    ask: async (dimension: Dimension) => {
      const rows = async (source: typeof demo, one: typeof site) =>
        (await source.breakdown(spanOf(one), dimension, 1000)).rows.map(({ value, visitors, hits }) => ({
          value,
          visitors,
          hits,
        }));
      return { demo: await rows(demo, site), logs: await rows(logs.source, logged) };
    },
  };
}

/** The hour on the clocks, with their offset. */
function nameHour(instant: number, timezone: string): string {
  const shown = stamp(instant, timezone);
  return `${shown.slice(0, 13)}${shown.slice(-6)}`;
}

/** The hours with requests, counted one by one. */
function countRequests(requests: readonly LoggedRequest[], timezone: string) {
  const hours = new Map<string, { visitors: Set<string>; pageviews: number }>();
  for (const { time, address, agent } of requests) {
    const name = nameHour(time * 1000, timezone);
    const hour = hours.get(name) ?? { visitors: new Set(), pageviews: 0 };
    hours.set(name, hour);
    hour.visitors.add(`${address} ${agent}`);
    hour.pageviews++;
  }
  return [...hours].map(([name, { visitors, pageviews }]) => [name, visitors.size, pageviews]);
}

const listCounted = (hours: readonly HourTotals[], timezone: string) =>
  hours
    .filter(({ pageviews }) => pageviews > 0)
    .map(({ start, visitors, pageviews }) => [nameHour(start, timezone), visitors, pageviews]);

async function expectEqual(format: string, domain: string, from: string, to: string) {
  const both = await compare(format, domain, from, to);
  expect(both.requests.length).toBeGreaterThan(50);
  expect(both.outcomes).toEqual({ page_view: both.requests.length });
  expect(both.days).toEqual(both.demoDays);
  expect(both.hours).toEqual(both.expectedHours);
  expect([...(both.recorded ?? [])].sort()).toEqual([...both.dimensions, "events"].sort());
  for (const dimension of both.dimensions) {
    const { demo: expected, logs } = await both.ask(dimension);
    expect({ dimension, rows: logs }).toEqual({ dimension, rows: expected });
  }
}

describe("the demo's visits, written as a log, give the demo's numbers", () => {
  // The clocks go back on the 25th, so that the day has 25 hours.
  it.each(Object.keys(writtenFormats))("%s", async (format) => {
    await expectEqual(format, "example.com", "2026-10-25", "2026-10-25");
  });

  it.each([
    ["the launch", "example.com", "2026-11-03", "2026-11-04"],
    ["a day of 23 hours in Berlin", "example.com", "2026-03-29", "2026-03-30"],
    ["a day of 25 hours in New York", "docs.example.com", "2026-10-31", "2026-11-02"],
    ["a day of 23 hours in New York", "docs.example.com", "2026-03-07", "2026-03-09"],
    ["Tokyo", "shop.example.net", "2026-11-06", "2026-11-09"],
    ["the first days in Auckland", "news.example.org", "2026-11-11", "2026-11-19"],
  ])("%s", async (_, domain, from, to) => {
    await expectEqual("Caddy", domain, from, to);
  });
});

/** The demo without events: a log's are files, and no hits of visits. */
const withoutEvents = { ...fixtures, sites: fixtures.sites.map((site) => ({ ...site, events: {} })) };
/** The same with 0 to 14 seconds between two page views: short visits that are no bounces. */
const withShortPauses = {
  ...withoutEvents,
  sites: withoutEvents.sites.map((site) => ({ ...site, view_pause: { from: 0, to: 15 } })),
};

/** The demo's visits as they are, before anything counts them. */
function listMadeVisits(of: typeof fixtures, domain: string, dates: readonly string[]) {
  const profile = of.sites.find((site) => site.domain === domain);
  if (profile === undefined) throw new Error(`The fixtures have no ${domain}.`);
  const visitsOf = createVisits(profile, of, "analytics", mondayOf(LOG_NOW));
  return dates.flatMap((date) => visitsOf(date).map((visit) => ({ date, visit })));
}

function describeVisits(visits: readonly { date: string; visit: Visit }[], timezone: string): KnownVisit[] {
  return visits.map(({ date, visit }) => {
    const { visitor, hostname, source, place, technology, hits } = visit;
    const midnight = startOfDay(date, timezone) / 1000;
    return {
      date,
      visitor: String(visitor),
      values: {
        hostnames: hostname,
        referrers: source.referrer,
        channels: source.channel,
        utm_sources: source.utm.source,
        utm_mediums: source.utm.medium,
        utm_campaigns: source.utm.campaign,
        utm_terms: source.utm.term,
        utm_contents: source.utm.content,
        languages: place.language,
        devices: technology.device,
        browsers: technology.browser,
        operating_systems: technology.operating_system,
      },
      hits: hits.map(({ at, path }) => ({ time: midnight + at, path })),
    };
  });
}

/** Filters at random, of values that visits have, and of parts of them. */
function makeFilters(visits: readonly KnownVisit[], count: number): string[][] {
  let state = 7;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const makeCondition = (): string => {
    const { values, hits } = visits[draw(visits.length)] as KnownVisit;
    const known = Object.entries(values);
    const paths = hits.map(({ path }) => path);
    const places = ["pages", "visit:pages", "entry_pages", "exit_pages", "visit:hostnames"];
    const at = draw(known.length + places.length);
    const [name, value] = known[at] ?? [
      places[at - known.length],
      at === known.length + 4 ? values.hostnames : paths[draw(paths.length)],
    ];
    const text = escapeValue(value ?? "");
    const written = draw(3) === 0 && text !== "" ? `${text.slice(0, 1 + draw(6))}*` : text;
    return `${name}${draw(3) === 0 ? "!=" : "="}${written.replace(/\\\*$/, "*")}`;
  };
  return Array.from({ length: count }, () => Array.from({ length: 1 + draw(3) }, makeCondition));
}

/** Compares all numbers of some days with those of the visits with a kept hit. */
async function expectNumbers(
  source: DataSource,
  span: Span,
  dimensions: readonly Dimension[],
  kept: readonly KeptVisit[],
): Promise<void> {
  const texts = formatFilter(span.filter ?? []);
  const days = await source.days(span);
  const dates = days.map(({ date }) => date);
  expect({ texts, days }).toEqual({ texts, days: totalNaively(dates, kept) });
  for (const dimension of dimensions) {
    const { rows } = await source.breakdown(span, dimension, 10_000);
    const found = sortRows(rows).map(({ label: _, ...row }) => row);
    const expected = rankNaively(kept, dimension);
    expect({ texts, dimension, rows: found }).toEqual({ texts, dimension, rows: expected });
  }
}

async function expectHours(source: DataSource, span: Span, kept: readonly KeptVisit[]): Promise<void> {
  const texts = formatFilter(span.filter ?? []);
  const hours = ((await source.hours?.(span)) ?? []).filter(
    ({ visitors, visits = 0 }) => visitors + visits > 0,
  );
  expect({ texts, hours }).toEqual({ texts, hours: hoursNaively(kept) });
}

const SPANS = [
  ["example.com", "2026-10-24", "2026-10-26"],
  ["docs.example.com", "2026-03-07", "2026-03-09"],
  ["news.example.org", "2026-11-18", "2026-11-20"],
] as const;

/** No filter, and filters that keep everything, hits, and visits by their hits. */
const FILTERS = [[], ["pages=*"], ["pages!=/"], ["visit:pages!=/pricing"]];

describe("logs and the demo give the numbers of a naive count of the same visits", () => {
  const cases = SPANS.flatMap((span) => [
    [...span, "any filters"] as const,
    [...span, "short pauses"] as const,
  ]);
  it.each(cases)("%s from %s to %s, %s", async (domain, from, to, kind) => {
    const of = kind === "short pauses" ? withShortPauses : withoutEvents;
    const made = await openDemoSource({ clock: () => LOG_NOW, fixtures: of });
    const { logs, site, dates, dimensions } = await writeLog("Caddy", domain, from, to, of);
    const visits = describeVisits(listVisits(of, { domain }, dates, LOG_NOW), site.timezone);
    const raw = describeVisits(listMadeVisits(of, domain, dates), site.timezone);
    const lengthOf = ({ hits }: KnownVisit) => (hits.at(-1)?.time ?? 0) - (hits[0]?.time ?? 0);
    const short = visits.filter((visit) => visit.hits.length > 1 && lengthOf(visit) < 15);
    expect(short.length > 50).toBe(kind === "short pauses");

    const span = { site: await logs.findSite(domain), from, to, now: LOG_NOW };
    const filters = [...FILTERS, ...makeFilters(visits, kind === "short pauses" ? 5 : IS_LONG ? 40 : 8)];
    let some = 0;
    for (const [index, filter] of filters.map(parseFilter).entries()) {
      const kept = countNaively(visits, filter);
      if (kept.length > 0) some++;
      const asked = { ...span, ...(filter.length > 0 && { filter }) };
      const one = dimensions[index % dimensions.length] as Dimension;
      const ranked = index < FILTERS.length ? dimensions : [one];
      await expectNumbers(logs.source, asked, ranked, kept);
      await expectNumbers(made, { ...asked, site }, ranked, kept);
      if (index >= FILTERS.length) continue;
      await expectHours(logs.source, asked, kept);
      // A log's visits are moved apart.
      await expectHours(made, { ...asked, site }, countNaively(raw, filter));
    }
    expect(some).toBeGreaterThan(filters.length / 2);
  });
});
