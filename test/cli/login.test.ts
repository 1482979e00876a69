import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HttpResponse, http } from "msw";
import { describe, expect, it, vi } from "vitest";
import { findProfileFile, readProfile } from "../../src/config/profiles.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { clickhouse } from "../../src/sources/clickhouse.ts";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { DEMO_KEY, GLOBEX_KEY, NOW } from "../support/api.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { BASE, fakeNetwork } from "../support/network.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const { network, asked } = fakeNetwork();

const login = (home: Record<string, string>, argv: string[], stdin = `${DEMO_KEY}\n`) =>
  runShell(["login", "--api-key-stdin", ...argv], { environment: home, stdin });

describe("login in a script", () => {
  it("saves what works, and shows the sites and never the key", async () => {
    const home = createHome();
    const { code, stdout, stderr } = await login(home, ["--base-url", BASE, "--site", "example.com"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("docs.example.com\tsite_d0cs")]);
    expect(stderr).toContain(
      `Saved as profile default for ${BASE}:\n  ${findProfileFile(home, "default")}\n`,
    );
    expect(stderr).toMatch(/\nNext:\n {2}analytics-mcp overview\n {2}analytics-mcp config\n$/);
    expect(stdout + stderr).not.toContain(DEMO_KEY);
    expect(readProfile(home, "default")).toEqual({
      baseUrl: `${BASE}/api/v1`,
      apiKey: DEMO_KEY,
      site: "example.com",
    });
  });

  it("proposes the clients that are installed", async () => {
    const home = createHome();
    mkdirSync(join(home.HOME, ".cursor"));
    writeFileSync(join(home.HOME, ".claude.json"), "{}");
    const { stderr } = await login(home, ["--base-url", BASE, "--site", "example.com"]);
    const proposed = [...stderr.matchAll(/^ {2}analytics-mcp config (.+)$/gm)].map(([, words]) => words);
    expect(proposed.sort()).toEqual(["claude-code", "cursor --write"]);
  });

  it.each([
    ["of several sites names one", DEMO_KEY, " --site docs.example.com"],
    ["of a key's only site does not", GLOBEX_KEY, ""],
  ])("says a next command that works: %s", async (_, key, site) => {
    const home = createHome();
    const { stderr } = await login(home, ["--base-url", BASE], key);
    const [, next = ""] = /\nNext:\n {2}analytics-mcp (.*)\n/.exec(stderr) ?? [];
    expect(next).toBe(`overview${site}`);
    expect((await runShell(next.split(" "), { environment: home })).code).toBe(0);
  });

  it("says a next command that is safe to paste, whatever the service calls its sites", async () => {
    const site = {
      id: "site_1",
      name: "",
      timezone: "UTC",
      created_at: "2026-01-01T00:00:00Z",
      data_since: null,
    };
    const sites = ["a; touch b\u001b[2J", "c"].map((domain) => ({ ...site, domain }));
    const as_of = "2026-11-21T00:00:00Z";
    network.use(http.all(`${BASE}/*`, () => HttpResponse.json({ as_of, sites })));
    const { stderr } = await login(createHome(), ["--base-url", BASE, "--profile", "acme"]);
    expect(stderr).toMatch(/\n {2}analytics-mcp overview --site 'a; touch b\[2J' --profile acme\n/);
  });

  it.each([
    [BASE.replace("https://", ""), BASE],
    [`${BASE.replace("https://", "")}/api/v1/`, BASE],
  ])("adds the scheme to %s", async (address, origin) => {
    const home = createHome();
    expect((await login(home, ["--base-url", address])).code).toBe(0);
    expect(readProfile(home, "default").baseUrl).toBe(`${origin}/api/v1`);
  });

  it("takes a key from a file", async () => {
    const home = createHome();
    const file = join(home.HOME, "key");
    writeFileSync(file, GLOBEX_KEY, { mode: 0o604 });
    const argv = ["login", "--profile", "globex", "--base-url", BASE, "--api-key-file", file, "--json"];
    const { code, stdout, stderr } = await runShell(argv, { environment: home });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ profile: "globex", base_url: `${BASE}/api/v1`, site: null }),
    ]);
    expect(stderr).toBe(`warning: ${file} can be read by other users of this machine: chmod 600 ${file}\n`);
    expect(stdout).not.toContain(GLOBEX_KEY);
  });

  it("takes a site by the name that its owner gave it, and saves its domain", async () => {
    const home = createHome({ acme: { baseUrl: `${BASE}/api/v1`, apiKey: "old" } });
    expect((await login(home, ["--profile", "acme", "--site", "example docs"])).code).toBe(0);
    expect(readProfile(home, "acme")).toMatchObject({ site: "docs.example.com" });
  });

  it("changes a profile's key and keeps its address, and its site where the new key sees it", async () => {
    const acme = { baseUrl: `${BASE}/api/v1`, apiKey: "old", site: "example.com" };
    const home = createHome({ acme });
    expect((await login(home, ["--profile", "acme"])).code).toBe(0);
    expect(readProfile(home, "acme")).toEqual({ ...acme, apiKey: DEMO_KEY });
    expect((await login(home, ["--profile", "acme"], GLOBEX_KEY)).code).toBe(0);
    expect(readProfile(home, "acme")).toEqual({ baseUrl: acme.baseUrl, apiKey: GLOBEX_KEY });
  });

  it.each<[string, string[], string, number, RegExp]>([
    ["a wrong key", ["--base-url", BASE], "wrong", 4, /not valid[\s\S]*Check the key that you gave/],
    ["a placeholder", ["--base-url", BASE], "<your key>", 4, /--api-key-stdin contains a placeholder/],
    [
      "one of Matomo",
      ["--service", "matomo", "--base-url", BASE],
      "token",
      4,
      /Find it here: Settings, Personal/,
    ],
    ["one of Umami", ["--service", "umami"], "token", 4, /Find it here: Settings, API keys/],
    ["one of Plausible", ["--service", "plausible"], "token", 4, /Find it here: account settings, API keys/],
    ["no key", ["--base-url", BASE], "", 4, /--api-key-stdin contains no API key/],
    ["no address", [], DEMO_KEY, 2, /--base-url https:\/\/stats.example.com/],
    ["an address in the clear", ["--base-url", "http://stats.example.test"], DEMO_KEY, 2, /plain http/],
    [
      "a site of somebody else",
      ["--base-url", BASE, "--site", "globex.example"],
      DEMO_KEY,
      6,
      /no site "globex/,
    ],
    [
      "a name that is none",
      ["--base-url", BASE, "--profile", "../x"],
      DEMO_KEY,
      2,
      /not a valid profile name/,
    ],
    ["the demo", ["--demo"], DEMO_KEY, 2, /Use --demo or --api-key-stdin, not both/],
  ])("%s is refused, and nothing is saved", async (_, argv, stdin, code, words) => {
    const home = createHome();
    const result = await login(home, argv, stdin);
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toMatch(words);
    expect(existsSync(join(home.XDG_CONFIG_HOME, "analytics-mcp"))).toBe(false);
    if (/placeholder|plain|name/.test(String(words))) expect(asked).toEqual([]);
  });

  it("without a key to read and without a terminal, says what to do", async () => {
    const { code, stderr } = await runShell(["login", "--base-url", BASE], { environment: createHome() });
    expect([code, stderr]).toEqual([4, expect.stringContaining("--api-key-stdin")]);
  });

  it("says that a key of the environment goes first", async () => {
    const home = { ...createHome(), ANALYTICS_API_KEY: "other" };
    const { stderr } = await login(home, ["--base-url", BASE]);
    expect(stderr).toContain("is still used instead, except with --profile default");
    const [, next = ""] = /\n {2}analytics-mcp (overview .*)\n/.exec(stderr) ?? [];
    expect((await runShell(next.split(" "), { environment: home })).code).toBe(0);
  });
});

