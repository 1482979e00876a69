import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conditionOf } from "../../../src/operations/filter.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { exportLines, hasChdb, load, openHits, type SqlServer, startChdb } from "../../support/clickhouse.ts";
import { CLICKHOUSE_SERVER, READER_PASSWORD, startShards } from "../../support/clickhouse-servers.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";
import { pick } from "../../support/seed.ts";
import { runShell } from "../../support/shell.ts";
import { openTableApi } from "../../support/table-api.ts";

/** Texts that end a string, a name or a statement, or begin a parameter, in some version of ClickHouse. */
const INJECTIONS = [
  "'",
  "''",
  "\\",
  "\\'",
  "\\\\'",
  '"',
  "`",
  "\0",
  "\t\n\r",
  "{site:String}",
  "{x:Identifier}",
  "--",
  "/*",
  "*/",
  "#",
  ";",
  "\\N",
  "' OR 1 = 1 --",
  "') OR ('' = '",
  "x'; DROP TABLE hits; --",
  "' UNION ALL SELECT name FROM system.users --",
  "` FINAL; DROP TABLE hits; --",
  "$$ OR 1 = 1 $$",
  "%27 OR 1=1",
  "\u2019 OR 1=1",
];

const DAY = "2026-11-18";
const encode = (text: string) => encodeURIComponent(text);
/** As a browser and curl send it; a server writes it to its log. */
const inPath = (injection: string) => `/page/${encode(injection)}`;

/** Page views of one visitor each, with an injection as path, referrer and campaign. */
const writeLine = (injection: string, index: number) =>
  combined({
    at: `${DAY}T10:00:${String(index).padStart(2, "0")}Z`,
    address: `192.0.2.${index}`,
    target: `${inPath(injection)}?utm_source=${encode(injection)}&utm_campaign=${encode(injection)}&utm_term=${encode(injection)}`,
    referrer: `https://search.example/${encode(injection)}`,
  });

type Server = SqlServer & { readerUrl: string; stop: () => unknown };

/** Some texts are enough for the old server: the tests' proxy in front of it writes values into the SQL. */
const servers: [name: string, isThere: boolean, tried: string[], start: () => Promise<Server>][] = [
  [
    "ClickHouse 26 (chDB)",
    hasChdb,
    INJECTIONS,
    async () => {
      const server = await startChdb(READER_PASSWORD);
      return { ...server, readerUrl: server.url };
    },
  ],
  [
    "two shards (clickhouse-server)",
    CLICKHOUSE_SERVER !== undefined,
    pick(INJECTIONS, 4),
    async () => {
      const { servers: shards, stop } = await startShards();
      return { ...shards[0], stop };
    },
  ],
];

