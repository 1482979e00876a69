import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportFiles, hasChdb, openHits, startChdb } from "../../../support/clickhouse.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { expectSameAnswers, type SameVisits, SPANS, writeSameVisits } from "../../../support/same-visits.ts";

const DUCKDB = resolve(".cache/duckdb/node_modules/@duckdb/node-api");

/** The SQL of a section of docs/logs.md, with the folder that the test wrote. */
function readDocumentedSql(folder: string): string[] {
  const page = readFileSync("docs/logs.md", "utf8");
  const [, section = ""] = /\n## Every hit, as Parquet files\n([\s\S]*?)\n## /.exec(page) ?? [];
  return [...section.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = ""]) =>
    sql.replaceAll("'hits/", `'${folder}/`),
  );
}

describe("hits in Parquet files give the numbers of the logs", () => {
  const clock = { now: LOG_NOW };
  const folder = join(mkdtempSync(join(tmpdir(), "parquet-")), "hits");
  let visits: SameVisits;
  beforeAll(async () => {
    visits = await writeSameVisits(clock);
    for (const flags of visits.flagsOf.values()) await exportFiles(flags, LOG_NOW, folder);
  });
  afterAll(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

  it.skipIf(!existsSync(DUCKDB))("asked by DuckDB, as docs/logs.md says", async () => {
    const { DuckDBInstance } = createRequire(import.meta.url)(DUCKDB);
    const database = await (await DuckDBInstance.create(":memory:")).connect();
    const ask = async (sql: string) => (await database.runAndReadAll(sql)).getRowObjectsJson();
    const [topPages = "", sources = ""] = readDocumentedSql(folder);
    const source = visits.logs.get("example.com");
    const site = (await source?.sites())?.[0];
    if (source === undefined || site === undefined) throw new Error("There is no log of example.com.");

    const span = { site, from: "2026-11-01", to: "2026-11-30", now: LOG_NOW };
    const { rows } = await source.breakdown(span, "pages", 1_000);
    expect(rows.length).toBeGreaterThan(5);
    expect(
      (await ask(topPages)).map(({ path, visitors, pageviews }: Record<string, string>) => ({
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
    const sum = found.reduce(
      (total: number, { visitors }: { visitors: string }) => total + Number(visitors),
      0,
    );
    expect(sum).toBeGreaterThanOrEqual(Number(readers[0].all));
  });

  it.skipIf(!hasChdb)("loaded into ClickHouse, as docs/logs.md says", async () => {
    const server = await startChdb();
    try {
      await server.run(readDocumentedSql(folder).at(-1) ?? "");
      const table = await openHits(server, clock);
      for (const span of SPANS) await expectSameAnswers(table, visits, span);
    } finally {
      server.stop();
    }
  });
});