describe("what login has saved", () => {
  const home = createHome({
    acme: { baseUrl: `${BASE}/api/v1`, apiKey: DEMO_KEY, site: "example.com" },
    globex: { baseUrl: `${BASE}/api/v1`, apiKey: GLOBEX_KEY },
  });
  const shell = (...argv: string[]) => runShell(argv, { environment: home });

  it("is used by each command, with its site", async () => {
    const { code, stdout } = await shell("stats", "--profile", "acme", "--days", "7", "--json");
    expect([code, JSON.parse(stdout).site.domain]).toEqual([0, "example.com"]);
    expect(JSON.parse((await shell("stats", "--profile", "globex", "--json")).stdout).site.domain).toBe(
      "globex.example",
    );
    expect(
      (await shell("stats", "--profile", "acme", "--site", "docs.example.com", "--json")).stdout,
    ).toContain('"docs.example.com"');
  });

  it("must be chosen where there are several", async () => {
    expect(await shell("sites")).toMatchObject({ code: 4, stderr: expect.stringContaining("acme, globex") });
  });

  it("names itself where the key is refused", async () => {
    const old = createHome({ old: { baseUrl: BASE, apiKey: "ended" } });
    const { code, stderr } = await runShell(["sites"], { environment: old });
    expect([code, stderr]).toEqual([4, expect.stringContaining("Check profile old: ")]);
  });

  it("whoami says what is used, and from where, above an error too", async () => {
    const old = createHome({ old: { baseUrl: BASE, apiKey: "ended" } });
    const refused = await runShell(["whoami"], { environment: old });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("Check profile old: ")]);
    expect(refused.stdout).toContain(`\nprofile\told\t\nbase URL\t${BASE}/api/v1\tprofile old\nkey\t`);
    const lost = await runShell(["whoami", "--logs", "/no-such/access.log", "--json"]);
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining("No log file matches")]);
    expect(JSON.parse(lost.stdout)).toMatchObject({
      options: { logs: ["/no-such/access.log"] },
      sites: null,
    });
  });

  it("whoami says what is asked, with which key and why", async () => {
    const { code, stdout, stderr } = await shell("whoami", "--profile", "acme", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      source: "the analytics service",
      profile: "acme",
      service: null,
      base_url: `${BASE}/api/v1`,
      base_url_from: "profile acme",
      key: "too short to show any of it",
      key_from: "profile acme",
      mapping: null,
      site_timezones: null,
      site: "example.com",
      site_from: "profile acme",
      options: null,
      sites: ["docs.example.com", "example.com", "news.example.org", "parked.example", "shop.example.net"],
    });
    expect((await shell("whoami", "--profile", "globex")).stdout).toContain("sites\tglobex.example\t\n");
    expect((await runShell(["whoami", "--demo"])).stdout).toContain("source\tmade-up data\t--demo");
  });

  it("whoami --all lists it without asking a service", async () => {
    const { code, stdout } = await shell("whoami", "--all", "--profile", "globex");
    expect([code, asked]).toEqual([0, []]);
    expect(stdout).toBe(`profile\tbase_url\tkey\tsite\tused
acme\t${BASE}/api/v1\ttoo short to show any of it\texample.com\t
globex\t${BASE}/api/v1\ttoo short to show any of it\t\tyes
`);
    const none = { environment: { ...createHome(), NO_COLOR: "1" }, isTTY: true };
    expect(await runShell(["whoami", "--all"], none)).toEqual({
      code: 0,
      stdout: "",
      stderr: "No profiles yet: analytics-mcp login creates one.\n",
    });
  });

  it("logout forgets it", async () => {
    const other = createHome({ acme: { baseUrl: BASE, apiKey: "x" } });
    const run = (...argv: string[]) => runShell(argv, { environment: other });
    expect(await run("logout", "--profile", "nope")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/There are: acme\.\nhint: List them: .*whoami --all/),
    });
    expect(await run("logout")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The profile acme is removed. Its key stays valid"),
    });
    expect(existsSync(findProfileFile(other, "acme"))).toBe(false);
    expect(await run("logout")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/None is saved yet\.\nhint: There is nothing to remove\./),
    });
  });
});

