import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DataSource, Span } from "../../../../src/sources/data-source.ts";
import { openLogSource } from "../../../../src/sources/logs/open.ts";
import { exportFiles, hasChdb, openHits, startChdb } from "../../../support/clickhouse.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { expectSameAnswers, type SameVisits, SPANS, writeSameVisits } from "../../../support/same-visits.ts";

const DUCKDB = resolve(".cache/duckdb/node_modules/@duckdb/node-api");

/** The SQL of a section of docs/log-history.md, with the folder that the test wrote. */
function readDocumentedSql(folder: string, heading = "Every hit, as Parquet files"): string[] {
  const page = readFileSync("docs/log-history.md", "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [text = ""] = section.split("\n## ");
  return [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = ""]) =>
    sql.replaceAll(/'(?:hits|history)\//g, `'${folder}/`),
  );
}

async function startDuckDb(): Promise<(sql: string) => Promise<Record<string, string>[]>> {
  const { DuckDBInstance } = createRequire(import.meta.url)(DUCKDB);
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  return async (sql) => (await database.runAndReadAll(sql)).getRowObjectsJson();
}

const clock = { now: LOG_NOW };
let visits: SameVisits;
let clickHouse: Awaited<ReturnType<typeof startChdb>>;
beforeAll(async () => {
  const starting = hasChdb && startChdb();
  visits = await writeSameVisits(clock, { exported: false });
  if (starting) clickHouse = await starting;
});
afterAll(() => {
  if (hasChdb) clickHouse.stop();
});

describe("hits in Parquet files give the numbers of the logs", () => {
  const folder = join(mkdtempSync(join(tmpdir(), "parquet-")), "hits");
  beforeAll(async () => {
    for (const flags of visits.flagsOf.values()) await exportFiles(flags, LOG_NOW, folder);
  });
  afterAll(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

  it.skipIf(!existsSync(DUCKDB))("asked by DuckDB, as docs/log-history.md says", async () => {
    const ask = await startDuckDb();
    const [topPages = "", sources = ""] = readDocumentedSql(folder);
    const source = visits.logs.get("example.com");
    const site = (await source?.sites())?.[0];
    if (source === undefined || site === undefined) throw new Error("There is no log of example.com.");

    const span = { site, from: "2026-11-01", to: "2026-11-30", now: LOG_NOW };
    const { rows } = await source.breakdown(span, "pages", 1_000);
    expect(rows.length).toBeGreaterThan(5);
    expect(
      (await ask(topPages)).map(({ path, visitors, pageviews }) => ({
        value: path,
        visitors: Number(visitors),
        pageviews: Number(pageviews),
      })),
    ).toEqual(rows.map(({ value, visitors, hits }) => ({ value, visitors, pageviews: hits })));

    const found = await ask(sources);
    const readers = await ask(
      `SELECT count(DISTINCT visitor) AS all FROM '${folder}/example.com/*.parquet' WHERE kind = 'pageview' AND path = '/pricing'`,
    );
    expect(found.length).toBeGreaterThan(2);
    const sum = found.reduce((total, { visitors }) => total + Number(visitors), 0);
    expect(sum).toBeGreaterThanOrEqual(Number(readers[0]?.all));
  });

  it.skipIf(!hasChdb)("loaded into ClickHouse, as docs/log-history.md says", async () => {
    await clickHouse.run(readDocumentedSql(folder).at(-1) ?? "");
    const table = await openHits(clickHouse, clock);
    for (const span of SPANS) await expectSameAnswers(table, visits, span);
  });
});

describe("the history's own files give the numbers of the logs", () => {
  const state = mkdtempSync(join(tmpdir(), "history-"));
  let source: DataSource;
  let span: Span;
  let history: string;
  beforeAll(async () => {
    const flags = visits.flagsOf.get("example.com") ?? {};
    source = await openLogSource({ flags, environment: { XDG_STATE_HOME: state }, clock: () => clock.now });
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no log of example.com.");
    // The days of the documented SQL, all of them closed.
    span = { site, from: "2026-11-01", to: "2026-11-04", now: LOG_NOW };
    const folder = join(state, "analytics-mcp", "logs");
    history = join(folder, readdirSync(folder)[0] ?? "");
  });
  afterAll(() => rmSync(state, { recursive: true, force: true }));

  it.skipIf(!existsSync(DUCKDB))("asked by DuckDB, as docs/log-history.md says", async () => {
    const ask = await startDuckDb();
    const [referrers = ""] = readDocumentedSql(history, "Its files");
    const { rows } = await source.breakdown(span, "referrers", 1_000);
    expect(rows.length).toBeGreaterThan(3);
    const found = await ask(referrers.replace("2026-11-30", span.to));
    const count = ({ visitors }: { visitors: string | number }) => Number(visitors);
    const byValue = (list: [string, number][]) => list.sort(([a], [b]) => (a < b ? -1 : 1));
    expect(byValue(found.map((row) => [row.referrer ?? "", count(row as { visitors: string })]))).toEqual(
      byValue(rows.map((row) => [row.value ?? "", row.visitors])),
    );
    const files = `read_parquet('${history}/sites/example.com/*.parquet', union_by_name = true)`;
    const [totals] = await ask(
      `SELECT count(DISTINCT (day, visitor)) AS visitors, count(*) FILTER (event = '') AS pageviews,
      count(*) FILTER (event != '') AS events FROM ${files} WHERE day BETWEEN '${span.from}' AND '${span.to}'`,
    );
    const days = await source.days(span);
    const sum = (name: "visitors" | "pageviews" | "events") =>
      days.reduce((all, day) => all + (day[name] ?? 0), 0);
    expect(Object.values(totals ?? {}).map(Number)).toEqual([
      sum("visitors"),
      sum("pageviews"),
      sum("events"),
    ]);
    const entries = await ask(
      `SELECT path, count(DISTINCT (day, visitor)) AS visitors FROM
      (SELECT day, visitor, first(path) AS path FROM ${files} WHERE visit > 0 GROUP BY day, visitor, visit)
      WHERE day BETWEEN '${span.from}' AND '${span.to}' GROUP BY path`,
    );
    const entryPages = await source.breakdown(span, "entry_pages", 1_000);
    expect(byValue(entries.map((row) => [row.path ?? "", count(row as { visitors: string })]))).toEqual(
      byValue(entryPages.rows.map((row) => [row.value ?? "", row.visitors])),
    );
  });

  it.skipIf(!hasChdb)("asked by ClickHouse, as docs/log-history.md says", async () => {
    const sql = readDocumentedSql(history, "Its files").at(-1) ?? "";
    const within = sql.replace("event = ''", `event = '' AND day BETWEEN '${span.from}' AND '${span.to}'`);
    const text = await clickHouse.run(`${within} FORMAT JSONCompactEachRow`);
    const { rows } = await source.breakdown(span, "pages", 1_000);
    const found = text.trim().split("\n");
    expect(found.map((line) => (JSON.parse(line) as unknown[]).map(String))).toEqual(
      rows.map(({ value, visitors, hits }) => [String(value), String(visitors), String(hits)]),
    );
  });
});