describe.each(servers)("injections in texts from visitors, on %s", (_, isThere, tried, start) => {
  describe.skipIf(!isThere)("", () => {
    let server: Server;
    let table: DataSource;
    let rows: string;
    const flags = { logs: [""], site: ["example.com"] };
    const few = Math.min(tried.length, 8);
    const countRows = () => server.run("SELECT count(), sum(cityHash64(*)) FROM hits");

    beforeAll(async () => {
      server = await start();
      flags.logs = [createLogFolder({ "access.log": joinLines(...tried.map(writeLine)) }).path("access.log")];
      await load(server, await exportLines(flags, LOG_NOW));
      table = await openHits({ url: server.readerUrl, password: READER_PASSWORD }, { now: LOG_NOW });
      rows = await countRows();
    });
    afterAll(async () => {
      await server?.stop();
    });

    it("are values like any other, as in the logs", async () => {
      const logs = openTestLogs(flags).source;
      const [site] = await table.sites();
      if (site === undefined) throw new Error("There is no site.");
      const span = { site, from: DAY, to: DAY, now: LOG_NOW };
      const known = (await table.dimensions?.(site)) ?? [];
      const ask = (source: DataSource) =>
        Promise.all(
          known.map(async (dimension) => [dimension, await source.breakdown(span, dimension, 1000)]),
        );
      const inTable = await ask(table);
      expect(inTable).toMatchObject(await ask(logs));
      const pages = await table.breakdown(span, "pages", 1000);
      expect(pages.totalRows).toBeGreaterThan(tried.length - 5);
      expect(await countRows()).toBe(rows);
    });

    it("are values that a filter finds, and nothing else", async () => {
      const [site] = await table.sites();
      if (site === undefined) throw new Error("There is no site.");
      const span = { site, from: DAY, to: DAY, now: LOG_NOW };
      const [all] = await table.days(span);
      for (const dimension of ["pages", "utm_sources"] as const) {
        const { rows: found } = await table.breakdown(span, dimension, 1000);
        const given = new Set([...tried, ...found.map(({ value }) => value)]);
        for (const [index, value] of [...given].entries()) {
          const hits = found.find((each) => each.value === value)?.hits ?? 0;
          // Both ways have the same parameter, so that one of them is enough for each text and dimension.
          const isNot = (index % 2 === 0) === (dimension === "pages");
          const filter = [{ ...conditionOf(dimension, value), isNot }];
          const [kept] = await table.days({ ...span, filter });
          expect([value, kept?.pageviews]).toEqual([value, isNot ? (all?.pageviews ?? 0) - hits : hits]);
        }
      }
      expect(await countRows()).toBe(rows);
    });

    it("are no site, even if a query names them as one", async () => {
      const now = Date.parse(`${DAY}T10:01:00Z`);
      // The texts are parameters, as in filters, which try all of them.
      for (const [index, injection] of pick(tried, few).entries()) {
        const domains = [injection, `example.com${injection}`];
        for (const [isLonger, domain] of domains.entries()) {
          const site = { id: domain, domain, name: domain, timezone: "UTC", createdAt: 0, dataSince: DAY };
          const span = { site, from: DAY, to: DAY, now: LOG_NOW };
          await expect(table.days(span)).rejects.toMatchObject({ code: "site_not_found" });
          // Each text in both queries, in one form each.
          if (index % 2 === isLonger)
            expect(await table.breakdown(span, "pages", 10)).toEqual({ rows: [], totalRows: 0 });
          else expect(await table.active(site, now)).toBe(0);
        }
      }
      expect(await countRows()).toBe(rows);
    });

    it("are refused by the REST API as the site, the dimension, the limit and the days", async () => {
      const api = await openTableApi({ url: server.readerUrl, password: READER_PASSWORD });
      const ask = async (path: string) => (await api.ask(path)).status;
      expect(await ask("/breakdown?site=example.com&dimension=pages")).toBe(200);
      for (const injection of tried.map(encode)) {
        expect([400, 404]).toContain(await ask(`/stats?site=${injection}`));
        // Some are the path of an address, which is left out: the site is the same.
        const { status, body } = await api.ask(`/stats?site=example.com${injection}`);
        expect(status === 200 ? JSON.parse(body ?? "").site.domain : status).toSatisfy((said) =>
          [400, 404, "example.com"].includes(said),
        );
        expect(await ask(`/breakdown?site=example.com&dimension=pages${injection}`)).toBe(400);
        expect(await ask(`/breakdown?site=example.com&dimension=${injection}`)).toBe(400);
        expect(await ask(`/breakdown?site=example.com&dimension=pages&limit=1${injection}`)).toBe(400);
        expect(await ask(`/stats?site=example.com&from=${DAY}${injection}&to=${DAY}`)).toBe(400);
      }
      expect(api.reports).toEqual([]);
      api.close();
      expect(await countRows()).toBe(rows);
    });

    it("are refused by the command line as a table and as a database", async () => {
      const environment = { ANALYTICS_CLICKHOUSE_PASSWORD: READER_PASSWORD };
      const run = (address: string, ...args: string[]) =>
        runShell(["sites", "--clickhouse", address, ...args], { environment, clock: () => LOG_NOW });
      expect(await run(server.readerUrl)).toMatchObject({ code: 0 });
      for (const injection of tried) {
        for (const name of [
          injection,
          `hits${injection}`,
          `default.hits${injection}`,
          `default${injection}.hits`,
        ]) {
          expect(await run(server.readerUrl, "--table", name)).toMatchObject({ code: 2, stdout: "" });
        }
        // What an address loses when it is read, such as a line's end, is no part of its name.
        const isLost = new URL(`http://localhost/default${injection}`).href === "http://localhost/default";
        const raw = isLost || injection === "#" ? [] : [`default${injection}`];
        for (const path of [encode(injection), `default${encode(injection)}`, ...raw]) {
          const { code, stdout } = await run(`${server.readerUrl}/${path}`);
          expect([path, code, stdout]).toEqual([path, 2, ""]);
        }
      }
      expect(await countRows()).toBe(rows);
    });

    it("are sites like any other, if the table has them", async () => {
      const common = {
        day: DAY,
        time: Date.parse(`${DAY}T10:00:00Z`) / 1000,
        timezone: "UTC",
        definition: 1,
      };
      const hits = tried.flatMap((site) => [
        { ...common, site, kind: "day", visitor: "0", id: "1", pageviews: 1 },
        { ...common, site, kind: "pageview", visitor: "7", id: "2", path: site },
      ]);
      await load(server, hits.map((hit) => JSON.stringify(hit)).join("\n"));
      const reader = { url: server.readerUrl, password: READER_PASSWORD };
      const source = await openHits(reader, { now: LOG_NOW });
      const sites = await source.sites();
      expect(new Set(sites.map(({ domain }) => domain))).toEqual(new Set([...tried, "example.com"]));
      const added = sites.filter(({ domain }) => domain !== "example.com");
      for (const site of pick(added, few)) {
        const span = { site, from: DAY, to: DAY, now: LOG_NOW };
        expect(await source.days(span)).toMatchObject([{ visitors: 1, pageviews: 1, events: 0, visits: 1 }]);
        const { rows: pages } = await source.breakdown(span, "pages", 10);
        expect(pages).toMatchObject([{ value: site.domain, visitors: 1, hits: 1 }]);
      }
    });
  });
});
