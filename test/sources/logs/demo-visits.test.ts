import { describe, expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { escapeValue, parseFilter } from "../../../src/operations/filter.ts";
import { startOfDay } from "../../../src/sources/calendar.ts";
import type { HourTotals, Span } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { stamp } from "../../oracle/calendar.ts";
import { listRequests, listVisits, readLoggableFixtures } from "../../support/demo-logs.ts";
import { type LoggedRequest, writtenFormats } from "../../support/log-formats.ts";
import { createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";
import { countNaively, type KnownVisit, rankNaively, sortRows, totalNaively } from "./naive-filter.ts";

const fixtures = readLoggableFixtures();
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
const quiet = await openDemoSource({ clock: () => LOG_NOW, fixtures: withoutEvents });

/** The demo's visits as they are, before anything counts them. */
function listKnownVisits(domain: string, timezone: string, dates: readonly string[]): KnownVisit[] {
  return listVisits(withoutEvents, { domain }, dates, LOG_NOW).map(({ date, visit }) => {
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

describe("a filter gives what it keeps of the demo's visits, in logs and in the demo", () => {
  it.each([
    ["example.com", "2026-10-24", "2026-10-26"],
    ["docs.example.com", "2026-03-07", "2026-03-09"],
    ["news.example.org", "2026-11-18", "2026-11-20"],
  ])("%s from %s", async (domain, from, to) => {
    const { logs, site, dates, dimensions } = await writeLog("Caddy", domain, from, to, withoutEvents);
    const visits = listKnownVisits(domain, site.timezone, dates);
    const logged = await logs.findSite(domain);
    const filters = makeFilters(visits, 40);
    let some = 0;
    for (const [index, texts] of filters.entries()) {
      const filter = parseFilter(texts);
      const span = { site: logged, from, to, now: LOG_NOW, filter };
      const kept = countNaively(visits, filter);
      if (kept.length > 0) some++;
      expect({ texts, days: await logs.source.days(span) }).toEqual({
        texts,
        days: totalNaively(dates, kept),
      });
      const dimension = dimensions[index % dimensions.length] as Dimension;
      const { rows } = await logs.source.breakdown(span, dimension, 1_000);
      const demoSpan = { ...span, site };
      expect({ texts, days: await quiet.days(demoSpan) }).toEqual({ texts, days: totalNaively(dates, kept) });
      const ofDemo = await quiet.breakdown(demoSpan, dimension, 1_000);
      expect(sortRows(ofDemo.rows).map(({ label, ...row }) => row)).toEqual(rankNaively(kept, dimension));
      expect({ texts, dimension, rows: sortRows(rows).map(({ label, ...row }) => row) }).toEqual({
        texts,
        dimension,
        rows: rankNaively(kept, dimension),
      });
    }
    expect(some).toBeGreaterThan(20);
  });
});
