import { expect } from "vitest";
import { addDays } from "../../src/operations/days.ts";
import { type Dimension, dimensions } from "../../src/operations/dimensions.ts";
import type { Conversions } from "../../src/reports/conversions.ts";
import { findQuery } from "../../src/reports/queries.ts";
import type { DataSource, VisitTotals } from "../../src/sources/data-source.ts";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import type { SourceFlags } from "../../src/sources/source-types.ts";
import { exportLines } from "./clickhouse.ts";
import { listDeadLinks, listRequests, readLoggableFixtures } from "./demo-logs.ts";
import { writtenFormats } from "./log-formats.ts";
import { createLogFolder, joinLines, LOG_NOW, openTestLogs } from "./logs.ts";

/** Days of 23, 24 and 25 hours, in timezones on both sides of UTC: site, first and last day. */
export const SPANS = [
  ["example.com", "2026-11-03", "2026-11-04"],
  ["example.com", "2026-03-29", "2026-03-30"],
  ["example.com", "2026-10-24", "2026-10-26"],
  ["docs.example.com", "2026-10-31", "2026-11-02"],
  ["docs.example.com", "2026-03-07", "2026-03-09"],
  ["shop.example.net", "2026-11-06", "2026-11-09"],
] as const;

const GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const BINGBOT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";

export interface SameVisits {
  demo: DataSource;
  /** By domain. */
  logs: ReadonlyMap<string, DataSource>;
  /** The options that choose those logs. */
  flagsOf: ReadonlyMap<string, SourceFlags>;
  /** The lines of their export, for each site; none if they are not wanted. */
  exports: readonly string[];
}

/** The same visits and dead links in the demo, in access logs with crawlers, and in the export of those logs. */
export async function writeSameVisits(clock: { now: number }, { exported = true } = {}): Promise<SameVisits> {
  const fixtures = readLoggableFixtures({ mostVisitors: 150 });
  const demo = await openDemoSource({ clock: () => LOG_NOW, fixtures });
  const written = writtenFormats.Caddy;
  if (written === undefined) throw new Error("Nobody writes Caddy.");
  const [logs, flagsOf, exports] = [new Map<string, DataSource>(), new Map<string, SourceFlags>(), [""]];
  for (const site of await demo.sites()) {
    const spans = SPANS.filter(([domain]) => domain === site.domain);
    if (spans.length === 0) continue;
    const dates = spans.flatMap(([, from, to]) => listDates(from, to));
    const requests = listRequests(fixtures, site, dates, LOG_NOW);
    const crawled = requests.filter((_, index) => index % 7 === 0);
    const lines = [
      ...requests,
      ...crawled.map((each, index) => ({
        ...each,
        agent: index % 3 === 0 ? BINGBOT : GPTBOT,
        status: [404, 500][index % 5] ?? 200,
      })),
      ...crawled.map((each, index) => ({ ...each, status: 500 + (index % 4) })),
      ...listDeadLinks(fixtures, site, dates, LOG_NOW),
    ];
    const { path } = createLogFolder({ "access.log": joinLines(...lines.map(written.write)) });
    const flags = {
      logs: [`${site.domain}=${path("access.log")}`],
      site: undefined,
      timezone: site.timezone,
      ...written.flags,
    };
    flagsOf.set(site.domain, flags);
    logs.set(site.domain, openTestLogs(flags, clock).source);
    if (exported) exports.push(await exportLines(flags, LOG_NOW));
  }
  return { demo, logs, flagsOf, exports: exports.slice(1) };
}

/** Every answer of a table about some days is that of the demo, as far as it knows it, and that of the logs. */
export async function expectSameAnswers(
  table: DataSource,
  { demo, logs }: SameVisits,
  [domain, from, to]: readonly [domain: string, from: string, to: string],
): Promise<void> {
  const ask = async (source: DataSource | undefined, name: string) => {
    const site = (await source?.sites())?.find((each) => each.domain === domain);
    if (source === undefined || site === undefined) throw new Error(`${name} has no ${domain}.`);
    const span = { site, from, to, now: LOG_NOW };
    const recorded = (await table.dimensions?.(site)) ?? [];
    expect(recorded.length).toBeGreaterThan(13);
    const days = (await source.days(span)).map((day) => (name === "demo" ? withoutVisits(day) : day));
    const breakdowns = await Promise.all(
      recorded
        .filter((dimension) => dimension !== "events")
        .map(async (dimension) => {
          const { rows, totalRows } = await source.breakdown(span, dimension, 1_000);
          // The demo has names of its own.
          const counts = rows.map(({ label, ...row }) => (name === "demo" ? withoutVisits(row) : row));
          return [dimension, { rows: counts, totalRows }];
        }),
    );
    const failing = await source.notFound?.(span, 1_000, undefined, "5xx");
    const { excluded, ...deadLinks } = (await source.notFound?.(span, 1_000)) ?? {};
    return {
      deadLinks: { ...deadLinks, scanners: excluded?.scanners },
      topDeadLinks: (await source.notFound?.(span, 2))?.rows,
      timezone: site.timezone,
      days: days.map(({ events, ...day }) => day),
      breakdowns: Object.fromEntries(breakdowns),
      ...(name !== "demo" && {
        recorded: await source.dimensions?.(site),
        events: days.map(({ events }) => events),
        excluded,
        failing,
        // Return visits of the demo are at other times.
        hours: await source.hours?.(span),
        crawlers: await source.crawlers?.(span, 1_000),
        top: await source.crawlers?.(span, 1),
        first: await source.breakdown(span, "pages", 3),
        labels: (await source.breakdown(span, "referrers", 100)).rows.map(({ label }) => label),
      }),
    };
  };
  const inTable = await ask(table, "table");
  expect(sumViews(inTable.days)).toBeGreaterThan(100);
  expect(sumViews(inTable.hours ?? [])).toBe(sumViews(inTable.days));
  expect(inTable.crawlers?.totalRows).toBe(2);
  expect(inTable.deadLinks.totalRequests).toBeGreaterThan(3);
  expect(inTable.excluded?.bots).toBeGreaterThan(3);
  expect(inTable.failing?.totalRequests).toBeGreaterThan(3);
  expect(inTable.failing?.excluded.bots).toBeGreaterThan(3);
  expect(inTable).toMatchObject(await ask(demo, "demo"));
  expect(inTable).toMatchObject(await ask(logs.get(domain), "logs"));
}

