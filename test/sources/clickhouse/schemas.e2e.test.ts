import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dimension, dimensions } from "../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../src/operations/filter.ts";
import { startOfDay } from "../../../src/sources/calendar.ts";
import { schemaNames } from "../../../src/sources/clickhouse/schema-names.ts";
import { schemas } from "../../../src/sources/clickhouse/schemas.ts";
import type { DataSource, VisitTotals } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { CONTRACT_RULE } from "../../../src/sources/measure/definition.ts";
import { hasChdb, openHits, startChdb } from "../../support/clickhouse.ts";
import { listVisits } from "../../support/demo-logs.ts";
import { LOG_NOW } from "../../support/logs.ts";
import { CONVERSIONS, expectSameConversions, listDates, SPANS } from "../../support/same-visits.ts";
import { IS_LONG, pick } from "../../support/seed.ts";
import { readServiceFixtures, serviceTables, writeRows } from "../../support/service-tables.ts";
import { OWN_SITE, OWN_VISITS, ownQueries, writePlausibleSessions } from "../../support/service-visits.ts";

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

/** One service: conversions are counted with filters, which all of them are asked for. */
const ASKED_FOR_CONVERSIONS = pick(schemaNames, 1);

/** Where the numbers of visits are the contract's, as those of the demo are. */
const hasContractVisits = (name: (typeof schemaNames)[number]) =>
  (schemas[name].events?.rule ?? CONTRACT_RULE) === CONTRACT_RULE;

