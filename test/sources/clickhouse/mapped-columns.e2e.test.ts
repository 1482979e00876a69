import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseFilter } from "../../../src/operations/filter.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import type { SourceFlags } from "../../../src/sources/source-types.ts";
import { hasChdb, openHits, startChdb } from "../../support/clickhouse.ts";
import { LOG_NOW } from "../../support/logs.ts";

const DAY = "2026-11-18";
/** Rows, of which every fourth is a bot's, and every fifth has no time. */
const ROWS = 100;

describe.skipIf(!hasChdb)("the columns of a table that is mapped", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  beforeAll(async () => {
    server = await startChdb();
    await server.run(`CREATE TABLE requests ENGINE = MergeTree ORDER BY number AS SELECT
      number,
      toDateTime('${DAY} 10:00:00', 'UTC') + number AS ts,
      toDateTime64(ts, 3, 'UTC') AS ts64,
      if(number % 5 = 0, NULL, ts) AS ts_null,
      toString(ts) AS ts_text,
      toDate(ts) AS ts_date,
      toUInt64(toUnixTimestamp(ts)) * 1000 AS ts_ms,
      toUInt32(ts) AS ts_s,
      concat('visitor-', toString(number % 10)) AS who,
      toIPv6(toIPv4(number % 10)) AS address,
      concat('/page/', toString(number % 3)) AS path,
      toUInt8(number % 4 = 0) AS bot_number,
      CAST(number % 4 = 0, 'Bool') AS bot_bool,
      CAST(number % 4 = 0, 'Nullable(Bool)') AS bot_bool_null,
      if(number % 4 = 0, NULL, true) AS person_null,
      toDecimal32(number % 4 = 0, 2) AS bot_decimal,
      toFloat64(number % 4 = 0) / 2 AS bot_float,
      CAST(if(number % 4 = 0, 'bot', 'person'), 'Enum8(\\'bot\\' = 1, \\'person\\' = 2)') AS sort,
      toLowCardinality(toNullable(if(number % 4 = 0, 'bot', 'person'))) AS sort_text,
      toUUID(if(number % 4 = 0, '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002')) AS key,
      map('path', path) AS props,
      [path] AS list,
      tuple(path) AS pair
      FROM numbers(${ROWS})`);
  });
  afterAll(() => server?.stop());

  const open = (flags: SourceFlags) =>
    openHits(server, { now: LOG_NOW }, { site: "example.com", table: "requests", timezone: "UTC", ...flags });
  const map = (changes: Record<string, string> = {}) =>
    Object.entries({ time: "ts", visitor: "who", path: "path", ...changes }).map(
      ([column, name]) => `${column}=${name}`,
    );
  const findSpan = async (source: DataSource) => {
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    return { site, from: DAY, to: DAY, now: LOG_NOW };
  };
  const countViews = async (flags: SourceFlags) => {
    const source = await open(flags);
    const [day] = await source.days(await findSpan(source));
    return day?.pageviews;
  };

  it.each([
    ["bot_number=0", 75],
    ["bot_number!=1", 75],
    ["bot_bool=0", 75],
    ["bot_bool=false", 75],
    ["bot_bool!=true", 75],
    ["bot_bool_null=0", 75],
    ["person_null=1", 75],
    ["person_null!=1", 25],
    ["bot_decimal=0", 75],
    ["bot_decimal=0.00", 75],
    ["bot_decimal!=1", 75],
    ["bot_float=0.5", 25],
    ["sort=person", 75],
    ["sort!=bot", 75],
    ["sort_text=person", 75],
    ["key=00000000-0000-4000-8000-000000000002", 75],
    ["address!=0.0.0.1", 90],
    ["address=::ffff:0.0.0.1", 10],
  ])("are compared by their type: --where %s", async (where, expected) => {
    expect(await countViews({ map: map(), where: [where] })).toBe(expected);
  });

  it.each([
    ["bot_bool=2", "the column bot_bool is Bool"],
    ["bot_number=300", "the column bot_number is UInt8"],
    ["bot_number=no", "the column bot_number is UInt8"],
    ["bot_decimal=0.001", "the column bot_decimal is Decimal(9, 2)"],
    ["sort=2", "the column sort is Enum8(…)"],
    ["ts=2026-11-18", "the column ts is DateTime('UTC')"],
    ["ts_date=2026-11-18", "the column ts_date is Date"],
    ["props=x", "the column props is Map(String, String)"],
    ["list=x", "the column list is Array(String)"],
    ["key=1", "the column key is UUID"],
  ])("are refused where no value could be equal: --where %s", async (where, reason) => {
    const source = await open({ map: map(), where: [where] });
    await expect(source.sites()).rejects.toMatchObject({
      code: "usage",
      message: `--where "${where}" cannot be compared: ${reason}.`,
      hint: expect.stringMatching(/^It takes |^Use a view /),
    });
  });

  it.each(["ts", "ts64"])("have the time: %s", async (time) => {
    expect(await countViews({ map: map({ time }), where: ["bot_number=0"] })).toBe(75);
  });

  it.each([
    ["ts_text", "String", "parseDateTime64BestEffort"],
    ["ts_date", "Date", "no time of day"],
    ["ts_ms", "UInt64", "fromUnixTimestamp64Milli"],
    ["ts_s", "UInt32", "toDateTime(ts_s)"],
    ["props", "Map(String, String)", "view"],
  ])("are refused as the time: %s", async (time, type, hint) => {
    const source = await open({ map: map({ time }), where: ["bot_number=0"] });
    await expect(source.sites()).rejects.toMatchObject({
      code: "usage",
      message: `--map time=${time} needs a DateTime or DateTime64, and the column is ${type}.`,
      hint: expect.stringContaining(hint),
    });
  });

  it("may be those of a view, as docs/clickhouse.md shows it", async () => {
    const docs = readFileSync("docs/clickhouse.md", "utf8");
    const [, view = ""] = /```sql\n(CREATE VIEW requests_view [^`]*)```/.exec(docs) ?? [];
    await server.run(view.replace("SELECT *", "SELECT * EXCEPT (ts, path)"));
    expect(await countViews({ table: "requests_view", map: map(), where: ["bot_bool=0"] })).toBe(75);
  });

  it("may have no time in some rows, which a warning counts", async () => {
    const flags = { map: map({ time: "ts_null" }), where: ["bot_number=0"] };
    const source = await open(flags);
    const span = await findSpan(source);
    expect(span.site).toMatchObject({ dataSince: DAY, dataUntil: DAY });
    expect(await countViews(flags)).toBe(60);
    const pages = await source.breakdown(span, "entry_pages", 10);
    expect(pages.rows.reduce((sum, { hits }) => sum + hits, 0)).toBe(60);
    expect(await source.active(span.site, Date.parse(`${DAY}T10:01:00Z`))).toBeGreaterThan(5);
    expect(await source.warnings?.(span)).toEqual([
      {
        code: "no_time",
        detail: "15 page views have no time (NULL): no day and no number counts them.",
        values: { pageviews: 15 },
      },
    ]);
    const whole = await open({ ...flags, map: map({ time: "ts" }) });
    expect(await whole.warnings?.(await findSpan(whole))).toEqual([]);
  });

  it.each([
    ["path", "props", "Map(String, String)"],
    ["path", "list", "Array(String)"],
    ["referrer", "pair", "Tuple(String)"],
    ["visitor", "props", "Map(String, String)"],
    ["site", "list", "Array(String)"],
    ["sequence", "list", "Array(String)"],
  ])("are refused as a text if they have several: %s=%s", async (column, name, type) => {
    const source = await open({ map: map({ [column]: name }), where: ["bot_number=0"] });
    await expect(source.sites()).rejects.toMatchObject({
      code: "usage",
      message: `--map ${column}=${name} needs a text or a number, and the column is ${type}.`,
    });
  });

  it.each([
    [
      { map: map({ path: "Pathh" }) },
      '--map path=Pathh: the table has no column "Pathh"',
      "Did you mean path?",
    ],
    [
      { where: ["nothing_like_it=0"] },
      '--where: the table has no column "nothing_like_it"',
      "It has path, ts, who, ",
    ],
  ])("are named if they are missing: %j", async (flags, message, hint) => {
    const source = await open({ map: map(), where: ["bot_number=0"], ...flags });
    await expect(source.sites()).rejects.toMatchObject({
      code: "usage",
      message: `${message}, or the user may not read it.`,
      hint: expect.stringContaining(hint),
    });
  });

  it("may have the names of results", async () => {
    await server.run(`CREATE TABLE clash ENGINE = MergeTree ORDER BY date AS SELECT
      ts AS date, path AS value, who AS visitor_key, 'www.example.com' AS domain, 'x' AS views, 'y' AS view_count,
      number AS position, toDate('2020-01-01') AS day, '' AS hit_value, 1 AS loads, 'z' AS visitor_count
      FROM requests`);
    const source = await openHits(
      server,
      { now: LOG_NOW },
      {
        site: "example.com",
        table: "clash",
        timezone: "UTC",
        where: ["views=x", "view_count=y"],
        map: [
          "time=date",
          "visitor=visitor_key",
          "path=value",
          "site=domain",
          "sequence=position",
          "browser=visitor_count",
        ],
      },
    );
    const span = await findSpan(source);
    const filter = parseFilter(["visit:pages!=/nothing", "browsers=z"]);
    expect(await source.days({ ...span, filter })).toEqual(await source.days(span));
    expect(await source.days(span)).toMatchObject([{ visitors: 10, pageviews: ROWS, events: 0, visits: 10 }]);
    for (const dimension of ["pages", "entry_pages", "exit_pages", "browsers"] as const) {
      const { rows } = await source.breakdown(span, dimension, 10);
      expect(rows.reduce((sum, { hits }) => sum + hits, 0)).toBe(ROWS);
    }
    expect(await source.active(span.site, Date.parse(`${DAY}T10:01:00Z`))).toBe(10);
  });
});
