import { mkdirSync } from "node:fs";
import { relative } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readProfile, readProfileOptions, writeProfile } from "../../src/config/profiles.ts";
import { DESCRIBED_KEY, startDescribedService } from "../support/described-service.ts";
import { send, startServer } from "../support/faulty-server.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { findPort } from "../support/processes.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const ANY = "address";
const asset = (host: string) => combined({ target: "/style.css", referrer: `https://www.${host}/` });
const { folder, path } = createLogFolder({
  "access.log": joinLines(
    ...Array.from({ length: 5 }, () => asset("example.com")),
    asset("a.example"),
    combined(),
  ),
  "vhosts.log": joinLines(
    combined({ host: "example.com:443" }),
    combined({ host: "docs.example.com", at: "2026-11-19T12:00:00Z" }),
  ),
  "mixed.log": joinLines(asset("example.com"), asset("shop.example"), combined()),
  "a.example.access.log": joinLines(combined()),
  "b.example.access.log": joinLines(combined({ target: "/b" })),
  "no.log": "no line of a server\n",
});
const nginx = { server: "nginx", patterns: [path("access.log")], isReadable: true };
const apache = { server: "Apache", patterns: [path("vhosts.log")], isReadable: true };
const closed = { server: "Caddy", patterns: ["/closed/*"], isReadable: false, group: "adm" };

/** `login` at a terminal of a machine with these logs. */
const login = (
  home: Record<string, string>,
  answers: [string, string][],
  foundLogs = [nginx, closed, apache],
) => runShell(["login"], { environment: home, answers, foundLogs, columns: 200, isTTY: true });

