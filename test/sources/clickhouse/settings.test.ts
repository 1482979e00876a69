import { describe, expect, it } from "vitest";
import { readClickHouseSettings } from "../../../src/sources/clickhouse/settings.ts";
import { openHits } from "../../support/clickhouse.ts";
import { startServer } from "../../support/faulty-server.ts";
import { LOG_NOW } from "../../support/logs.ts";
import { runShell } from "../../support/shell.ts";

const read = (clickhouse: string, environment: Record<string, string>) =>
  readClickHouseSettings({ flags: { clickhouse }, environment });
const password = { ANALYTICS_CLICKHOUSE_PASSWORD: "secret" };

describe("a password over plain http", () => {
  it("is refused before anything is sent", async () => {
    const server = await startServer((_, response) => void response.end());
    // Reaches this machine, but is not its name.
    const url = server.origin.replace("127.0.0.1", "0.0.0.0");
    for (const argv of [["sites"], ["doctor"], ["overview"]]) {
      const { code, stdout, stderr } = await runShell([...argv, "--clickhouse", url], {
        environment: password,
      });
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain(
        "--clickhouse would send the password over plain http to 0.0.0.0, and anyone on the network could read it.",
      );
      expect(stdout + stderr).toContain("ANALYTICS_ALLOW_HTTP=0.0.0.0");
    }
    expect(server.requests).toEqual([]);
    const allowed = await openHits(
      { url, password: "secret" },
      { now: LOG_NOW },
      {},
      { ANALYTICS_ALLOW_HTTP: "0.0.0.0" },
    );
    await allowed.sites().catch(() => {});
    expect(server.requests.length).toBeGreaterThan(0);
    server.close();
  });

  it.each([
    ["http://clickhouse.example.com:8123/web", {}],
    ["http://10.0.0.7:8123", {}],
    ["http://clickhouse:8123", { ANALYTICS_ALLOW_HTTP: "other" }],
  ])("is refused: %s", (url, more) => {
    expect(() => read(url, { ...password, ...more })).toThrow(/plain http/);
  });

  it.each([
    ["https://clickhouse.example.com:8443/web", password],
    ["http://127.0.0.1:8123", password],
    ["http://[::1]:8123", password],
    ["http://localhost:8123", password],
    ["http://clickhouse:8123", { ...password, ANALYTICS_ALLOW_HTTP: "x, ClickHouse" }],
    ["http://reader@clickhouse:8123", {}],
  ])("is no concern: %s", (url, environment) => {
    expect(read(url, environment).database).toMatch(/^(?:web|default)$/);
  });
});
