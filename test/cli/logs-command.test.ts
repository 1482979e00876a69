import { describe, expect, it } from "vitest";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const clock = () => LOG_NOW;
const at = (day: number) => Date.parse(`2026-11-${day}T10:00:00Z`);

/** Two sites, a stranger's host, a scanner, a bot, and lines that cannot be read. */
const hosts = joinLines(
  combined({ host: "example.com", at: at(18) }),
  combined({ host: "www.example.com", at: at(18), target: "/about" }),
  combined({ host: "example.com", at: at(19), target: "/about", address: "192.0.2.2" }),
  combined({ host: "example.com", at: at(19), target: "/guide.pdf", address: "192.0.2.2" }),
  combined({ host: "example.com", at: at(19), target: "/guide.pdf", address: "192.0.2.3" }),
  combined({ host: "docs.example.com", at: at(19), target: "/install" }),
  combined({ host: "example.com", at: at(19), target: "/app.css" }),
  combined({ host: "example.com", at: at(19), target: "/\\x1b[31mred", status: 404 }),
  combined({
    host: "example.com",
    at: at(19),
    target: "/reset/4f9c1a7be02d4c51a7be02d4c51aff00",
    status: 404,
  }),
  combined({ host: "203.0.113.9", at: at(19), target: "/" }),
  combined({ host: "example.com", at: at(19), agent: "GPTBot/1.2" }),
  combined({ host: "example.com", at: at(19), agent: "-" }),
  combined({ host: "example.com", at: at(19), address: "198.51.100.9" }),
  ...["/.env", "/.git/config", "/wp-login.php"].map((target) =>
    combined({ host: "example.com", at: at(19), address: "198.51.100.9", target, status: 404 }),
  ),
  "garbage \u001b[2J",
);

async function runLogs(argv: string[], options = {}) {
  const answer = await runShell(["logs", ...argv], { clock, environment: { TZ: "UTC" }, ...options });
  return { ...answer, json: () => JSON.parse(answer.stdout) };
}

