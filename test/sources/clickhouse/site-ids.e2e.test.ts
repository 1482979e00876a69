import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SourceFlags } from "../../../src/sources/source-types.ts";
import { hasChdb, openHits, startChdb } from "../../support/clickhouse.ts";
import { createLogFolder, LOG_NOW } from "../../support/logs.ts";
import { createHome } from "../../support/profiles.ts";
import { serviceTables } from "../../support/service-tables.ts";
import { runShell } from "../../support/shell.ts";

const DAY = "2026-11-18";

describe.skipIf(!hasChdb)("tables whose sites have ids", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  beforeAll(async () => {
    server = await startChdb();
    for (const name of ["plausible", "posthog"])
      for (const sql of serviceTables[name]?.ddl ?? []) await server.run(sql);
    /** Visitors of a site on a host, each with one page view. */
    const add = (site: number, host: string, visitors: number, name = "pageview") =>
      server.run(`INSERT INTO events_v2 (timestamp, name, site_id, user_id, hostname, pathname)
        SELECT toDateTime('${DAY} 10:00:00', 'UTC') + number, '${name}', ${site}, cityHash64('${host}', number), '${host}', '/' FROM numbers(${visitors})`);
    await add(3, "www.shop.example", 3);
    await add(3, "translate.example", 2);
    await add(3, "app.example", 9, "engagement");
    await add(4, "www.blog.example", 5);
    await add(5, "", 7);
  });
  afterAll(() => server?.stop());

  const open = (flags: SourceFlags) =>
    openHits(server, { now: LOG_NOW }, { schema: "plausible", timezone: "UTC", ...flags });
  const count = async (flags: SourceFlags) => {
    const source = await open(flags);
    const sites = await source.sites();
    return Promise.all(
      sites.map(async (site) => {
        const [day] = await source.days({ site, from: DAY, to: DAY, now: LOG_NOW });
        return [site.domain, site.key, day?.visitors];
      }),
    );
  };
  const shell = (home: object, ...argv: string[]) =>
    runShell(argv, {
      environment: { ...home, ANALYTICS_CLICKHOUSE_PASSWORD: server.password },
      clock: () => LOG_NOW,
    });

  it("go by the host that most of their page views have, without one by their ids", async () => {
    expect(await count({})).toEqual([
      ["5", "5", 7],
      ["blog.example", "4", 5],
      ["shop.example", "3", 5],
    ]);
    expect(await count({ site: ["blog.example"] })).toEqual([["blog.example", "4", 5]]);
  });

  it("take other names from --site", async () => {
    expect(await count({ site: ["a.example=5", "www.B.example=3"] })).toEqual([
      ["a.example", "5", 7],
      ["b.example", "3", 5],
    ]);
    expect(await count({ site: ["a.example=5", "blog.example"] })).toEqual([
      ["a.example", "5", 7],
      ["blog.example", "4", 5],
    ]);
    await expect((await open({ site: ["a.example=6"] })).sites()).rejects.toMatchObject({
      code: "usage",
      message: "The table events_v2 has no rows of a.example.",
      hint: "Check --site: example.com=7 names the site whose site_id is 7.",
    });
    await expect(open({ site: ["a.example=x' OR 1"] })).rejects.toMatchObject({
      code: "usage",
      message: '--site takes an id of the table, and "x\' OR 1" is not one.',
    });
    await expect(openHits(server, { now: LOG_NOW }, { site: ["a.example=5"] })).rejects.toMatchObject({
      code: "usage",
      message: "--site can only name ids of a table that has ids.",
    });
  });

  it("must have different names", async () => {
    const flags = { where: ["pathname=/"], map: ["hostname=name"] };
    await expect((await open(flags)).sites()).rejects.toMatchObject({
      code: "usage",
      message: '"pageview" is the host of several sites: 3, 4, 5.',
      hint: "Name those that you mean: --site pageview=3 --site other.example=4",
    });
    expect(await count({ ...flags, site: ["a.example=3"] })).toEqual([["a.example", "3", 5]]);
  });

  it("keep the names that login saved, whichever site is asked for", async () => {
    const home = createHome();
    const source = ["--clickhouse", server.url, "--schema", "plausible", "--timezone", "UTC"];
    const names = ["--site", "a.example=5", "--site", "b.example=3"];
    const login = await shell(home, "login", ...source, ...names);
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining("a.example")]);
    for (const word of ["b.example", "www.b.example"]) {
      const { code, stdout } = await shell(home, "stats", "--json", "--site", word, "--period", DAY);
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { site: { domain: "b.example" }, visitors: 5 }]);
    }
    const direct = await shell(home, "stats", ...source, "--json", "--site", "c.example=4", "--period", DAY);
    expect([direct.code, JSON.parse(direct.stdout)]).toMatchObject([0, { site: { domain: "c.example" } }]);
    const { path } = createLogFolder({ password: server.password });
    const password = ["--clickhouse-password-file", path("password")];
    const config = await shell(home, "config", "cursor", ...source, ...password, ...names);
    expect(config.stdout).toMatch(/"--schema",\s*"plausible"[^\]]*"--site",\s*"a\.example=5",\s*"--site"/);
  });

  it("may lack a column of the schema, if --map leaves it out", async () => {
    await server.run("CREATE VIEW old_events AS SELECT * FROM events_v2");
    const old = { table: "old_events" };
    await expect((await open(old)).sites()).rejects.toMatchObject({
      message: expect.stringMatching(/^--map channel=acquisition_channel: the table has no column/),
      hint: expect.stringContaining("--map channel="),
    });
    expect((await count({ ...old, map: ["channel="] })).length).toBe(3);
  });

  describe("are refused", () => {
    const refuse = async (flags: SourceFlags) =>
      (await open(flags)).sites().then(
        () => "nothing",
        ({ message, hint }) => `${message} ${hint}`,
      );

    it("if their rows are sums or corrections of others", async () => {
      const { code, stderr } = await shell(
        {},
        ...["sites", "--clickhouse", server.url, "--schema", "plausible", "--table", "sessions_v2"],
      );
      expect(code).toBe(2);
      expect(stderr).toContain("The table sessions_v2 has the engine VersionedCollapsingMergeTree");
      expect(stderr).toContain("events_v2");
      await server.run("CREATE VIEW signs AS SELECT *, toInt8(1) AS sign FROM events_v2");
      expect(await refuse({ table: "signs", map: ["channel="] })).toContain("a column sign (Int8)");
      for (const [engine, column] of [
        ["SummingMergeTree", "n UInt64"],
        ["AggregatingMergeTree", "n SimpleAggregateFunction(sum, UInt64)"],
      ]) {
        await server.run(
          `CREATE TABLE ${engine} (site_id UInt64, timestamp DateTime, ${column}) ENGINE = ${engine} ORDER BY (site_id, timestamp)`,
        );
        expect(await refuse({ table: engine })).toContain(`has the engine ${engine}`);
      }
    });

    it("if a row that was written twice would count twice", async () => {
      await server.run(`CREATE TABLE replaced ENGINE = ReplacingMergeTree ORDER BY (site_id, user_id) AS
        SELECT *, acquisition_channel FROM events_v2 WHERE name = 'pageview'`);
      await server.run("INSERT INTO replaced SELECT * FROM replaced");
      expect(await refuse({ table: "replaced" })).toMatch(
        /^The table replaced has the engine ReplacingMergeTree: .*CREATE VIEW replaced_final AS SELECT \* FROM replaced FINAL$/,
      );
      await server.run("CREATE VIEW replaced_final AS SELECT * FROM replaced FINAL");
      expect(await count({ table: "replaced_final" })).toEqual(await count({}));
    });

    it("if the view that a schema needs is not there yet", async () => {
      const message = await refuse({ schema: "posthog" });
      expect(message).toContain("ClickHouse has no such table");
      expect(message).toContain("analytics-mcp schema posthog");
      const { stdout } = await shell({}, "schema", "posthog");
      await server.run(stdout);
      expect(await refuse({ schema: "posthog" })).toContain("The table posthog_views is empty.");
    });
  });
});
