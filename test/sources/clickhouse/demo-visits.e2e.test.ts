import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import type { SourceFlags } from "../../../src/sources/source-types.ts";
import { exportLines, hasChdb, load, openHits, startChdb } from "../../support/clickhouse.ts";
import { listRequests, readLoggableFixtures } from "../../support/demo-logs.ts";
import { writtenFormats } from "../../support/log-formats.ts";
import { createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";

const fixtures = readLoggableFixtures();

/** Days of 23, 24 and 25 hours, in timezones on both sides of UTC. */
const SPANS = [
  ["example.com", "2026-11-03", "2026-11-04"],
  ["example.com", "2026-03-29", "2026-03-30"],
  ["example.com", "2026-10-24", "2026-10-26"],
  ["docs.example.com", "2026-10-31", "2026-11-02"],
  ["docs.example.com", "2026-03-07", "2026-03-09"],
  ["shop.example.net", "2026-11-06", "2026-11-09"],
] as const;

const GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const BINGBOT = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";

describe.skipIf(!hasChdb)(
  "the same visits in ClickHouse, in logs and in the demo give the same answers",
  () => {
    let server: Awaited<ReturnType<typeof startChdb>>;
    let demo: DataSource;
    let table: DataSource;
    const logs = new Map<string, DataSource>();
    const flagsOf = new Map<string, SourceFlags>();
    const clock = { now: LOG_NOW };

    beforeAll(async () => {
      [server, demo] = await Promise.all([startChdb(), openDemoSource({ clock: () => LOG_NOW, fixtures })]);
      const written = writtenFormats.Caddy;
      if (written === undefined) throw new Error("Nobody writes Caddy.");
      for (const site of await demo.sites()) {
        const spans = SPANS.filter(([domain]) => domain === site.domain);
        if (spans.length === 0) continue;
        const dates = spans.flatMap(([, from, to]) => listDates(from, to));
        const requests = listRequests(fixtures, site, dates, LOG_NOW);
        const crawled = requests.filter((_, index) => index % 7 === 0);
        const lines = [
          ...requests,
          ...crawled.map((each, index) => ({ ...each, agent: index % 3 === 0 ? BINGBOT : GPTBOT })),
        ];
        const { path } = createLogFolder({ "access.log": joinLines(...lines.map(written.write)) });
        const flags = {
          ...{ logs: [`${site.domain}=${path("access.log")}`], site: undefined, timezone: site.timezone },
          ...written.flags,
        };
        flagsOf.set(site.domain, flags);
        logs.set(site.domain, openTestLogs(flags, clock).source);
        await load(server, await exportLines(flags, LOG_NOW));
      }
      table = await openHits(server, clock);
    });

    afterAll(() => server?.stop());

    it.each(SPANS)("%s from %s to %s", async (domain, from, to) => {
      const sources = { table, demo, logs: logs.get(domain) };
      const ask = async (source: DataSource | undefined, name: string) => {
        const site = (await source?.sites())?.find((each) => each.domain === domain);
        if (source === undefined || site === undefined) throw new Error(`${name} has no ${domain}.`);
        const span = { site, from, to, now: LOG_NOW };
        const recorded = (await table.dimensions?.(site)) ?? [];
        expect(recorded.length).toBeGreaterThan(13);
        const days = await source.days(span);
        const breakdowns = await Promise.all(
          recorded
            .filter((dimension) => dimension !== "events")
            .map(async (dimension) => {
              const { rows, totalRows } = await source.breakdown(span, dimension, 1_000);
              // The demo has names of its own.
              return [dimension, { rows: rows.map(({ label, ...row }) => row), totalRows }];
            }),
        );
        return {
          timezone: site.timezone,
          days: days.map(({ date, visitors, pageviews }) => ({ date, visitors, pageviews })),
          breakdowns: Object.fromEntries(breakdowns),
          ...(name !== "demo" && {
            recorded: await source.dimensions?.(site),
            events: days.map(({ events }) => events),
            crawlers: await source.crawlers?.(span, 1_000),
            top: await source.crawlers?.(span, 1),
            first: await source.breakdown(span, "pages", 3),
            labels: (await source.breakdown(span, "referrers", 100)).rows.map(({ label }) => label),
          }),
        };
      };
      const inTable = await ask(sources.table, "table");
      expect(inTable.days.reduce((sum, { pageviews }) => sum + pageviews, 0)).toBeGreaterThan(100);
      expect(inTable.crawlers?.totalRows).toBe(2);
      expect(inTable).toMatchObject(await ask(sources.demo, "demo"));
      expect(inTable).toEqual(await ask(sources.logs, "logs"));
    });

    it("counts who is on the site at a time", async () => {
      const at = Date.parse("2026-11-04T18:00:00Z");
      const count = async (source: DataSource) => {
        const site = (await source.sites()).find(({ domain }) => domain === "example.com");
        if (site === undefined) throw new Error("There is no example.com.");
        const instants = Array.from({ length: 12 }, (_, index) => at + index * 600_000);
        return Promise.all(instants.map((now) => source.active(site, now)));
      };
      const counts = await count(table);
      expect(Math.max(...counts)).toBeGreaterThan(1);
      // Logs have single page views of days that are not closed yet.
      const open = openTestLogs(flagsOf.get("example.com") ?? {}, { now: at });
      expect(counts).toEqual(await count(open.source));
    });

    it("does not count hits twice that are loaded twice", async () => {
      const site = (await table.sites()).find(({ domain }) => domain === "shop.example.net");
      if (site === undefined) throw new Error("There is no shop.");
      const span = { site, from: "2026-11-06", to: "2026-11-09", now: LOG_NOW };
      const ask = async () => {
        clock.now += 3_600_000;
        return [
          await table.days(span),
          await table.breakdown(span, "entry_pages", 100),
          await table.crawlers?.(span, 10),
          await table.warnings?.(span),
        ];
      };
      const before = await ask();
      const count = async () => Number(await server.run("SELECT count() FROM hits FORMAT TSV"));
      const rows = await count();
      await server.run("INSERT INTO hits SELECT * FROM hits");
      expect(await count()).toBeGreaterThan(rows);
      expect(await ask()).toEqual(before);
    });
  },
);

function listDates(from: string, to: string): string[] {
  return Array.from({ length: 10 }, (_, day) => addDays(from, day)).filter((date) => date <= to);
}
