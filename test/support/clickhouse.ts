import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../src/config/variables.ts";
import { openClickHouse } from "../../src/sources/clickhouse/open.ts";
import type { Hit } from "../../src/sources/hits.ts";
import { exportHits } from "../../src/sources/logs/command/export-hits.ts";
import { createHitFiles } from "../../src/sources/logs/command/hit-files.ts";
import { readLogSettings } from "../../src/sources/logs/open.ts";
import type { SourceFlags } from "../../src/sources/source-types.ts";
import { spawn } from "./child-process.js";

/** Whether .ci/tools has installed chDB. */
export const hasChdb = existsSync(".cache/chdb/node_modules/chdb");

export const TABLE_SQL = readFileSync("deploy/clickhouse/hits.sql", "utf8");
/** The columns of that table, as system.columns has them. */
export const HIT_COLUMNS = [...TABLE_SQL.matchAll(/^ {4}(\w+) +(\S.*?),?$/gm)].map(
  ([, name = "", type = ""]) => ({
    name,
    type,
  }),
);

const SECRET = Buffer.from("a secret that all servers of these tests share");

/** A server's HTTP port, for SQL as the docs have it. */
export interface SqlServer {
  url: string;
  password: string;
  /** Runs a statement. The rows of an INSERT are given separately. */
  run(sql: string, rows?: string): Promise<string>;
}

/** Starts the engine of ClickHouse behind its HTTP interface, with a table of hits. */
export async function startChdb(password = "a password"): Promise<SqlServer & { stop: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "chdb-"));
  const child = spawn(process.execPath, ["test/support/chdb-front.js", folder, password], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(child.stdout, "data");
  const server = createSqlServer(`http://127.0.0.1:${String(port).trim()}`, password);
  await server.run(TABLE_SQL);
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...server, stop };
}

export function createSqlServer(url: string, password: string): SqlServer {
  const authorization = `Basic ${Buffer.from(`default:${password}`).toString("base64")}`;
  return {
    url,
    password,
    run: async (sql, rows) => {
      const target = rows === undefined ? url : `${url}/?query=${encodeURIComponent(sql)}`;
      const answer = await fetch(target, { method: "POST", headers: { authorization }, body: rows ?? sql });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return text;
    },
  };
}

/** Exports the hits of logs, as `analytics-mcp logs --ndjson --with-first-day` writes them. */
export async function exportLines(flags: SourceFlags, now: number): Promise<string> {
  const lines: string[] = [];
  await writeExport(flags, now, (hit) => lines.push(`${JSON.stringify(hit)}\n`));
  return lines.join("");
}

/** Writes the hits of logs as `analytics-mcp logs --parquet <folder> --with-first-day` does. */
export const exportFiles = (flags: SourceFlags, now: number, folder: string) =>
  writeExport(flags, now, createHitFiles(folder).write);

async function writeExport(flags: SourceFlags, now: number, write: (hit: Hit) => void) {
  const settings = readLogSettings({ timezone: "UTC", ...flags });
  await exportHits(settings, () => now, { secret: SECRET, hasFirstDay: true, write });
}

export const load = ({ run }: SqlServer, rows: string) => run("INSERT INTO hits FORMAT JSONEachRow", rows);

export function openHits(
  { url, password }: Pick<SqlServer, "url" | "password">,
  clock: { now: number },
  flags: SourceFlags = {},
  environment: Environment = {},
) {
  return openClickHouse({
    flags: { clickhouse: url, ...flags },
    environment: { ANALYTICS_CLICKHOUSE_PASSWORD: password, ...environment },
    clock: () => clock.now,
  });
}
