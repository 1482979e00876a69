import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dimension, dimensions } from "../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../src/operations/filter.ts";
import { schemaNames } from "../../../src/sources/clickhouse/schema-names.ts";
import { schemas } from "../../../src/sources/clickhouse/schemas.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { hasChdb, openHits, startChdb } from "../../support/clickhouse.ts";
import { LOG_NOW } from "../../support/logs.ts";
import { expectSameConversions, listDates, SPANS } from "../../support/same-visits.ts";
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
  ["channels=Organic Search|Direct"],
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
        dimensions.filter((each) => each !== "events" && !service.lacks.includes(each)),
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
        expect(await ask(table, [], recorded)).toEqual(await ask(demo, [], recorded));
        // Each dimension below some filter, and each filter over some dimension: all of them take minutes.
        const isFirst = from === SPANS[0][1];
        for (const [index, texts] of filters.entries()) {
          if (!isFirst && !process.env.LONG) break;
          const some = process.env.LONG
            ? recorded
            : recorded.filter((_, at) => at % filters.length === index || index === 0);
          expect(await ask(table, texts, some)).toEqual(await ask(demo, texts, some));
        }
      },
    );

    it.each(SPANS.slice(0, 1))("conversions on %s from %s to %s", async (domain, from, to) => {
      const [site] = (await demo.sites()).filter((each) => each.domain === domain);
      const table = await open(site?.timezone ?? "");
      const recorded = await table.dimensions?.(site as never);
      await expectSameConversions([demo, table], [domain, from, to], recorded);
    });
  });
});