describe("keys come by no option's value, and not where the MCP client speaks", () => {
  it.each(["--api-key x", "--key x", "--api-key-stdin=x"])("%s", async (option) => {
    const { code } = await runShell(["sites", ...option.split(" ")]);
    expect(code).toBe(2);
  });

  it("the stdio server refuses --api-key-stdin", async () => {
    const { code, stderr } = await runShell(["--api-key-stdin"], { stdin: "secret-canary" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("where its client sends requests")]);
  });

  it.each(["--profile", "--api-key-file", "--base-url"])(
    "--demo and %s are refused together",
    async (option) => {
      const { code, stderr } = await runShell(["sites", "--demo", option, "x"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`Use --demo or ${option}, not both`)]);
    },
  );
});

it("of logs of several sites leads to a question that works, and to a default site", async () => {
  const b = joinLines(combined({ address: "192.0.2.9" }));
  const { path } = createLogFolder({ "a.log": joinLines(combined()), "b.log": b });
  const home = createHome();
  const run = (...words: string[]) => runShell(words, { environment: home });
  const words = ["login", "--logs", `a.example=${path("a.log")}`, "--logs", `b.example=${path("b.log")}`];
  const { stderr } = await run(...words);
  expect(stderr).toContain("\nNext:\n  analytics-mcp overview --site a.example\n");
  expect(stderr).toContain("To ask about a.example without naming it, log in again with --site a.example.");
  expect((await run("stats")).code).toBe(2);
  expect((await run(...words, "--site", "b.example")).stderr).toContain("analytics-mcp overview\n");
  expect(JSON.parse((await run("stats", "--json")).stdout)).toMatchObject({ site: { domain: "b.example" } });
  expect(JSON.parse((await run("stats", "a.example", "--json")).stdout)).toMatchObject({
    site: { domain: "a.example" },
  });
});