describe("analytics-mcp logs", () => {
  it("shows what would be counted, and the lines add up", async () => {
    const { path } = createLogFolder({ "access.log": hosts, "error.log": "2026/11/21 05:05:10 [error] x\n" });
    const { json, code } = await runLogs([path("*.log"), "--timezone", "UTC", "--json"]);
    expect(code).toBe(0);
    const run = json();
    expect(run).toMatchObject({
      files: [
        {
          file: path("access.log"),
          format: "combined",
          lines: 17,
          bytes: Buffer.byteLength(hosts),
          first_day: "2026-11-18",
          last_day: "2026-11-19",
          damage: null,
        },
      ],
      left_out: [{ file: path("error.log"), reason: "is an error log" }],
      sites: [
        { site: "docs.example.com", visitors: 1, pageviews: 1, events: 0, scanners: 0, proxied_days: 0 },
        { site: "example.com", visitors: 2, pageviews: 3, events: 1, scanners: 1, first_day: "2026-11-18" },
      ],
      other_hosts: [{ host: "(no host name)", lines: 1 }],
      lines: 17,
      pages: [
        { site: "example.com", path: "/about", pageviews: 2 },
        { site: "example.com", path: "/", pageviews: 1 },
        { site: "docs.example.com", path: "/install", pageviews: 1 },
      ],
      bots: [
        { name: "(no user agent)", requests: 1 },
        { name: "GPTBot", requests: 1 },
      ],
      unreadable: ["garbage [2J"],
      timezone: "UTC",
    });
    expect(run.not_found.map(({ path: target }: { path: string }) => target)).toContain("/reset/:token");
    const counts = Object.fromEntries(
      run.outcomes.map(({ outcome, lines }: { outcome: string; lines: number }) => [outcome, lines]),
    );
    expect(counts).toEqual({
      page_view: 4,
      scanner_page_view: 1,
      download: 1,
      other_download: 1,
      static: 1,
      not_found: 5,
      other_host: 1,
      bot: 2,
      unreadable: 1,
    });
    expect(Object.values<number>(counts).reduce((sum, count) => sum + count, 0)).toBe(run.lines);
  });

  it("counts what queries count", async () => {
    const { path } = createLogFolder({ "access.log": hosts });
    const options = ["--logs", path("access.log"), "--timezone", "UTC"];
    const words = ["stats", "example.com", "--from", "2026-11-18", "--to", "2026-11-19", "--json"];
    const { stdout } = await runShell([...words, ...options], { clock });
    expect(JSON.parse(stdout)).toMatchObject({ visitors: 2, pageviews: 3, events: 1 });
  });

  it("shows the ends of long paths at a terminal", async () => {
    const { path } = createLogFolder({
      "access.log": hosts,
      "access.log.1": joinLines(combined({ at: at(17) })),
    });
    const { stdout } = await runLogs([path("access.log*")], { isTTY: true, columns: 60 });
    expect(stdout).toMatch(/…\S*access\.log {2}/);
    expect(stdout).toMatch(/…\S*access\.log\.1 {2}/);
  });

  it("fits 40 columns without cutting the names of sites", async () => {
    const { path } = createLogFolder({ "access.log": hosts });
    const { stdout } = await runLogs([path("access.log")], {
      isTTY: true,
      columns: 40,
      environment: { NO_COLOR: "1" },
    });
    expect(stdout.split("\n").filter((line) => line.length > 40)).toEqual([]);
    expect(stdout).toMatch(/^docs\.example\.com +\d/m);
  });

  it("leaves hosts out that --site does not name", async () => {
    const { path } = createLogFolder({ "access.log": hosts });
    const { json } = await runLogs([path("access.log"), "--site", "docs.example.com", "--json"]);
    expect(json()).toMatchObject({
      sites: [{ site: "docs.example.com" }],
      other_hosts: [
        { host: "example.com", lines: 14 },
        { host: "(no host name)", lines: 1 },
      ],
      lines: 17,
    });
  });

  it("needs no name for a log of one site", async () => {
    const { path } = createLogFolder({ "access.log": joinLines(combined(), combined({ target: "/b" })) });
    const { json } = await runLogs([path("access.log"), "--json"]);
    expect(json()).toMatchObject({ sites: [{ site: "(unnamed)", pageviews: 2 }], other_hosts: [] });
    const { stderr } = await runLogs([path("access.log")]);
    expect(stderr).toContain("To query it, add --site example.com");
  });

  it("takes the options of --logs, and its files from there or the environment", async () => {
    const { path } = createLogFolder({ "access.log": joinLines(combined(), combined({ target: "/admin" })) });
    const options = ["--site", "example.com", "--exclude-path", "/admin", "--json"];
    const runs = [
      await runLogs([path("access.log"), ...options]),
      await runLogs(["--logs", path("access.log"), ...options]),
      await runLogs(options, { environment: { ANALYTICS_LOGS: path("access.log") } }),
    ];
    for (const { json } of runs) {
      expect(json()).toMatchObject({
        sites: [{ site: "example.com", pageviews: 1 }],
        outcomes: [
          { outcome: "page_view", lines: 1 },
          { outcome: "excluded", lines: 1, examples: ["/admin"] },
        ],
      });
    }
  });

  it("reads standard input, and so do queries", async () => {
    const stdin = joinLines(combined({ at: at(19) }), combined({ at: at(19), target: "/b" }));
    const { json } = await runLogs(["-", "--json"], { stdin });
    expect(json()).toMatchObject({ files: [{ file: "-", lines: 2 }], lines: 2 });
    const words = ["stats", "--logs", "-", "--site", "example.com", "--days", "7", "--json"];
    const { stdout } = await runShell(words, { clock, stdin });
    expect(JSON.parse(stdout)).toMatchObject({ visitors: 1, pageviews: 2 });
  });

  it("marks what visitors wrote, and prints none of their controls", async () => {
    const { path } = createLogFolder({ "access.log": hosts });
    const { stdout, stderr } = await runLogs([path("access.log")], {
      isTTY: true,
      environment: { NO_COLOR: "1" },
    });
    expect(stdout + stderr).not.toContain("\u001b");
    expect(stdout).toContain("(no host name)");
  });

  it.each([
    ["no file", [], {}, "Name the log files."],
    ["a file that is not there", ["/missing.log"], {}, 'No log file matches "/missing.log"'],
    ["a terminal in place of a pipe", ["-"], { isTyped: true }, "nothing is piped into the program"],
    ["databases of places", ["--geoip", "a.mmdb", "b.mmdb", "-"], {}, '"b.mmdb" is a database of places'],
    ["a timezone that is none", ["-", "--timezone", "Mars"], {}, "there is no timezone"],
    ["nothing on standard input", ["-"], {}, "The logs are empty."],
  ])("%s is an error", async (_, argv, options, message) => {
    const { code, stderr } = await runLogs(argv, options);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("files whose names have sites", () => {
  const text = joinLines(combined({ at: at(19) }), combined({ at: at(19), address: "192.0.2.2" }));
  const { path } = createLogFolder({
    "access.log": "",
    "blog.example.net.access.log": text.replaceAll("2026", "2025"),
    "www.shop.example.access.log": text,
    "shop.example.access.log.1": text.replaceAll("192", "193"),
  });
  const blog = `'blog.example.net=${path("blog.example.net.access.log*")}'`;
  const shop = "shop.example=";
  const stats = (logs: string, site = "shop.example") =>
    runShell(["stats", "--logs", logs, "--site", site, "--period", "2026-11-19", "--json"], {
      clock,
      environment: { TZ: "UTC" },
    });

  it.each([
    ["a site", [], "shop.example", `Name the site of each: --logs '${shop}`],
    ["another", ["--site", "other.example"], "other.example", `each: --logs ${blog} --logs '${shop}`],
  ])("are refused together as %s, with how to name them", async (_, words, site, hint) => {
    const answers = [await stats(path("*"), site)];
    if (words.length > 0) answers.push(await runLogs([path("*"), ...words]));
    for (const { code, stderr } of answers) {
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("several sites: blog.example.net, shop.example."),
      ]);
      expect(stderr).toContain(hint);
      expect(stderr).toContain(`If all of them are about ${site}: --logs '${site}=${path("*")}'`);
    }
  });

  it("are shown together, with how to ask about them", async () => {
    const { code, stderr } = await runLogs([path("*")]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`To query them: --logs ${blog} --logs '${shop}`),
    ]);
  });

  it("count for one site that is named for them, or if they have one alone", async () => {
    for (const logs of [`shop.example=${path("*")}`, path("*shop.example*")])
      expect(JSON.parse((await stats(logs)).stdout)).toMatchObject({ visitors: 4 });
  });

  it.each([["access.log"], ["missing.log*"]])("are named where %s has no line", async (name) => {
    const { code, stderr } = await stats(path(name));
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`Other logs there have lines: --logs ${blog}`),
    ]);
  });
});

describe("standard input has another use", () => {
  it.each([
    ["in the MCP server", ["--logs", "-"], "The MCP server cannot read --logs from standard input."],
    ["in a client's settings", ["config", "cursor", "--logs", "-"], "cannot read --logs from standard input"],
  ])("%s", async (_, argv, message) => {
    const { code, stderr } = await runShell(argv, { clock });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
