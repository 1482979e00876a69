import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Dimension, dimensions } from "../../../src/operations/dimensions.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { exportLines, hasChdb, load, openHits, startChdb } from "../../support/clickhouse.ts";
import { listRequests, readLoggableFixtures } from "../../support/demo-logs.ts";
import { writtenFormats } from "../../support/log-formats.ts";
import { createLogFolder, joinLines, LOG_NOW } from "../../support/logs.ts";
import { buildMmdb } from "../../support/mmdb.ts";
import { createRollup, refreshRollup } from "../../support/rollup.ts";
import { pick } from "../../support/seed.ts";

const SITES = [
  ["example.com", "Europe/Berlin"],
  ["docs.example.com", "America/New_York"],
] as const;
/** The days of 23 and of 25 hours in both timezones, and days beside them. */
const SPRING = ["2026-03-07", "2026-03-08", "2026-03-28", "2026-03-29", "2026-03-30"];
const MOVED_DAY = "2026-03-29";
const AUTUMN = ["2026-10-24", "2026-10-25", "2026-10-26", "2026-11-01", "2026-11-02"];
const BOTH_SPAN = ["example.com", "2026-03-29", "2026-10-25"] as const;
const SPRING_SPAN = ["example.com", "2026-03-07", "2026-03-30"] as const;
const AUTUMN_SPAN = ["example.com", "2026-10-24", "2026-11-02"] as const;
/** Those that are summed in ways of their own, and some that are summed like all others. */
const OWN_WAYS: readonly Dimension[] = ["pages", "events"];
const ALIKE = dimensions.filter((dimension) => !OWN_WAYS.includes(dimension));
const SOME = [...OWN_WAYS, ...pick(ALIKE, 6)];
/** More than there are visitors. */
const MARK = 1_000_000;

