import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkProfile } from "../../../src/sources/clickhouse/profile.ts";
import { hasChdb, startChdb } from "../../support/clickhouse.ts";

describe.skipIf(!hasChdb)("the statements in deploy/clickhouse", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  beforeAll(async () => {
    server = await startChdb();
  });
  afterAll(() => server?.stop());

  it.each(["hits.sql", "cluster.sql", "reader.sql", "rollup.sql"])("%s is ClickHouse's SQL", async (file) => {
    const statements = readFileSync(`deploy/clickhouse/${file}`, "utf8")
      .split(/;\n/)
      .flatMap((statement) => statement.trim() || []);
    for (const statement of statements) {
      expect(await server.run(`EXPLAIN AST ${statement} FORMAT TSV`)).not.toBe("");
    }
    await expect(server.run(`EXPLAIN AST ${statements[0]} NONSENSE FORMAT TSV`)).rejects.toThrow(
      "Syntax error",
    );
  });

  it("reader.sql has every setting that answers need, and only settings that exist", async () => {
    // Settings that the file does not have are 1.
    const asked: string[] = [];
    const answers = await checkProfile(async ({ sql }) => {
      asked.push(...(sql.match(/'(\w+)'/g) ?? []).map((name) => name.slice(1, -1)));
      return {
        rows: asked.map((name) => ({ name, value: settingsOf("reader.sql").get(name) ?? "1" })),
        totalRows: 0,
      };
    });
    expect(answers).toEqual({});
    expect(asked.filter((name) => !settingsOf("reader.sql").has(name))).toEqual([]);
    const names = [...settingsOf("reader.sql").keys()].map((name) => `'${name}'`);
    const known = await server.run(
      `SELECT count() FROM system.settings WHERE name IN (${names.join(", ")}) FORMAT TSV`,
    );
    expect(Number(known)).toBe(names.length);
  });
});

/** The settings of a profile, by name. */
function settingsOf(file: string): Map<string, string> {
  const [, list = ""] = /SETTINGS\n([\s\S]*?);/.exec(readFileSync(`deploy/clickhouse/${file}`, "utf8")) ?? [];
  const pairs = [...list.matchAll(/^ {4}(\w+) = '?(\w+)'?/gm)];
  return new Map(pairs.map(([, name = "", value = ""]) => [name, value]));
}