/** Goals that some, few and no visitors reach; ranked, also by what many visits do not have. */
export const CONVERSIONS = [
  { goal: "pages=/" },
  { goal: "pages=/*|/nobody" },
  { goal: "pages=/docs*", by: "referrers" },
  { goal: "page=/plans|/pricing", by: "utm_campaigns" },
  { goal: "pages=/plans", by: "channels", filter: ["visit:pages=/", "devices=desktop"] },
  { goal: "pages=/plans", by: "devices", filter: ["device=mobile"] },
  { goal: "pages=/nobody", by: "exit_pages" },
  { goal: "pages=*a*", by: "entry_pages", limit: 3 },
];

interface ConversionsAsked {
  /** The dimensions that all sources have; all of them if absent. */
  recorded?: readonly Dimension[] | undefined;
  goals?: readonly Record<string, unknown>[];
}

/** The conversions of the same visits are the same in all sources, and nobody converts who does not visit. */
export async function expectSameConversions(
  sources: readonly DataSource[],
  [domain, from, to]: readonly [domain: string, from: string, to: string],
  { recorded = dimensions, goals = CONVERSIONS }: ConversionsAsked = {},
): Promise<void> {
  const query = findQuery("conversions");
  const reached: unknown[] = [];
  for (const params of goals) {
    const asked = query.params.parse({ site: domain, period: `${from}/${to}`, ...params });
    const text = JSON.stringify(params);
    if (dimensions.some((each) => !recorded.includes(each) && text.includes(each.slice(0, -1)))) continue;
    const answers = await Promise.all(
      sources.map(async (source) => {
        const call = createLocalCall(
          async () => source,
          () => LOG_NOW,
        );
        const { result } = await query.ask(call, asked, {});
        const { rows, visitors, converted, conversion_rate, total_rows, bounds } =
          result as unknown as Conversions;
        // Sources differ in labels, and in what they warn of.
        return {
          ...{ visitors, converted, conversion_rate, total_rows, bounds },
          rows: rows?.map(({ label: _, ...row }) => row),
        };
      }),
    );
    for (const answer of answers) expect([params, answer]).toEqual([params, answers[0]]);
    reached.push(answers[0]?.converted);
  }
  expect(reached).toContain(0);
  expect(reached.filter((count) => Number(count) > 0).length).toBeGreaterThan(2);
}
const sumViews = (counts: readonly { pageviews: number }[]) =>
  counts.reduce((sum, { pageviews }) => sum + pageviews, 0);

/** Who is on example.com at a time is what its log says, of which the day is not over yet. */
export async function expectSameActive(table: DataSource, { flagsOf }: SameVisits): Promise<void> {
  const at = Date.parse("2026-11-04T18:00:00Z");
  const count = async (source: DataSource) => {
    const site = (await source.sites()).find(({ domain }) => domain === "example.com");
    if (site === undefined) throw new Error("There is no example.com.");
    const instants = Array.from({ length: 6 }, (_, index) => at + index * 1_200_000);
    return Promise.all(instants.map((now) => source.active(site, now)));
  };
  const counts = await count(table);
  expect(Math.max(...counts)).toBeGreaterThan(1);
  // Logs have single page views of days that are not closed yet.
  const open = openTestLogs(flagsOf.get("example.com") ?? {}, { now: at });
  expect(counts).toEqual(await count(open.source));
}

/** What a table says about some days of the shop, an hour later each time: nothing of it was asked before. */
export async function askShop(table: DataSource, clock: { now: number }) {
  const site = (await table.sites()).find(({ domain }) => domain === "shop.example.net");
  if (site === undefined) throw new Error("There is no shop.");
  const span = { site, from: "2026-11-06", to: "2026-11-09", now: LOG_NOW };
  clock.now += 3_600_000;
  return [
    await table.days(span),
    await table.breakdown(span, "entry_pages", 100),
    await table.crawlers?.(span, 10),
    await table.warnings?.(span),
  ];
}

/** The demo counts the events of a visit as its hits, which logs do not. */
const withoutVisits = <T extends Partial<VisitTotals>>({ visits, bounces, visitSeconds, ...rest }: T) => rest;

export function listDates(from: string, to: string): string[] {
  return Array.from({ length: 10 }, (_, day) => addDays(from, day)).filter((date) => date <= to);
}
