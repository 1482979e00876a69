import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../../../src/api/api.ts";
import { clickhouse } from "../../../src/sources/clickhouse.ts";
import { openServedKeyring } from "../../../src/sources/served-keyring.ts";
import { exportLines, hasChdb, load, startChdb } from "../../support/clickhouse.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../../support/logs.ts";
import { runShell } from "../../support/shell.ts";

const clock = () => LOG_NOW;
const days = Array.from({ length: 5 }, (_, day) => Date.parse("2026-11-15T10:00:00Z") + day * 86_400_000);

/** More visitors each day, some with a download, and a crawler. */
const lines = days.flatMap((at, day) => [
  ...Array.from({ length: 5 + day }, (_, n) => combined({ at: at + n * 1000, address: `192.0.2.${n}` })),
  combined({ at, target: "/guide.pdf" }),
  combined({ at, agent: "GPTBot/1.2", target: "/guide" }),
]);

describe.skipIf(!hasChdb)("a table of hits", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  let words: string[];
  let environment: Record<string, string>;
  const folder = mkdtempSync(join(tmpdir(), "shared-table-"));

  beforeAll(async () => {
    server = await startChdb();
    words = ["--clickhouse", server.url];
    environment = { ANALYTICS_CLICKHOUSE_PASSWORD: server.password, HOME: folder };
    for (const site of ["acme.example", "globex.example"]) {
      const { path } = createLogFolder({ "access.log": joinLines(...lines) });
      await load(server, await exportLines({ logs: [`${site}=${path("access.log")}`] }, LOG_NOW));
    }
  });
  afterAll(() => {
    server?.stop();
    rmSync(folder, { recursive: true });
  });

  const shell = (argv: string[], more = environment) =>
    runShell([...argv, ...words], { clock, environment: more });

  it("is asked by every command", async () => {
    const stats = await shell(["stats", "acme.example", "--period", "2026-11-15/2026-11-19", "--json"]);
    expect(JSON.parse(stats.stdout)).toMatchObject({ visitors: 35, pageviews: 35, events: 5 });
    const commands = [
      ["sites"],
      ["timeseries", "acme.example"],
      ["breakdown", "acme.example", "--dimension", "pages"],
      ["overview", "acme.example"],
      ["compare", "acme.example"],
      ["crawlers", "acme.example"],
      ["realtime", "acme.example"],
      ["report", "acme.example", "-o", "-"],
      ["openapi"],
      ["whoami"],
    ];
    for (const argv of commands) {
      expect([argv, await shell(argv)]).toMatchObject([argv, { code: 0 }]);
    }
  });

  it("is written into an assistant's settings with the file of its password, not with the password", async () => {
    const refused = await shell(["config", "cursor"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("--clickhouse-password-file"),
    ]);
    const file = join(folder, "password");
    writeFileSync(file, `${server.password}\n`, { mode: 0o600 });
    const named = await shell(["config", "cursor", "--clickhouse-password-file", file]);
    expect(named.stdout).toContain(`"${file}"`);
    const asked = await shell(["sites", "--clickhouse-password-file", file], { HOME: folder });
    expect([asked.code, asked.stderr]).toEqual([0, ""]);
    chmodSync(file, 0o644);
    const open = await shell(["sites", "--clickhouse-password-file", file], { HOME: folder });
    expect([open.code, open.stderr]).toEqual([0, expect.stringContaining("chmod 600")]);
  });

  it("is remembered by a profile, without the password", async () => {
    const login = await shell(["login", "--profile", "table"]);
    expect(login).toMatchObject({ code: 0 });
    const asked = await runShell(["sites", "--profile", "table", "--json"], { clock, environment });
    expect(JSON.parse(asked.stdout).sites).toHaveLength(2);
    expect(login.stdout + login.stderr).not.toContain(server.password);
  });

  it("ends the default days with the last day that is loaded, and says so", async () => {
    const ask = async (...argv: string[]) => {
      const answer = JSON.parse((await shell([...argv, "acme.example", "--json"])).stdout);
      return { ...answer, codes: answer.warnings?.map(({ code }: { code: string }) => code) };
    };
    const overview = await ask("overview");
    expect(overview).toMatchObject({
      period: { from: "2026-11-15", to: "2026-11-19" },
      codes: ["shifted", "shortened", "stale"],
    });
    const stats = await ask("stats");
    expect(stats).toMatchObject({
      visitors: 35,
      period: { to: "2026-11-19" },
      codes: ["shifted", "shortened"],
    });
    expect((await ask("compare", "--days", "7")).current.to).toBe("2026-11-20");
    const compared = await ask("compare");
    expect([compared.current.from, compared.current.to]).toEqual(["2026-11-13", "2026-11-19"]);
    const named = await shell(["stats", "acme.example", "--period", "2026-11-17/2026-11-20"]);
    expect(named.stderr).toContain("The table ends on 2026-11-19");
    expect(await ask("realtime")).toMatchObject({ visitors: 0, codes: ["stale"] });
  });

  it("notices days that are not as they were exported", async () => {
    const ask = async () => {
      const { stdout } = await shell([
        "stats",
        "acme.example",
        "--period",
        "2026-11-15/2026-11-19",
        "--json",
      ]);
      return JSON.parse(stdout).warnings;
    };
    expect(await ask()).toBeUndefined();
    await server.run("CREATE TABLE kept AS hits");
    await server.run("INSERT INTO kept SELECT * FROM hits");
    const remove = (condition: string) =>
      server.run(
        `ALTER TABLE hits DELETE WHERE site = 'acme.example' AND ${condition} SETTINGS mutations_sync = 2`,
      );
    await remove(
      "day = '2026-11-16' AND kind = 'pageview' AND path = '/' AND sequence = 0 AND visitor % 2 = 0",
    );
    await remove("day = '2026-11-17'");
    const describe = (code: string, day: string) => ({
      code,
      detail: expect.stringContaining(day),
      values: { days: 1, from: day, to: day },
    });
    expect(await ask()).toEqual([describe("gap", "2026-11-17"), describe("incomplete", "2026-11-16")]);
    await server.run("INSERT INTO hits SELECT * FROM kept");
    expect(await ask()).toBeUndefined();
  });

  it("shows each organization its own sites", async () => {
    const keys = join(folder, "keys.json");
    const add = async (name: string) => {
      const { stdout } = await runShell(["keys", "add", name, "--sites", `${name}.example`, "--keys", keys]);
      return stdout.trim();
    };
    const [acme, globex] = [await add("acme"), await add("globex")];
    const { find } = await openServedKeyring(clickhouse, {
      clock,
      environment,
      flags: { clickhouse: server.url, keys },
      mayMakeKey: false,
      warn: () => {},
    });
    const api = createApi({ keyring: find, clock, quota: { limit: 1_000, window: 60 } });
    const ask = async (key: string, path: string) => {
      const headers = new Headers({ authorization: `Bearer ${key}` });
      const { status, body } = await api({ method: "GET", url: `http://localhost/api/v1${path}`, headers });
      return [status, JSON.parse(body ?? "")];
    };
    for (const [key, own, other] of [
      [acme, "acme.example", "globex.example"],
      [globex, "globex.example", "acme.example"],
    ] as const) {
      const [status, { sites }] = await ask(key, "/sites");
      expect([status, sites.map(({ domain }: { domain: string }) => domain)]).toEqual([200, [own]]);
      expect((await ask(key, `/stats?site=${own}`))[0]).toBe(200);
      expect(await ask(key, `/stats?site=${other}`)).toMatchObject([404, { code: "site_not_found" }]);
    }
  });
});