describe.skipIf(!hasChdb)("the tables of other services, filled with the demo's visits", () => {
  // One server, with a database for each service.
  let server: Awaited<ReturnType<typeof startChdb>>;
  beforeAll(async () => {
    server = await startChdb();
  });
  afterAll(() => server?.stop());

  describe.each(schemaNames)("%s", (name) => {
    const service = serviceTables[name];
    if (service === undefined) throw new Error(`Nobody writes ${name}.`);
    const fixtures = readServiceFixtures(service);
    const recorded = dimensions.filter((each) => !service.lacks.includes(each));
    // The first site, and one of the others in turn.
    const turn = 1 + (schemaNames.indexOf(name) % 2);
    const spans = IS_LONG ? SPANS : SHORT_SPANS.filter((_, index) => index === 0 || index === turn);
    let demo: DataSource;

    beforeAll(async () => {
      demo = await openDemoSource({ clock: () => LOG_NOW, fixtures });
      await server.run(`CREATE DATABASE ${name}`);
      for (const sql of service.ddl) await server.run(sql.replace("CREATE TABLE ", `CREATE TABLE ${name}.`));
      const fill = (table: string, rows: readonly object[]) =>
        server.run(
          `INSERT INTO ${name}.${table} FORMAT JSONEachRow`,
          rows.map((row) => JSON.stringify(row)).join("\n"),
        );
      const sites = await demo.sites();
      const written = sites.flatMap(({ domain, timezone }, index) => {
        const dates = spans
          .filter(([site]) => site === domain)
          .flatMap(([, from, to]) => listDates(from, to));
        return writeRows(service, fixtures, { site: index + 1, domain, timezone }, dates);
      });
      await fill(service.table, written);
      // What is written again counts once.
      if (name === "posthog") await fill(service.table, written);
      await fill(service.table, OWN_VISITS.flat().map(service.write));
      if (name === "plausible") await fill("sessions_v2", writePlausibleSessions(OWN_VISITS));
      const { view = "" } = schemas[name];
      if (view !== "")
        await server.run(view.replace(/(?<=CREATE VIEW |FROM )(?=\w+( AS| FINAL|$))/gm, `${name}.`));
    });

    const opened = new Map<string, Promise<DataSource>>();
    const open = (timezone: string) => {
      const table =
        opened.get(timezone) ??
        openHits(
          server,
          { now: LOG_NOW },
          { schema: name, table: `${name}.${schemas[name].table}`, timezone },
        );
      opened.set(timezone, table);
      return table;
    };

    it("has all sites, by their hosts", async () => {
      const table = await open("UTC");
      const found = await table.sites();
      const domains = [...new Set([...spans.map(([domain]) => domain), OWN_SITE.domain])];
      expect(found.map(({ domain }) => domain)).toEqual(domains.toSorted());
      expect(found.map(({ key }) => key)).toContain(service.idOf(OWN_SITE.number));
      expect(await table.dimensions?.(found[0] as never)).toEqual(recorded);
    });

    it("has the numbers of the service's own queries", async () => {
      const { data } = JSON.parse(await server.run(`${ownQueries[name]} FORMAT JSON`));
      const own = Object.entries(data[0]).map(([column, value]) => [column, Number(value)]);
      const table = await open("UTC");
      const site = await findSite(table, OWN_SITE.domain);
      const [day] = await table.days({ site, from: OWN_SITE.day, to: OWN_SITE.day, now: LOG_NOW });
      expect(day).toEqual({ date: OWN_SITE.day, ...Object.fromEntries(own) });
    });

    type SomeSpan = readonly [domain: string, from: string, to: string];
    const known = <T extends object>(row: T): Partial<T & VisitTotals> =>
      hasContractVisits(name) ? row : { ...row, bounces: undefined, visitSeconds: undefined };
    /** The answers of the demo and of the table. */
    const askBoth = async (span: SomeSpan, texts: readonly string[], asked: readonly Dimension[]) => {
      const [domain, from, to] = span;
      const ask = async (source: DataSource) => {
        const site = await findSite(source, domain);
        const question = { site, from, to, now: LOG_NOW, filter: parseFilter(texts) };
        const breakdowns: unknown[] = [];
        for (const dimension of asked) {
          const { rows, totalRows } = await source.breakdown(question, dimension, 1_000);
          breakdowns.push([dimension, totalRows, rows.map(({ label, ...row }) => known(row))]);
        }
        return { span, texts, days: (await source.days(question)).map(known), breakdowns };
      };
      const { timezone } = await findSite(demo, domain);
      return [await ask(demo), await ask(await open(timezone))] as const;
    };

    it.each(spans)("%s from %s to %s is as in the demo", async (...span) => {
      // All dimensions of the first span, and some of those in other timezones.
      const asked = span[1] === SPANS[0][1] ? recorded : pick(recorded, 2);
      const [inDemo, inTable] = await askBoth(span, [], asked);
      expect(inTable).toEqual(inDemo);
      expect(inTable.days.every(({ visits = 0 }) => visits > 40)).toBe(true);
      if (recorded.includes("events")) expect(inTable.days.every(({ events = 0 }) => events > 0)).toBe(true);
    });

    // Every fourth filter, another one for each service, over some dimensions: all of them take minutes.
    it.each(IS_LONG ? SPANS : SPANS.slice(0, 1))(
      "filters of %s from %s to %s",

      async (...span) => {
        const isRecorded = (text: string) =>
          parseFilter([text]).every(({ dimension }) => recorded.includes(dimension));
        const filters = FILTERS.filter((texts) => texts.every(isRecorded));
        expect(filters.length).toBeGreaterThan(10);
        for (const [index, texts] of filters.entries()) {
          if (!IS_LONG && FILTERS.indexOf(texts) % 4 !== schemaNames.indexOf(name) % 4) continue;
          const some = recorded.filter((_, at) => at % filters.length === index);
          const [inDemo, inTable] = await askBoth(span, texts, IS_LONG ? recorded : some);
          expect(inTable).toEqual(inDemo);
        }
      },
    );

    const spansOfConversions = ASKED_FOR_CONVERSIONS.includes(name) ? SPANS.slice(0, 1) : [];
    it.each(spansOfConversions)("conversions on %s from %s to %s", async (domain, from, to) => {
      const table = await open((await findSite(demo, domain)).timezone);
      const ofEvents = [{ goal: "events=signup|download", by: "utm_sources" }, { goal: "events=*" }];
      const goals = [...CONVERSIONS, ...(recorded.includes("events") ? ofEvents : [])];
      await expectSameConversions([demo, table], [domain, from, to], { recorded, goals });
    });

    // In the other timezone.
    it.each(IS_LONG ? spans : spans.slice(1))("hours of %s from %s to %s", async (domain, from, to) => {
      const { timezone } = await findSite(demo, domain);
      const table = await open(timezone);
      const hours = await table.hours?.({ site: await findSite(table, domain), from, to, now: LOG_NOW });
      // The demo itself has return visits at other times.
      const visits = listVisits(fixtures, { domain }, listDates(from, to), LOG_NOW, true).map(
        ({ date, visit }) => ({
          visitor: `${date} ${visit.visitor}`,
          hits: visit.hits.map(({ at, event }) => {
            const time = startOfDay(date, timezone) / 1000 + at;
            return { hour: (time - (time % 3600)) * 1000, isView: event === null };
          }),
        }),
      );
      // One of the days may have 23 hours.
      expect(hours?.length).toBeGreaterThan(46);
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

async function findSite(source: DataSource, domain: string) {
  const site = (await source.sites()).find((each) => each.domain === domain);
  if (site === undefined) throw new Error(`There is no ${domain}.`);
  return site;
}