describe("login at a terminal of a machine with logs", () => {
  it("says what they have, proposes the site that they are of, and saves the answers", async () => {
    const home = createHome();
    const { code, stderr } = await login(home, [
      ["(Enter for 1)", "\r"],
      ["(Enter for example.com)", "\r"],
      ["Timezone for its days", "Nowhere\r"],
      ['no timezone "Nowhere"', "tokio\r"],
      ["Did you mean Asia/Tokyo?", "asia/tokyo\r"],
    ]);
    expect([code, readProfileOptions(home, "default")]).toEqual([
      0,
      { logs: [path("access.log")], site: ["example.com"], timezone: "Asia/Tokyo" },
    ]);
    expect(stderr).toContain(`  1  nginx: 2026-11-21, 1 page view\n     ${path("access.log")}\n`);
    expect(stderr).toContain(
      "  2  Apache: 2026-11-19 to 2026-11-21, 2 page views of docs.example.com, example.com\n",
    );
    expect(stderr).toContain(
      "  -  Caddy: this user cannot read them\n     /closed/*\n     To read them, join",
    );
    const setup = `  npm install -g @ip-location-db/geo-whois-asn-country-mmdb\n  analytics-mcp logs --set --geoip countries ${path("access.log")}`;
    expect(stderr).toContain(`To add the countries of visitors:\n${setup}\n`);

    const again = await login(home, [
      [ANY, "1\r"],
      ["(Enter for example.com)", "\r"],
      ["Timezone for its days, such as Europe/Berlin (Enter for Asia/Tokyo)", "\r"],
    ]);
    expect(again.stderr).toContain("These logs were counted with the days of Asia/Tokyo.");
    const saved = { logs: [path("access.log")], site: ["example.com"] };
    expect(readProfileOptions(home, "default")).toEqual(saved);

    const kept = await login(home, [
      [`${path("access.log")})`, "\r"],
      ["(Enter for Asia/Tokyo)", "europe/berlin\r"],
    ]);
    expect([kept.code, readProfileOptions(home, "default")]).toEqual([
      0,
      { ...saved, timezone: "Europe/Berlin" },
    ]);
    const { stdout } = await runShell(["logs", "--list"], { environment: home });
    expect(stdout).toContain("timezone Europe/Berlin");
  });

  it("shows commands that work in any folder, whatever path is typed", async () => {
    const { stderr } = await login(createHome(), [
      [ANY, `${relative(".", path("access.log"))}\r`],
      ["(Enter for example.com)", "\r"],
      ["Timezone", "UTC\r"],
    ]);
    expect(stderr).toContain(`--geoip countries ${path("access.log")}\n`);
  });

  it("asks for the default among files of several sites, which are all read", async () => {
    const logs = ["a.example", "b.example"].map((site) => `${site}=${path(`${site}.access.log`)}`);
    const found = [{ server: "nginx", patterns: logs, isReadable: true }];
    for (const [typed, site] of [
      ["b.example", ["b.example"]],
      ["", undefined],
    ] as const) {
      const home = createHome();
      const { code, stdout, stderr } = await login(
        home,
        [
          [ANY, "1\r"],
          ["Site to use when none is named (Enter for none)", `${typed}\r`],
          ["Timezone", "UTC\r"],
        ],
        found,
      );
      expect([code, readProfileOptions(home, "default")]).toEqual([
        0,
        { logs, timezone: "UTC", ...(site && { site }) },
      ]);
      expect(stdout).toMatch(/a\.example[\s\S]*b\.example/);
      expect(stderr).not.toContain("Sites to read");
    }
  });

  it("asks which of several sites to read, and again for one that the logs do not have", async () => {
    const home = createHome();
    const { code, stderr } = await login(home, [
      [ANY, "3\r"],
      ["no number 3", "2\r"],
      ["(Enter for all)", "example.org\r"],
      ['no site "example.org"', "https://docs.example.com/\r"],
      ["Timezone", "UTC\r"],
    ]);
    expect([code, readProfileOptions(home, "default")]).toEqual([
      0,
      { logs: [path("vhosts.log")], site: ["docs.example.com"], timezone: "UTC" },
    ]);
    expect(stderr).toContain("They have docs.example.com, example.com.");
  });

  it("proposes no site where the pages of several ask for files", async () => {
    const home = createHome();
    const { code } = await login(
      home,
      [
        ["path of access logs", `shop.example=${path("mixed.log")}\r`],
        ["Timezone", "UTC\r"],
      ],
      [],
    );
    expect([code, readProfileOptions(home, "default")?.logs]).toEqual([
      0,
      [`shop.example=${path("mixed.log")}`],
    ]);
    const { stderr } = await login(createHome(), [
      [ANY, `${path("mixed.log")}\r`],
      ["Site name for these logs, such as example.com: ", "\r"],
      ["not the name of a site", "\x03"],
    ]);
    expect(stderr).toContain("Cancelled: nothing was saved.");
  });

  it.each<[string, string, RegExp]>([
    ["a file that is no log", path("no.log"), /format/],
    ["a slip in a path", `${path("mixed.log")}g`, /have lines: 'a\.example=\//],
    ["a folder without files", "EMPTY", /a folder without files/],
    ["a folder without a slash", "src", /\/src\/\w+\.ts begins with 50 lines in no known format/],
    ["a pattern in quotes", "'EMPTY/nobody*'", /matches "\/\S+\/empty\/nobody\*"\. Check the path\./],
    ["ClickHouse", "https://reader@host:8443/web", /login --clickhouse/],
    ["plain http", "http://stats.example.test", /plain http/],
    ["a key", "demo-key-of-acme", /neither an address nor a file.* Such as https:.* or \/var\//],
  ])("asks again after %s", async (_, typed, said) => {
    const empty = `${folder}/empty`;
    mkdirSync(empty, { recursive: true });
    const { code, stderr } = await login(createHome(), [
      [ANY, `${typed.replace("EMPTY", empty)}\r`],
      [ANY, "\x04"],
    ]);
    expect([code, stderr]).toEqual([130, expect.stringMatching(said)]);
  });
});

describe("a log beside its rotated files", () => {
  const rotated = createLogFolder({
    "access.log": joinLines(asset("shop.example"), combined()),
    "access.log.1": joinLines(combined({ at: "2026-11-20T12:00:00Z" })),
  });
  const log = rotated.path("access.log");
  const note = "Beside access.log, 1 older file of the same log is not read.";
  const run = (home: Record<string, string>, ...argv: string[]) =>
    runShell([...argv, "--logs", log], { environment: home, columns: 200, clock: () => LOG_NOW });

  it.each([
    ["\r", "*"],
    ["no\r", ""],
  ])("is offered as a whole at a login that names it, and its site asked for (%j)", async (typed, end) => {
    const home = createHome();
    const argv = ["login", "--logs", log];
    const { code, stderr } = await runShell(argv, {
      environment: home,
      columns: 200,
      isTTY: true,
      answers: [
        [`${note} Read ${log}* instead: yes or no (Enter for yes)`, "maybe\r"],
        ["neither yes nor no", typed],
        ["(Enter for shop.example)", "\r"],
        ["Timezone for its days", "Europe/Berlin\r"],
      ],
    });
    expect([code, readProfileOptions(home, "default")]).toEqual([
      0,
      { logs: [`${log}${end}`], site: ["shop.example"], timezone: "Europe/Berlin" },
    ]);
    expect(stderr).toContain(`Found: ${end === "" ? "" : "2026-11-20 to "}2026-11-21, `);
  });

  it("is named once by the first answer, by each login and by doctor, with what its pages call their site", async () => {
    const home = createHome();
    const site = ["--site", "example.com"];
    const advice = `${note} A pattern reads them, too: --logs '${log}*'\n`;
    const called =
      "The pages in these logs call their site shop.example, not example.com. To count them by that name: --site shop.example\n";
    expect((await run(home, "stats", ...site)).stderr).toContain(`warning: ${advice}warning: ${called}`);
    expect((await run(home, "stats", ...site)).stderr).not.toMatch(/Beside|call their site/);
    expect((await run(home, "login", ...site)).stderr).toContain(`warning: ${advice}warning: ${called}`);
    expect((await run(home, "doctor", "--json", ...site)).stdout).toContain(
      `2 lines; 1 file present. ${note}`,
    );
    const { stderr } = await runShell(["logs", log], { environment: home, clock: () => LOG_NOW });
    expect(stderr).toContain(
      "It counts as example.com. Its pages call it shop.example: to count it by that name, ask with --site shop.example\n",
    );
    expect(stderr).not.toContain("add --site");
    const clean = await run(createHome(), "stats", "--site", "shop.example");
    expect(clean.stderr).not.toContain("call their site");
  });
});

it("says at a login that logs are empty, and what to type where there are none", async () => {
  const { path } = createLogFolder({ "access.log": "" });
  const { stderr } = await login(
    createHome(),
    [
      ["Plausible, ClickHouse or", "\r"],
      ["Such as https://stats.example.com, or /var/log/nginx", "\x04"],
    ],
    [{ server: "nginx", patterns: [path("access.log")], isReadable: true }],
  );
  expect(stderr).toContain("  -  nginx: The logs are empty.\n");
});

describe("login at a terminal, by address", () => {
  it("asks again after an address that fails and a key that is refused, and reads a service by its own words", async () => {
    const [service, port] = await Promise.all([startDescribedService({ site: {} }), findPort()]);
    const home = createHome();
    const { code, stderr } = await login(
      home,
      [
        ["path of access logs", `127.0.0.1:${port}\r`],
        ["nothing is listening there", `${service.origin}\r`],
        ["API key (not shown", "wrong-key-of-acme\r"],
        ["does not accept this key", `${DESCRIBED_KEY}\r`],
        ["Site to use", "acme.example\r"],
        ["Timezone for its days", "Nowhere\r"],
        ["Nowhere", "Europe/Berlin\r"],
      ],
      [],
    );
    service.close();
    expect([code, readProfile(home, "default")]).toEqual([
      0,
      {
        baseUrl: `${service.origin}/api/v1`,
        apiKey: DESCRIBED_KEY,
        site: "acme.example",
        siteTimezones: { "*": "Europe/Berlin" },
      },
    ]);
    expect(stderr).toContain("This is how the service's own field names are read:");
    expect(stderr).not.toMatch(/key-of-acme/);
  });

  it("asks for the address again if the service has none of the contract's answers", async () => {
    const page = await startServer((_, response) =>
      send(response, 200, { "content-type": "text/html" }, "<p>Hi"),
    );
    const { code, stderr } = await login(
      createHome(),
      [
        ["path of access logs", `${page.origin}\r`],
        ["API key (not shown", "any-key-of-acme-0123456789\r"],
        ["path of access logs", "\x03"],
      ],
      [],
    );
    page.close();
    expect([code, stderr.split("path of access logs").length]).toEqual([130, 3]);
  });

  it("takes the name of a service for the service, and asks for its address", async () => {
    const { code, stderr } = await login(createHome(), [
      [ANY, "Matomo\r"],
      ["Address of Matomo", "\x04"],
    ]);
    expect([code, stderr]).toEqual([130, expect.stringContaining("Cancelled: nothing was saved.")]);
  });
});

describe("a server for which nothing is set up", () => {
  const initialize = {
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  };
  const listSites = { method: "tools/call", params: { name: "list_sites", arguments: {} } };

  /** Sends requests to a server for each step, once the one before is answered. Returns the results and the notifications. */
  async function converse(home: Record<string, string>, steps: (() => object)[]) {
    const stdin = new PassThrough();
    const left = steps.map((step, id) => () => ({ jsonrpc: "2.0", id, ...step() }));
    const next = () => {
      const step = left.shift();
      if (step === undefined) stdin.end();
      else stdin.write(`${JSON.stringify(step())}\n`);
    };
    next();
    const { stdout } = await runShell([], {
      environment: home,
      foundLogs: [nginx, apache, closed],
      stdin,
      onStdout: (text) => text.includes('"id":') && next(),
    });
    const frames = stdout.trim().split("\n").map(readFrame);
    const of = (id: number) => frames.find((frame) => frame.id === id)?.result;
    return { results: steps.map((_, id) => of(id)), said: frames.flatMap(({ method }) => method ?? []) };
  }

  const plausible = { service: "plausible" as const, baseUrl: "https://127.0.0.1:1" };
  const readFrame = (line: string) => JSON.parse(line);

  it("says how many logs there are, but not where, and the command that sets up", async () => {
    const { results } = await converse(createHome(), [() => initialize, () => listSites]);
    const { isError, content } = results[1];
    expect([isError, content[0].text]).toEqual([
      true,
      expect.stringMatching(
        /^Nothing is set up yet\. This machine has 3 access logs \(nginx, Apache, Caddy\)\.\nIn a terminal, run: npx -y analytics-mcp login\./,
      ),
    ]);
    expect(content[0].text).not.toMatch(/dashboard|\/closed|access\.log/);
  });

  it.each([
    ["logs", { options: { logs: [path("vhosts.log")], timezone: "UTC" } }, "docs.example.com", true],
    ["a service with fewer tools", { ...plausible, apiKey: "k" }, undefined, false],
  ])("answers from %s that are set up while it runs", async (_, profile, site, hasCrawlers) => {
    const home = createHome();
    const { results, said } = await converse(home, [
      () => initialize,
      () => listSites,
      () => {
        writeProfile(home, "default", profile);
        return listSites;
      },
      () => ({ method: "tools/list" }),
    ]);
    const [{ capabilities }, before, after, list] = results;
    expect([capabilities.tools, before.isError]).toEqual([{ listChanged: true }, true]);
    expect(after.structuredContent?.sites[0].domain).toBe(site);
    const names = list.tools.map(({ name }: { name: string }) => name);
    expect([names.includes("get_crawlers"), said]).toEqual(
      hasCrawlers ? [true, []] : [false, ["notifications/tools/list_changed"]],
    );
  });
});