it("logout from access logs says nothing of a key", async () => {
  const environment = createHome();
  const log = createLogFolder({ "access.log": joinLines(combined()) }).path("access.log");
  const options = { environment, clock: () => LOG_NOW };
  expect(await runShell(["login", "--logs", log, "--site", "example.com"], options)).toMatchObject({
    code: 0,
  });
  const { code, stderr } = await runShell(["logout"], options);
  expect([code, stderr]).toEqual([0, "The profile default is removed.\n"]);
});

it.each([
  [403, null, "refuses access to /sites (status 403)", /lacks permission[\s\S]*in front of/, 4],
  [302, "https://elsewhere.test/login", "redirects to https://elsewhere.test", /sign-in page in front of/, 1],
  [302, "https://elsewhere.test/api", "redirects to https://elsewhere.test", /use it as the base URL/, 1],
  [302, "/login", `redirects to ${BASE}`, /sign-in page/, 1],
])("a %d (to %s) has its cause and its fix", async (status, location, cause, fix, code) => {
  const headers = location === null ? {} : { location };
  network.use(http.all(`${BASE}/*`, () => new HttpResponse("<html>", { status, headers })));
  const result = await login(createHome(), ["--base-url", BASE]);
  expect(result).toMatchObject({ code, stderr: expect.stringContaining(cause) });
  expect(result.stderr).toMatch(fix);
});

it("whoami names the logs of a profile, and shows its one site as it is", async () => {
  const log = createLogFolder({ "access.log": joinLines(combined()) }).path("access.log");
  const environment = createHome();
  const clock = () => LOG_NOW;
  await runShell(["login", "--logs", log, "--site", "example.com"], { environment, clock });
  const { stdout } = await runShell(["whoami"], { environment, clock });
  expect(stdout).toContain(`\nlogs\t${log}\t`);
  expect(stdout).toContain("\nsites\texample.com\t");
});

it("saves no database that lists its sites and cannot count their visitors", async () => {
  const demo = await openDemoSource({ clock: () => NOW });
  const days = () => Promise.reject(new AnalyticsError("usage", "This version of ClickHouse is too old."));
  const open = vi.spyOn(clickhouse, "open").mockResolvedValue({ ...demo, days });
  const home = createHome();
  const argv = ["login", "--clickhouse", "https://reader@clickhouse.example.com:8443/web"];
  const { code, stderr } = await runShell(argv, { environment: home, clock: () => NOW });
  expect([code, stderr]).toEqual([2, "error: This version of ClickHouse is too old.\n"]);
  expect(existsSync(findProfileFile(home, "default"))).toBe(false);
  open.mockResolvedValue(demo);
  expect((await runShell(argv, { environment: home, clock: () => NOW })).code).toBe(0);
  open.mockRestore();
});
