import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dimension, dimensions } from "../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../src/operations/filter.ts";
import { startOfDay } from "../../../src/sources/calendar.ts";
import { schemaNames } from "../../../src/sources/clickhouse/schema-names.ts";
import { schemas } from "../../../src/sources/clickhouse/schemas.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { hasChdb, openHits, startChdb } from "../../support/clickhouse.ts";
import { listVisits } from "../../support/demo-logs.ts";
import { LOG_NOW } from "../../support/logs.ts";
import { CONVERSIONS, expectSameConversions, listDates, SPANS } from "../../support/same-visits.ts";
import { readServiceFixtures, serviceTables, writeRows } from "../../support/service-tables.ts";

/** Each alone, and with others; of dimensions that a service lacks, it is asked for none. */
const FILTERS = [
  ["pages=/docs*|/blog*"],
  ["pages!=/"],
  ["visit:pages=/pricing|/plans"],
  ["visit:pages!=/docs*"],
  ["hostnames=www.*|app.*"],
  ["entry_pages=/", "exit_pages!=/"],
  ["referrers=google.com|bing.com"],
  ["referrers="],
  ["events=signup|add_to_cart|search"],
  ["events!=download"],
  ["events=", "pages!=/docs*"],
  ["visit:events=*"],
  ["channels=Organic Search|Direct"],
  ["visit:events!=signup|search", "devices=mobile"],
  ["utm_campaigns=*"],
  ["utm_sources=newsletter", "utm_mediums!=cpc"],
  ["countries=DE|US", "devices=desktop"],
  ["countries="],
  ["regions=DE-*"],
  ["cities!="],
  ["languages=de-*"],
  ["browsers=*Safari*"],
  ["operating_systems!=Windows*", "pages=/*"],
];

/** One of each site. */
const SHORT_SPANS = SPANS.filter((span, index) => index === SPANS.findIndex(([site]) => site === span[0]));