describe.skipIf(!hasChdb)("the sums of days give the answers of the hits", () => {
  const clock = { now: LOG_NOW };
  /** The lines of each day, by site and date. */
  const exported = new Map<string, string>();
  /** Those of the same hits from another country. */
  const moved = new Map<string, string>();
  let server: Awaited<ReturnType<typeof startChdb>>;
  let withSums: DataSource;
  let withoutSums: DataSource;

  beforeAll(async () => {
    server = await startChdb();
    await createRollup(server);
    // The same hits in a table without sums: a table of another kind has the name of theirs.
    await server.run("CREATE TABLE plain AS hits ENGINE = Merge(currentDatabase(), '^hits$')");
    await server.run("CREATE TABLE plain_daily (day Date, visitors UInt64) ENGINE = Memory");
    for (const [site, timezone] of SITES) {
      for (const [country, days, dates] of [
        ["DE", exported, [...SPRING, ...AUTUMN]] as const,
        ["FR", moved, SPRING] as const,
      ]) {
        for (const line of (await exportSite(site, timezone, country, dates)).split(/(?<=\n)/)) {
          const key = `${site} ${JSON.parse(line).day}`;
          days.set(key, (days.get(key) ?? "") + line);
        }
      }
    }
    await loadDays(SPRING);
    await refreshRollup(server);
    await server.run("CREATE TABLE spring_daily AS hits_daily");
    await server.run("INSERT INTO spring_daily SELECT * FROM hits_daily");
    await server.run("CREATE TABLE spring AS hits");
    await server.run("INSERT INTO spring SELECT * FROM hits");
    withSums = await openHits(server, clock);
    withoutSums = await openHits(server, clock, { table: "plain" });
  });
  afterAll(() => server?.stop());

  beforeEach(async () => {
    await server.run("TRUNCATE TABLE hits");
    await server.run("TRUNCATE TABLE hits_daily");
  });

  const loadDays = (dates: readonly string[], from = exported) =>
    load(server, SITES.flatMap(([site]) => dates.map((date) => from.get(`${site} ${date}`) ?? "")).join(""));
  /** Loads the days of spring, and their sums as they were counted before. */
  const loadSpring = async () => {
    await server.run("INSERT INTO hits SELECT * FROM spring");
    await server.run("INSERT INTO hits_daily SELECT * FROM spring_daily");
  };
  const spanOf = async (source: DataSource, domain: string, from: string, to: string, now = LOG_NOW) => {
    const site = (await source.sites()).find((site) => site.domain === domain);
    if (site === undefined) throw new Error(`There is no ${domain}.`);
    return { site, from, to, now };
  };
  const ask = async (
    source: DataSource,
    [domain, from, to]: readonly [site: string, from: string, to: string],
    { now = LOG_NOW, asked = OWN_WAYS } = {},
  ) => {
    const span = await spanOf(source, domain, from, to, now);
    const list = async (dimension: Dimension) => [dimension, await source.breakdown(span, dimension, 1_000)];
    return {
      days: await source.days(span),
      warnings: await source.warnings?.(span),
      breakdowns: await Promise.all(asked.map(list)),
    };
  };
  /** Moves the clock on, so that no answer is still cached. */
  const forget = () => {
    clock.now += 3_600_000;
  };
  /** What the hits without sums answer, by the hits and the question. */
  const counted = new Map<string, unknown>();
  const expectSame = async (
    span: readonly [site: string, from: string, to: string],
    asked: readonly Dimension[] = OWN_WAYS,
  ) => {
    forget();
    const hits = await server.run("SELECT count(), sum(cityHash64(*)) FROM hits FORMAT TSV");
    const key = JSON.stringify([hits, span, asked]);
    if (!counted.has(key)) counted.set(key, await ask(withoutSums, span, { asked }));
    expect([...span, await ask(withSums, span, { asked })]).toEqual([...span, counted.get(key)]);
  };
  const expectSameOnEachSite = async ([, from, to]: readonly [site: string, from: string, to: string]) => {
    for (const [site] of SITES) await expectSame([site, from, to]);
  };
  /** The days that are answered from their sums: those whose visitors change with them. */
  const listUsed = async (from = "2026-03-01", to = "2026-11-10", now = LOG_NOW) => {
    // Deleting marked rows again would take seconds, because it rewrites every month.
    await server.run("CREATE TABLE marked AS hits_daily");
    await server.run(`INSERT INTO marked SELECT * REPLACE (visitors + ${MARK} AS visitors) FROM hits_daily`);
    await server.run("EXCHANGE TABLES marked AND hits_daily");
    forget();
    const span = await spanOf(withSums, "example.com", from, to, now);
    const days = (await withSums.days(span)).filter(({ visitors }) => visitors >= MARK);
    const { rows } = await withSums.breakdown(span, "hostnames", 1_000);
    const marks = rows.reduce((sum, { visitors }) => sum + Math.floor(visitors / MARK), 0);
    await server.run("EXCHANGE TABLES marked AND hits_daily");
    await server.run("DROP TABLE marked SYNC");
    expect(marks > 0).toBe(days.length > 0);
    return days.map(({ date }) => date);
  };

  it("wholly, partly and not at all", async () => {
    await loadDays(SPRING);
    await expectSame(SPRING_SPAN);
    await refreshRollup(server);
    expect(await listUsed()).toEqual(SPRING);
    await loadDays(AUTUMN);
    expect(await listUsed()).toEqual(SPRING);
    await expectSame(BOTH_SPAN, SOME);
    await expectSameOnEachSite(SPRING_SPAN);
    await expectSame(AUTUMN_SPAN);
    await refreshRollup(server);
    expect(await listUsed()).toEqual([...SPRING, ...AUTUMN]);
    await expectSame(BOTH_SPAN);
    await expectSameOnEachSite(AUTUMN_SPAN);
    const span = await spanOf(withSums, ...SPRING_SPAN);
    expect((await withSums.breakdown(span, "events", 10)).rows[0]?.visitors).toBeGreaterThan(5);
    const first = await withSums.breakdown(span, "pages", 2);
    expect([first.rows.length, first.totalRows > 2]).toEqual([2, true]);
    expect(first).toEqual(await withoutSums.breakdown(span, "pages", 2));
    const crawlers = await withSums.crawlers?.(span, 10);
    expect(crawlers?.totalRequests).toBeGreaterThan(5);
    expect(crawlers).toEqual(await withoutSums.crawlers?.(span, 10));
  });

  it("of the dimensions that there are", async () => {
    await loadSpring();
    const listed = await server.run("SELECT DISTINCT dimension FROM hits_daily FORMAT TSVRaw");
    expect(listed.trim().split("\n").sort()).toEqual(["", ...dimensions].sort().slice(1));
  });

  it("also after the same export is loaded again, without counting again", async () => {
    await loadSpring();
    const count = () => server.run("SELECT count(), sum(cityHash64(*)) FROM hits_daily FORMAT TSV");
    const before = await count();
    await loadDays(SPRING);
    await expectSame(SPRING_SPAN);
    expect(await listUsed()).toEqual(SPRING);
    const [rows] = (await server.run("SELECT count() FROM hits_daily FORMAT TSV")).split("\n");
    await refreshRollup(server);
    expect((await server.run("SELECT count() FROM hits_daily FORMAT TSV")).trim()).toBe(rows);
    expect(await count()).toBe(before);
  });

  it("after a day is loaded with other values of the same hits, and some values no more", async () => {
    await loadSpring();
    await loadDays([MOVED_DAY], moved);
    const others = SPRING.filter((date) => date !== MOVED_DAY);
    expect(await listUsed()).toEqual(others);
    await expectSame(SPRING_SPAN, ["pages", "countries"]);
    await refreshRollup(server);
    expect(await listUsed()).toEqual(SPRING);
    await expectSame(SPRING_SPAN, ["pages", "countries"]);
    const span = await spanOf(withSums, "example.com", MOVED_DAY, MOVED_DAY);
    const { rows } = await withSums.breakdown(span, "countries", 10);
    expect(rows.map(({ value }) => value)).toEqual(["FR"]);
    expect(await withSums.warnings?.(span)).toEqual([]);
  });

  it("after a day is loaded by another server, too", async () => {
    await loadSpring();
    const day = exported.get("example.com 2026-03-29") ?? "";
    const second = day.split(/(?<=\n)/).map((line) => {
      const hit = JSON.parse(line);
      return `${JSON.stringify({ ...hit, id: `${BigInt(hit.id) ^ 1n}`, visitor: `${BigInt(hit.visitor) >> 1n}` })}\n`;
    });
    await load(server, second.join(""));
    expect(await listUsed()).toEqual(SPRING.filter((date) => date !== "2026-03-29"));
    await expectSame(SPRING_SPAN);
    await refreshRollup(server);
    expect(await listUsed()).toEqual(SPRING);
    await expectSame(SPRING_SPAN);
  });

  it("while a day is loaded in part, and after it is completed", async () => {
    const day = exported.get("example.com 2026-03-29") ?? "";
    const lines = day.split(/(?<=\n)/);
    await loadDays(["2026-03-28", "2026-03-30"]);
    await load(server, [...lines.filter((_, index) => index % 2 === 0), lines.at(-1)].join(""));
    await refreshRollup(server);
    expect(await listUsed()).toEqual(["2026-03-28", "2026-03-30"]);
    await expectSame(SPRING_SPAN);
    const span = await spanOf(withSums, "example.com", "2026-03-28", "2026-03-30");
    expect((await withSums.warnings?.(span))?.map(({ code }) => code)).toEqual(["incomplete"]);
    await load(server, day);
    await expectSame(SPRING_SPAN);
    await refreshRollup(server);
    expect(await listUsed()).toEqual(["2026-03-28", "2026-03-29", "2026-03-30"]);
    await expectSame(SPRING_SPAN);
  });

  it("with other sums than those that the view writes, of each kind on another day", async () => {
    await loadSpring();
    const insert = (values: string, condition: string) =>
      `INSERT INTO hits_daily SELECT * REPLACE (${values}) FROM hits_daily WHERE ${condition}`;
    const faults: [name: string, fault: (day: string) => string][] = [
      [
        "values that are missing",
        (day) => `DELETE FROM hits_daily WHERE ${day} AND dimension IN ('pages', 'events') AND value != '/'`,
      ],
      ["totals that are missing", (day) => `DELETE FROM hits_daily WHERE ${day} AND dimension = ''`],
      [
        "totals of fewer page views",
        (day) => insert("run + 1 AS run, hits - 1 AS hits", `${day} AND dimension = ''`),
      ],
      [
        "another export",
        (day) => insert("run + 1 AS run, stamp + 1 AS stamp, visitors + 1 AS visitors", day),
      ],
      [
        "sums that were inserted twice",
        (day) => `INSERT INTO hits_daily SELECT * FROM hits_daily WHERE ${day}`,
      ],
    ];
    expect(faults).toHaveLength(SPRING.length);
    for (const [index, [, fault]] of faults.entries()) await server.run(fault(`day = '${SPRING[index]}'`));
    const ofOther = "SELECT * FROM hits_daily WHERE site = 'example.com'";
    await server.run(
      `INSERT INTO hits_daily SELECT * REPLACE (run + 1 AS run, 'other.example' AS site) FROM (${ofOther})`,
    );
    await expectSame(SPRING_SPAN);
    await refreshRollup(server);
    await expectSame(SPRING_SPAN);
  });

  it("of a day that is not over at the time of the question", async () => {
    await loadSpring();
    const now = Date.parse("2026-03-29T11:00:00Z");
    expect(await listUsed("2026-03-28", "2026-03-29", now)).toEqual(["2026-03-28"]);
    forget();
    const given = ["example.com", "2026-03-28", "2026-03-29"] as const;
    const answer = await ask(withSums, given, { now });
    expect(answer).toEqual(await ask(withoutSums, given, { now }));
    const [, whole] = (await ask(withSums, given)).days;
    expect(answer.days[1]?.pageviews).toBeLessThan(whole?.pageviews ?? 0);
  });

  it("for a year, of which every second day has sums", async () => {
    const loadYear = (condition: string) =>
      server.run(`INSERT INTO hits (kind, site, day, visitor, time, id, path, pageviews, definition, timezone)
        SELECT if(hit = 0, 'day', 'pageview'), 'example.com', toDate('2025-11-15') + n AS date, if(hit = 0, 0, n * 7 + hit % 7),
          toDateTime(date, 'UTC') + hit, n * 100 + hit, concat('/', toString(hit * n % 11)), if(hit = 0, 20, 0), 1, 'UTC'
        FROM (SELECT number AS n, arrayJoin(range(21)) AS hit FROM numbers(365)) WHERE ${condition}`);
    await loadYear("n % 2 = 0");
    await refreshRollup(server);
    await loadYear("n % 2 = 1");
    const [from, to] = ["2025-11-15", "2026-11-14"];
    expect(await listUsed(from, to)).toHaveLength(183);
    await expectSame(["example.com", from, to]);
    await refreshRollup(server);
    expect(await listUsed(from, to)).toHaveLength(365);
    await expectSame(["example.com", from, to]);
  });

  it("as they were exported, when only hits are deleted; a day without its row is missing", async () => {
    await loadSpring();
    const given = ["example.com", "2026-03-28", "2026-03-30"] as const;
    forget();
    const before = await ask(withSums, given);
    const remove = (condition: string) =>
      server.run(`ALTER TABLE hits DELETE WHERE ${condition} SETTINGS mutations_sync = 2`);
    await remove("kind = 'pageview' AND day = '2026-03-29' AND visitor % 2 = 0");
    forget();
    expect(await ask(withSums, given)).toEqual(before);
    await server.run("DELETE FROM hits_daily WHERE day = '2026-03-29'");
    await refreshRollup(server);
    await expectSame(SPRING_SPAN);
    await remove("day = '2026-03-30'");
    await expectSame(SPRING_SPAN);
    await server.run("ALTER TABLE hits DROP PARTITION '202603'");
    await loadDays(AUTUMN);
    await expectSame(["example.com", "2026-03-28", "2026-10-25"]);
  });
});

