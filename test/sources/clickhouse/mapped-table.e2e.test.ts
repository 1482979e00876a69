import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import type { SourceFlags } from "../../../src/sources/source-types.ts";
import { exportLines, hasChdb, load, openHits, startChdb } from "../../support/clickhouse.ts";
import { listRequests, readLoggableFixtures } from "../../support/demo-logs.ts";
import { writtenFormats } from "../../support/log-formats.ts";
import {
  CHROME,
  combined,
  createLogFolder,
  FIREFOX,
  joinLines,
  LOG_NOW,
  openTestLogs,
} from "../../support/logs.ts";
import { runShell } from "../../support/shell.ts";
import { openTableApi } from "../../support/table-api.ts";

const site = "example.com";
const [from, to] = ["2026-10-23", "2026-10-27"];

describe.skipIf(!hasChdb)("a table with columns of its own", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  beforeAll(async () => {
    server = await startChdb();
  });
  afterAll(() => server?.stop());

  const open = (flags: SourceFlags) => openHits(server, { now: LOG_NOW }, { site, ...flags });
  const spanOf = async (source: DataSource, first: string, last: string) => {
    const [found] = await source.sites();
    if (found === undefined) throw new Error("There is no site.");
    return { site: found, from: first, to: last, now: LOG_NOW };
  };

  it("gives the same answers as logs with the same page views; visits are found in SQL", async () => {
    const fixtures = readLoggableFixtures();
    const demo = await openDemoSource({ clock: () => LOG_NOW, fixtures });
    const demoSite = (await demo.sites()).find(({ domain }) => domain === site);
    const written = writtenFormats.Caddy;
    if (demoSite === undefined || written === undefined)
      throw new Error("The fixtures lack example.com, or the format.");
    const dates = Array.from({ length: 5 }, (_, day) => addDays(from, day));
    const lines = listRequests(fixtures, demoSite, dates, LOG_NOW).map(written.write);
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const { timezone } = demoSite;
    const flags = { logs: [`${site}=${path("access.log")}`], site: undefined, timezone, ...written.flags };
    await load(server, await exportLines(flags, LOG_NOW));
    await server.run(`CREATE TABLE views ENGINE = MergeTree ORDER BY ts AS
      SELECT toDateTime64(time, 3) AS ts, visitor AS person, sequence AS n, concat(path, '?x=1#y') AS url,
        toNullable(referrer) AS ref, toString(channel) AS ch, browser AS br, 'view' AS type,
        concat('www.', site) AS host
      FROM hits FINAL WHERE kind = 'pageview'`);
    await server.run("INSERT INTO views SELECT * REPLACE ('click' AS type) FROM views WHERE n = 0");
    const table = await open({
      table: "views",
      timezone,
      where: ["type=view", "url!=nothing"],
      map: [
        "time=ts",
        "visitor=person,person",
        "sequence=n",
        "path=url",
        "referrer=ref",
        "channel=ch",
        "browser=br",
        "site=host",
      ],
    });
    const logs = openTestLogs(flags).source;
    const dimensions: Dimension[] = [
      "pages",
      "entry_pages",
      "exit_pages",
      "referrers",
      "channels",
      "browsers",
    ];
    const ask = async (source: DataSource) => {
      const span = await spanOf(source, from, to);
      const days = await source.days(span);
      return {
        days: days.map(({ events, ...day }) => day),
        rows: await Promise.all(dimensions.map((dimension) => source.breakdown(span, dimension, 500))),
      };
    };
    const answers = await ask(table);
    expect(answers.days.every(({ visitors }) => visitors > 20)).toBe(true);
    expect(answers).toMatchObject(await ask(logs));
    expect(await table.dimensions?.((await spanOf(table, from, to)).site)).toEqual(dimensions);
    expect(table.crawlers).toBeUndefined();
    expect(await table.warnings?.(await spanOf(table, from, to))).toEqual([]);
    expect(await table.warnings?.(await spanOf(table, from, addDays(to, 1)))).toMatchObject([
      { code: "stale" },
    ]);
  });

  it("finds bots and files by agent, method, status and path, as logs do", async () => {
    const at = Date.parse("2026-11-18T10:00:00Z");
    const agents = [
      FIREFOX,
      CHROME,
      "curl/8.5.0",
      "Mozilla/5.0 (compatible; GPTBot/1.2)",
      "-",
      "LAVA KKT9s MAUI WAP Browser",
      "Mozilla/4.0 (compatible; MSIE 8.0; chromeframe/32.0)",
    ];
    const targets = ["/", "/a/style.css", "/blog?utm_source=x", "/feed/", "/report.pdf", "/wp-admin/x", "/b"];
    const requests = Array.from({ length: 200 }, (_, n) => ({
      at: at + n * 1_000,
      address: `192.0.2.${n % 9}`,
      agent: agents[Math.floor(n / 7) % agents.length] ?? "",
      target: targets[n % 7] ?? "",
      method: n % 11 === 0 ? "POST" : "GET",
      status: n % 13 === 0 ? 404 : 200,
    }));
    const { path } = createLogFolder({ "access.log": joinLines(...requests.map(combined)) });
    const logs = openTestLogs({ logs: [path("access.log")], timezone: "UTC" });
    await server.run(`CREATE TABLE raw (ts DateTime('UTC'), ip String, ua String, uri String, verb String, code UInt16)
      ENGINE = MergeTree ORDER BY ts`);
    const rows = requests.map(({ at: ts, address: ip, agent, target: uri, method: verb, status: code }) =>
      JSON.stringify({ ts: ts / 1000, ip, ua: agent === "-" ? "" : agent, uri, verb, code }),
    );
    await server.run("INSERT INTO raw FORMAT JSONEachRow", rows.join("\n"));
    const table = await open({
      table: "raw",
      timezone: "UTC",
      map: ["time=ts", "visitor=ip,ua", "path=uri", "method=verb", "status=code", "agent=ua"],
    });
    const ask = async (source: DataSource) => {
      const span = await spanOf(source, "2026-11-18", "2026-11-18");
      const [day] = await source.days(span);
      const pages = await source.breakdown(span, "pages", 10);
      return [day?.visitors, day?.pageviews, pages];
    };
    const answer = await ask(table);
    expect(answer[1]).toBeGreaterThan(20);
    expect(answer).toEqual(await ask(logs.source));
  });

  it.each([
    [{ map: ["time=ts", "path=url"] }, "--map lacks visitor."],
    [{ map: ["time=ts", "visitor=a", "path=url"] }, "does not say which rows are page views of people"],
    [{ map: ["time=ts", "visitor=a"], where: ["a=1"] }, "--map lacks path."],
    [{ map: ["tyme=ts"] }, '--map does not know "tyme".'],
    [{ map: ["time=ts) OR (1=1"] }, "takes names of columns"],
    [{ map: ["time=`ts`"] }, "takes names of columns"],
    [{ map: ["time=a,b", "visitor=a", "path=b"], where: ["a=1"] }, "time is one column"],
    [{ where: ["1=1 OR a=b"] }, "takes names of columns"],
    [{ where: ["type"] }, "must be column=value"],
    [{ table: "hits; DROP TABLE hits" }, "The name of a table"],
    [{ table: "hits`" }, "The name of a table"],
  ])("refuses %j", async (flags, message) => {
    await expect(open(flags)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining(message),
    });
  });

  it("compares the value of a condition as text, whatever it contains", async () => {
    await server.run("CREATE VIEW all_hits AS SELECT * FROM hits FINAL");
    const source = await open({
      table: "all_hits",
      map: ["time=time", "visitor=visitor", "path=path"],
      where: ["path='; DROP TABLE hits --", "path!={x:String}\\"],
    });
    const days = await source.days(await spanOf(source, from, to));
    expect(days.every(({ visitors }) => visitors === 0)).toBe(true);
    expect(Number(await server.run("SELECT count() FROM hits FORMAT TSV"))).toBeGreaterThan(100);
  });

  const minimal = {
    table: "minimal",
    timezone: "UTC",
    map: ["time=ts", "visitor=who", "path=page"],
    where: ["kind=view"],
  };
  const createMinimal = async (name: string, rows: number) => {
    const columns = "ts DateTime('UTC'), who String, page String, kind String, host String";
    await server.run(`CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY ts`);
    await server.run(
      `INSERT INTO ${name} SELECT toDateTime('2026-11-18 10:00:00', 'UTC'), 'x', '/', 'view', 'www.Example.com:443' FROM numbers(${rows})`,
    );
  };

  it("may be about a site that is named twice", async () => {
    await createMinimal("minimal", 3);
    for (const named of [
      [site, site],
      [site, `www.${site}`, `https://${site}/`],
    ]) {
      const source = await open({ ...minimal, site: named });
      expect((await source.sites()).map(({ domain }) => domain)).toEqual([site]);
    }
    await expect(open({ ...minimal, site: [site, "other.example"] })).rejects.toMatchObject({
      code: "usage",
    });
    const both = await open({
      ...minimal,
      map: [...minimal.map, "site=host"],
      site: [site, "other.example", site],
    });
    expect((await both.sites()).map(({ domain }) => domain)).toEqual([site]);
  });

  it("has no crawlers, which people and callers of the REST API are told", async () => {
    const words = [...minimal.map.flatMap((pair) => ["--map", pair]), "--where", "kind=view"];
    for (const period of [[], ["--period", "2026-11-18"]]) {
      const source = ["--clickhouse", server.url, "--table", "minimal", "--timezone", "UTC", ...words];
      const asked = await runShell(["crawlers", site, ...period, ...source], {
        environment: { ANALYTICS_CLICKHOUSE_PASSWORD: server.password },
        clock: () => LOG_NOW,
      });
      expect([asked.code, asked.stderr]).toEqual([
        2,
        expect.stringContaining("This source (ClickHouse) does not record crawlers."),
      ]);
    }
    const { ask, reports, close } = await openTableApi(server, { ...minimal, site: [site] });
    const { status, body } = await ask(`/crawlers?site=${site}`);
    expect([status, JSON.parse(body ?? "").code, reports]).toEqual([404, "not_found", []]);
    close();
  });

  it("is said to be empty, if it is", async () => {
    await createMinimal("nothing", 0);
    const mapped = { ...minimal, table: "nothing" };
    const withHosts = { ...minimal, map: [...minimal.map, "site=host"], site: ["other.example"] };
    await server.run("CREATE TABLE hits_to_come AS hits");
    for (const [flags, message] of [
      [mapped, "The table nothing is empty."],
      [withHosts, "The table minimal has no rows whose host is other.example."],
      [
        { table: "hits_to_come", site: undefined },
        "The table hits_to_come is empty: no day has been loaded.",
      ],
    ] as const) {
      const source = await open(flags);
      await expect(source.sites()).rejects.toMatchObject({ code: "usage", message });
    }
  });

  it("is empty for callers of the REST API without an error: its data may be to come", async () => {
    const { ask, reports, close } = await openTableApi(server, { table: "hits_to_come" });
    const { status, body } = await ask("/sites");
    expect([status, JSON.parse(body ?? "").sites]).toEqual([200, []]);
    expect((await ask(`/stats?site=${site}`)).status).toBe(404);
    expect(reports).toEqual([]);
    close();
  });
});