describe.skipIf(!hasChdb)("the tables of other services, filled with the demo's visits", () => {
  describe.each(schemaNames)("%s", (name) => {
    const service = serviceTables[name];
    if (service === undefined) throw new Error(`Nobody writes ${name}.`);
    const fixtures = readServiceFixtures(service);
    let server: Awaited<ReturnType<typeof startChdb>>;
    let demo: DataSource;

    beforeAll(async () => {
      [server, demo] = await Promise.all([startChdb(), openDemoSource({ clock: () => LOG_NOW, fixtures })]);
      for (const sql of service.ddl) await server.run(sql);
      const sites = await demo.sites();
      for (const [index, { domain, timezone }] of sites.entries()) {
        const dates = SPANS.filter(([site]) => site === domain).flatMap(([, from, to]) =>
          listDates(from, to),
        );
        if (dates.length === 0) continue;
        const rows = writeRows(service, fixtures, { site: index + 1, domain, timezone }, dates);
        const lines = rows.map((row) => JSON.stringify(row)).join("\n");
        await server.run(`INSERT INTO ${service.table} FORMAT JSONEachRow`, lines);
        // What is written again counts once.
        if (name === "posthog") await server.run(`INSERT INTO ${service.table} FORMAT JSONEachRow`, lines);
      }
      const { view } = schemas[name];
      if (view !== undefined) await server.run(view);
    });

    afterAll(() => server?.stop());

    const open = (timezone: string, site?: string[]) =>
      openHits(server, { now: LOG_NOW }, { schema: name, timezone, ...(site && { site }) });

    it("has all sites, by their hosts", async () => {
      const table = await open("UTC");
      const found = await table.sites();
      expect(found.map(({ domain }) => domain)).toEqual([
        "docs.example.com",
        "example.com",
        "shop.example.net",
      ]);
      expect(found.map(({ key }) => key)).toContain(service.idOf(2));
      expect(await table.dimensions?.(found[0] as never)).toEqual(
        dimensions.filter((each) => !service.lacks.includes(each)),
      );
    });

    it.each(process.env.LONG ? SPANS : SHORT_SPANS)(
      "%s from %s to %s is as in the demo",
      async (domain, from, to) => {
        const sites = (await demo.sites()).filter((site) => site.domain === domain);
        const table = await open(sites[0]?.timezone ?? "");
        const recorded = (await table.dimensions?.(sites[0] as never)) ?? [];
        const isRecorded = (text: string) =>
          parseFilter([text]).every(({ dimension }) => recorded.includes(dimension));
        const filters = FILTERS.filter((texts) => texts.every(isRecorded));
        expect(filters.length).toBeGreaterThan(10);
        const ask = async (source: DataSource, texts: readonly string[], asked: readonly Dimension[]) => {
          const site = (await source.sites()).find((each) => each.domain === domain);
          if (site === undefined) throw new Error(`There is no ${domain}.`);
          const span = { site, from, to, now: LOG_NOW, filter: parseFilter(texts) };
          const breakdowns: unknown[] = [];
          for (const dimension of asked) {
            const { rows, totalRows } = await source.breakdown(span, dimension, 1_000);
            breakdowns.push([dimension, totalRows, rows.map(({ label, ...row }) => row)]);
          }
          return { texts, days: await source.days(span), breakdowns };
        };
        const everything = await ask(table, [], recorded);
        expect(everything).toEqual(await ask(demo, [], recorded));
        expect(everything.days.every(({ visits = 0 }) => visits > 40)).toBe(true);
        if (recorded.includes("events")) expect(everything.days.every(({ events }) => events > 0)).toBe(true);
        // Every fourth filter, another one for each service, over some dimensions: all of them take minutes.
        const isFirst = from === SPANS[0][1];
        for (const [index, texts] of filters.entries()) {
          const isAsked = isFirst && FILTERS.indexOf(texts) % 4 === schemaNames.indexOf(name) % 4;
          if (!isAsked && !process.env.LONG) continue;
          const some = process.env.LONG
            ? recorded
            : recorded.filter((_, at) => (at % filters.length) >> 1 === index >> 1);
          expect(await ask(table, texts, some)).toEqual(await ask(demo, texts, some));
        }
      },
      120_000,
    );

    it.each(SPANS.slice(0, 1))("conversions on %s from %s to %s", async (domain, from, to) => {
      const [site] = (await demo.sites()).filter((each) => each.domain === domain);
      const table = await open(site?.timezone ?? "");
      const recorded = await table.dimensions?.(site as never);
      const ofEvents = [{ goal: "events=signup|download", by: "utm_sources" }, { goal: "events=*" }];
      const goals = [...CONVERSIONS, ...(recorded?.includes("events") ? ofEvents : [])];
      await expectSameConversions([demo, table], [domain, from, to], { recorded, goals });
    });

    it.each(SHORT_SPANS)("hours of %s from %s to %s", async (domain, from, to) => {
      const site = (await demo.sites()).find((each) => each.domain === domain);
      if (site === undefined) throw new Error(`There is no ${domain}.`);
      const table = await open(site.timezone);
      const found = (await table.sites()).find((each) => each.domain === domain) ?? site;
      const hours = await table.hours?.({ site: found, from, to, now: LOG_NOW });
      // The demo itself has return visits at other times.
      const visits = listVisits(fixtures, { domain }, listDates(from, to), LOG_NOW, true).map(
        ({ date, visit }) => ({
          visitor: `${date} ${visit.visitor}`,
          hits: visit.hits.map(({ at, event }) => {
            const time = startOfDay(date, site.timezone) / 1000 + at;
            return { hour: (time - (time % 3600)) * 1000, isView: event === null };
          }),
        }),
      );
      expect(hours?.length).toBeGreaterThan(47);
      for (const { start, visitors, pageviews, visits: begun } of hours ?? []) {
        const active = visits.filter(({ hits }) => hits.some(({ hour }) => hour === start));
        const views = active
          .flatMap(({ hits }) => hits)
          .filter(({ hour, isView }) => isView && hour === start);
        expect([start, visitors, pageviews, begun]).toEqual([
          start,
          new Set(active.map(({ visitor }) => visitor)).size,
          views.length,
          visits.filter(({ hits }) => hits[0]?.hour === start).length,
        ]);
      }
    });
  });
});