/** A site's visits on some days, some of which download a file. */
function exportSite(domain: string, timezone: string, country: string, dates: readonly string[]) {
  const fixtures = readLoggableFixtures({ mostVisitors: 50 });
  const written = writtenFormats.Caddy;
  if (written === undefined) throw new Error("There is no format Caddy.");
  // Private addresses have no country.
  const requests = listRequests(fixtures, { domain }, dates, LOG_NOW).map((request) => ({
    ...request,
    address: request.address.replace("10.", "11."),
  }));
  const downloads = requests.filter((_, index) => index % 5 === 0);
  const bot = { agent: "GPTBot/1.2 (+https://openai.com/gptbot)" };
  const lines = [
    ...requests,
    ...downloads.map((request) => ({ ...request, time: request.time + 1, target: "/guide.pdf" })),
    ...downloads.map((request) => ({ ...request, ...bot })),
  ].sort((a, b) => a.time - b.time);
  const { path } = createLogFolder({
    "access.log": joinLines(...lines.map(written.write)),
    "places.mmdb": buildMmdb({ "11.0.0.0/8": { country: { iso_code: country } } }),
  });
  const flags = { logs: [`${domain}=${path("access.log")}`], timezone, geoip: path("places.mmdb") };
  return exportLines({ ...flags, ...written.flags }, LOG_NOW);
}
