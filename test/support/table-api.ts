import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../../src/api/api.ts";
import { clickhouse } from "../../src/sources/clickhouse.ts";
import { openServedKeyring } from "../../src/sources/served-keyring.ts";
import type { SourceFlags } from "../../src/sources/source-types.ts";
import { LOG_NOW } from "./logs.ts";
import { runShell } from "./shell.ts";

/** The REST API over a table, for an organization with all of its sites; asks by path. */
export async function openTableApi(
  { url, password }: { url: string; password: string },
  flags: SourceFlags = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "table-api-"));
  const keys = join(folder, "keys.json");
  const { code, stdout } = await runShell(["keys", "add", "acme", "--sites", "*", "--keys", keys]);
  if (code !== 0) throw new Error("There is no key.");
  const reports: string[] = [];
  const { find } = await openServedKeyring(clickhouse, {
    clock: () => LOG_NOW,
    mayMakeKey: false,
    warn: (message) => void reports.push(message),
    environment: { ANALYTICS_CLICKHOUSE_PASSWORD: password },
    flags: { clickhouse: url, keys, ...flags },
  });
  const api = createApi({ keyring: find, clock: () => LOG_NOW, quota: { limit: 10_000, window: 60 } });
  const headers = new Headers({ authorization: `Bearer ${stdout.trim()}` });
  return {
    /** What the operator is told. */
    reports,
    ask: (path: string) => api({ method: "GET", url: `http://localhost/api/v1${path}`, headers }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
