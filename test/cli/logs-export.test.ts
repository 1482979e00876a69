import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { columnsOf } from "../../src/sources/hits.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { buildMmdb } from "../support/mmdb.ts";
import { runShell, type ShellOptions } from "../support/shell.ts";

const clock = () => LOG_NOW;
const LABELLED = "test/sources/logs/labelled/access.log";
const at = (time: string) => Date.parse(`2026-11-${time}Z`);

async function exportLogs(argv: string[], options: ShellOptions = {}) {
  const answer = await runShell(["logs", "--ndjson", "--timezone", "UTC", ...argv], { clock, ...options });
  const hits = answer.stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  return { ...answer, hits, kinds: (kind: string) => hits.filter((hit) => hit.kind === kind) };
}

/** Options with a home of its own, in which the secret stays. */
function withSecret(secret = "0123456789abcdef0123456789abcdef") {
  const { path } = createLogFolder();
  writeFileSync(path("secret"), secret, { mode: 0o600 });
  return ["--visitor-secret", path("secret")];
}

describe("analytics-mcp logs --ndjson", () => {
  it("writes what the questions count, by day", async () => {
    const flags = ["--site", "example.com", "--with-first-day", ...withSecret()];
    const { hits, kinds, stderr } = await exportLogs([LABELLED, ...flags]);
    const stats = await runShell(
      ["timeseries", "--logs", LABELLED, "--site", "example.com", "--timezone", "UTC", "--json"].concat(
        "--period",
        "2026-10-24/2026-10-26",
      ),
      { clock },
    );
    const { points } = JSON.parse(stats.stdout);
    const days = kinds("day");
    expect(days.length).toBeGreaterThan(0);
    for (const { day, pageviews } of days) {
      const views = kinds("pageview").filter((hit) => hit.day === day);
      expect(views).toHaveLength(pageviews);
      const visitors = new Set(views.map(({ visitor }) => visitor));
      const point = points.find(({ date }: { date: string }) => date === day);
      expect([visitors.size, views.length]).toEqual([point?.visitors ?? 0, point?.pageviews ?? 0]);
    }
    expect(kinds("bot").length).toBeGreaterThan(5);
    expect(kinds("scanner").length).toBeGreaterThan(0);
    expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
    expect(stderr).toContain(`Wrote ${hits.length - days.length} hits of ${days.length} days.`);
  });

  it("writes no address and no user agent", async () => {
    const canary = "Canary/9.9 (X11; Linux) Firefox/145.0";
    const lines = ["18T10:00:00", "19T10:00:00"].map((time) =>
      combined({ at: at(time), address: "203.0.113.77", agent: canary }),
    );
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const { stdout, hits } = await exportLogs([`example.com=${path("access.log")}`, "--with-first-day"]);
    expect(hits).toHaveLength(4);
    expect(stdout).not.toMatch(/Canary|203\.0\.113/);
    const visitors = hits.filter(({ kind }) => kind === "pageview").map(({ visitor }) => visitor);
    expect(new Set(visitors).size).toBe(2);
  });

  it("escapes what a terminal would obey or hide", async () => {
    const lines = ["18T10:00:00", "19T10:00:00"].map((time) =>
      combined({ at: at(time), target: "/\u202eevil\u200b\u2066" }),
    );
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const { stdout, kinds } = await exportLogs([`example.com=${path("access.log")}`, "--with-first-day"]);
    expect(stdout).toContain("\\u202eevil\\u200b\\u2066");
    expect(stdout).not.toMatch(/[\u202e\u200b\u2066]/);
    expect(kinds("pageview")[0]).toMatchObject({ path: "/\u202eevil\u200b\u2066" });
  });

  it("gives the same hits whenever the same lines are exported, whatever files hold them", async () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      combined({
        at: at("18T10:00:00") + Math.floor(n / 4) * 1000,
        address: `192.0.2.${n % 3}`,
        target: `/${n % 2}`,
      }),
    );
    const one = createLogFolder({ "access.log": joinLines(...lines) });
    const two = createLogFolder({
      "access.log.1": joinLines(...lines.slice(0, 17)),
      "access.log": joinLines(...lines.slice(17)),
    });
    const secret = withSecret();
    const run = async (pattern: string, more = secret) =>
      (await exportLogs([`example.com=${pattern}`, "--with-first-day", ...more])).stdout;
    const first = await run(one.path("access.log"));
    expect(await run(two.path("access.log*"))).toBe(first);
    expect(await run(one.path("access.log"), withSecret("another secret of 32 or more bytes"))).not.toBe(
      first,
    );
  });

  it("marks a day anew when a value of its hits is another, with the same ids", async () => {
    const { path, write } = createLogFolder({
      "access.log": joinLines(combined({ at: at("18T10:00:00"), address: "8.8.8.8" })),
    });
    const secret = withSecret();
    const run = async (country: string) => {
      write("places.mmdb", buildMmdb({ "8.8.8.0/24": { country: { iso_code: country } } }));
      const flags = ["--geoip", path("places.mmdb"), "--with-first-day", ...secret];
      const { hits, kinds } = await exportLogs([`example.com=${path("access.log")}`, ...flags]);
      return { ids: hits.map(({ id }) => id), digest: kinds("day")[0]?.digest };
    };
    const first = await run("DE");
    expect(first.digest).toMatch(/^\d+$/);
    expect(await run("DE")).toEqual(first);
    const second = await run("FR");
    expect(second.ids).toEqual(first.ids);
    expect(second.digest).not.toBe(first.digest);
  });

  it("leaves out days that are not closed, the day on which the log begins, and what --since says", async () => {
    const times = ["17T10:00:00", "18T10:00:00", "19T10:00:00", "20T10:00:00", "21T03:00:00"];
    const { path } = createLogFolder({
      "access.log": joinLines(...times.map((time) => combined({ at: at(time) }))),
    });
    const log = `example.com=${path("access.log")}`;
    const daysOf = async (...argv: string[]) => {
      const { kinds, stderr } = await exportLogs([log, ...argv]);
      return { days: kinds("day").map(({ day }) => day.slice(-2)), stderr };
    };
    const byDefault = await daysOf();
    expect(byDefault.days).toEqual(["18", "19"]);
    expect(byDefault.stderr).toContain(
      "Not yet written: 2026-11-20 (example.com), 2026-11-21 (example.com).",
    );
    expect(byDefault.stderr).toContain("Left out: 2026-11-17 (example.com), on which the log begins.");
    expect((await daysOf("--with-first-day")).days).toEqual(["17", "18", "19"]);
    expect((await daysOf("--since", "2026-11-19")).days).toEqual(["19"]);
  });

  it("leaves out days on which all seem to come from a proxy", async () => {
    const lines = Array.from({ length: 1_200 }, (_, n) =>
      combined({ at: at("18T00:00:00") + n * 1_000, agent: `Mozilla/5.0 (X11; Linux) Firefox/${n % 90}.0` }),
    );
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const flags = [`example.com=${path("access.log")}`, "--with-first-day"];
    const { hits, stderr } = await exportLogs(flags);
    expect([hits, stderr]).toEqual([[], expect.stringContaining("a few addresses")]);
    expect((await exportLogs([...flags, "--accept-proxy-addresses"])).hits).toHaveLength(1_201);
  });

  it("creates the secret once, for its owner alone", async () => {
    const { path, folder } = createLogFolder({
      "access.log": joinLines(combined({ at: at("18T10:00:00") })),
    });
    const argv = [`example.com=${path("access.log")}`, "--with-first-day"];
    const environment = { XDG_CONFIG_HOME: folder };
    const first = await exportLogs(argv, { environment });
    const secret = path("analytics-mcp/visitor-secret");
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    const text = readFileSync(secret, "utf8");
    expect(text.trim()).toMatch(/^[\da-f]{64}$/);
    expect((await exportLogs(argv, { environment })).stdout).toBe(first.stdout);
    expect(readFileSync(secret, "utf8")).toBe(text);
  });

  it.each([
    [["--since", "yesterday"], "--since must be a date such as 2026-11-01"],
    [["--visitor-secret", "/nowhere/secret"], "it does not exist"],
    [["--visitor-secret", "/dev/null"], "it is a pipe, a socket or a device"],
  ])("refuses %j", async (flags, message) => {
    const { code, stderr } = await exportLogs([`example.com=${LABELLED}`, ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("refuses sites without a name, and its options without --ndjson", async () => {
    const nameless = await exportLogs([LABELLED]);
    expect([nameless.code, nameless.stderr]).toEqual([
      2,
      expect.stringContaining("Name the sites to export."),
    ]);
    const { code, stderr } = await runShell(["logs", LABELLED, "--since", "2026-11-01"], { clock });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--since is for exports.")]);
  });
});

it("the tables in deploy/clickhouse have the columns of an exported hit", () => {
  const columnsIn = (file: string) => {
    const [, body = ""] = /\(\n([\s\S]*?)\n\)/.exec(readFileSync(`deploy/clickhouse/${file}`, "utf8")) ?? [];
    return body.split("\n").map((line) => line.trim().replace(/\s+/g, " "));
  };
  const names = columnsIn("hits.sql").map((line) => line.split(" ")[0]);
  const others = ["kind", "site", "day", "visitor", "time", "id", "sequence", "visit", "crawler", "status"];
  const ofDay = [
    "pageviews",
    "digest",
    "definition",
    "timezone",
    "unrecorded",
    "bots_not_found",
    "scanners_not_found",
  ];
  expect(names.sort()).toEqual([...Object.values(columnsOf), ...others, ...ofDay].sort());
  expect(columnsIn("cluster.sql")).toEqual(columnsIn("hits.sql"));
});
