import { readFileSync } from "node:fs";
import type { SqlServer } from "./clickhouse.ts";

const [TABLE = "", VIEW = ""] = readFileSync("deploy/clickhouse/rollup.sql", "utf8").split(/;\n/);

/** The table with the sums of days, which is filled when it is said. */
export async function createRollup({ run }: SqlServer): Promise<void> {
  await run(TABLE);
  // Not in the middle of a test.
  await run(VIEW.replace("EVERY 1 HOUR", "EVERY 1 YEAR"));
}

/** Has ClickHouse refresh the view, as it does each hour. */
export async function refreshRollup({ run }: SqlServer): Promise<void> {
  // One that has begun with the view would take the place of this one.
  await run("SYSTEM WAIT VIEW hits_rollup");
  await run("SYSTEM REFRESH VIEW hits_rollup");
  await run("SYSTEM WAIT VIEW hits_rollup");
}
