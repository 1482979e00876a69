import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChdb, startChdb } from "../../support/clickhouse.ts";

describe.skipIf(!hasChdb)("the statements in deploy/clickhouse", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  beforeAll(async () => {
    server = await startChdb();
  });
  afterAll(() => server?.stop());

  it.each(["hits.sql", "cluster.sql", "reader.sql"])("%s is ClickHouse's SQL", async (file) => {
    const statements = readFileSync(`deploy/clickhouse/${file}`, "utf8")
      .split(/;\n/)
      .flatMap((each) => each.trim() || []);
    for (const statement of statements) {
      expect(await server.run(`EXPLAIN AST ${statement} FORMAT TSV`)).not.toBe("");
    }
    await expect(server.run(`EXPLAIN AST ${statements[0]} NONSENSE FORMAT TSV`)).rejects.toThrow(
      "Syntax error",
    );
  });

  it("reader.sql sets what answers need, by settings that exist", async () => {
    const [, list = ""] =
      /SETTINGS\n([\s\S]*?);/.exec(readFileSync("deploy/clickhouse/reader.sql", "utf8")) ?? [];
    const names = [...list.matchAll(/^ {4}(\w+) = /gm)].map(([, name]) => `'${name}'`);
    expect(names.length).toBeGreaterThan(6);
    const known = await server.run(
      `SELECT count() FROM system.settings WHERE name IN (${names.join(", ")}) FORMAT TSV`,
    );
    expect(Number(known)).toBe(names.length);
  });
});
