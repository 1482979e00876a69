import { HttpResponse, http } from "msw";
import { describe, expect, it } from "vitest";
import { GLOBEX_KEY } from "../support/api.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

const { network, ask } = fakeNetwork();

const shell = (argv: string[], environment: Record<string, string> = service, isTTY = false) =>
  runShell(argv, { environment: { NO_COLOR: "1", ...environment }, isTTY });

describe("a command asks the service", () => {
  it.each([
    [["sites"], "/sites"],
    [["stats", "--site", "example.com", "--days", "7"], "/stats?site=example.com&days=7"],
    [["timeseries", "--site", "example.com"], "/timeseries?site=example.com&days=28"],
    [
      ["breakdown", "--site", "example.com", "--dimension", "pages", "--limit", "3", "--days", "7"],
      "/breakdown?site=example.com&dimension=pages&limit=3&days=7",
    ],
    [["realtime", "--site", "example.com"], "/realtime?site=example.com"],
    [["openapi"], "/openapi.json"],
  ])("%j --json prints the answer", async (argv, path) => {
    const { code, stdout, stderr } = await shell([...argv, "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    const { highest: _, lowest: __, ...printed } = JSON.parse(stdout);
    // A series also has the weekday of each day.
    const points = printed.points?.map(({ weekday: _, ...point }: { weekday: string }) => point);
    expect({ ...printed, ...(points && { points }) }).toEqual((await ask(`/api/v1${path}`)).body);
  });

  it("prints tab-separated values in a pipe, and what to know about them on stderr", async () => {
    const { body } = await ask("/api/v1/stats?site=example.com&days=7");
    const { stdout, stderr } = await shell(["stats", "--site", "example.com", "--days", "7"]);
    const [names, counts] = stdout.split("\n").map((line) => line.split("\t"));
    expect(names?.slice(0, 4)).toEqual(["visitors", "pageviews", "events", "visits"]);
    expect(counts?.slice(0, 4)).toEqual(
      [body.visitors, body.pageviews, body.events, body.visits].map((count) => `${count}`),
    );
    expect(stderr).toContain(
      "Today, Saturday, is incomplete (data to 05:05).\nVisitors are unique per day and added up: coming on two days counts twice.\nA visit ends after 30 minutes without a hit",
    );
  });

  it("prints an aligned table at a terminal", async () => {
    const { stdout } = await shell(
      ["breakdown", "--site", "example.com", "--dimension", "devices"],
      service,
      true,
    );
    expect(stdout).toMatch(
      /^devices of example.com, 2026-10-25 to 2026-11-21 \(28 days, today included,\nEurope\/Berlin\)\n\ndevices {2}visitors {2}page views {2}share\ndesktop {3,}\d/,
    );
    const [, , , header = "", ...rows] = stdout.trimEnd().split("\n");
    for (const row of rows) expect(row.replace(/ {2}[█▏▎▍▌▋▊▉]+$/, "")).toHaveLength(header.length);
  });

  it("site may be left out when the key has exactly one", async () => {
    const { code, stdout } = await shell(["stats", "--json"], { ...service, ANALYTICS_API_KEY: GLOBEX_KEY });
    expect([code, JSON.parse(stdout).site.domain]).toEqual([0, "globex.example"]);
  });

  it("--base-url goes before the environment", async () => {
    const { code } = await shell(["sites", "--base-url", `${BASE}/api/v1/`], {
      ...service,
      ANALYTICS_BASE_URL: "https://other.test",
    });
    expect(code).toBe(0);
  });
});

describe("--demo needs no key and no network", () => {
  it.each([
    "sites",
    "stats --site example.com",
    "timeseries --site example.com --days 7",
    "breakdown --site example.com --dimension channels",
    "realtime --site example.com",
    "openapi",
  ])("%s", async (command) => {
    const argv = command.split(" ");
    expect((await shell([...argv, "--demo"], {})).code).toBe(0);
    expect((await shell(["--demo", ...argv, "--json"], {})).code).toBe(0);
  });
});

describe("a failure has a cause, a hint and an exit code", () => {
  it.each([
    ["nothing set up", ["sites"], {}, 4, /Nothing is set up yet[\s\S]*login[\s\S]*--demo/],
    ["nothing to serve", ["serve"], {}, 4, /Nothing is set up yet[\s\S]*login[\s\S]*logs[\s\S]*--demo/],
    ["nobody to be", ["whoami"], {}, 4, /Nothing is set up yet/],
    [
      "no key",
      ["sites", "--base-url", "https://stats.example"],
      {},
      4,
      /There is no API key\.\nhint: .*ANALYTICS_API_KEY/,
    ],
    ["an unexpanded key", ["sites"], { ANALYTICS_API_KEY: "${KEY}" }, 4, /unexpanded/],
    [
      "a wrong key",
      ["sites"],
      { ...service, ANALYTICS_API_KEY: "wrong" },
      4,
      /not valid[\s\S]*ANALYTICS_API_KEY/,
    ],
    ["a key without a base URL", ["sites"], { ANALYTICS_API_KEY: "x" }, 2, /ANALYTICS_BASE_URL/],
    [
      "plain http",
      ["sites"],
      { ...service, ANALYTICS_BASE_URL: "http://stats.example.test" },
      2,
      /plain http/,
    ],
    [
      "an unknown site",
      ["stats", "--site", "nope.example"],
      service,
      6,
      /no site "nope.example"[\s\S]*docs.example.com/,
    ],
    [
      "a missing site",
      ["stats"],
      service,
      2,
      /: Which site\? You have 5: docs.example.com, .*\nhint: Name one: analytics-mcp stats docs/,
    ],
    ["days out of bounds", ["stats", "--site", "example.com", "--days", "400"], service, 2, /from 1 to 365/],
    [
      "days of two windows out of bounds",
      ["overview", "--site", "example.com", "--days", "365"],
      service,
      2,
      /--days must be a whole number from 1 to 182, not "365"\.[\s\S]*overview compares these days with as many before/,
    ],
    [
      "days that are no number",
      ["stats", "--site", "example.com", "--days", "7d"],
      service,
      2,
      /from 1 to 365/,
    ],
    ["empty days", ["stats", "--site", "example.com", "--days", ""], service, 2, /days must not be empty/],
    [
      "days twice",
      ["stats", "--site", "example.com", "--days", "7", "--days", "8"],
      service,
      2,
      /given only once/,
    ],
    [
      "a wrong dimension",
      ["breakdown", "--site", "x", "--dimension", "pags"],
      service,
      2,
      /: --dimension cannot be "pags"\.\nhint: Did you mean pages\? See/,
    ],
    ["an unknown option", ["stats", "--hours", "7"], service, 2, /Unknown option/],
    ["an option of another command", ["sites", "--days", "7"], service, 2, /Unknown option/],
    ["an unknown command", ["statz"], service, 2, /no command "statz"/],
    [
      "an unknown command with options",
      ["stat", "--site", "x"],
      service,
      2,
      /no command "stat"\.\nhint: Did you mean stats\? See analytics-mcp --help\.\n$/,
    ],
    [
      "--demo with a base URL",
      ["sites", "--demo", "--base-url", BASE],
      service,
      2,
      /Use --demo or --base-url, not both/,
    ],
    ["an empty base URL", ["sites", "--base-url", ""], service, 2, /--base-url is empty/],
    [
      "a base URL a step off",
      ["sites", "--base-url", `${BASE}/api`],
      service,
      2,
      /check the base URL: https:\/\/stats.example.test\/api\/api\/v1/,
    ],
    [
      "a wrong port",
      ["reference", "--port", "70000"],
      service,
      2,
      /^\S+: --port must be a whole number from 0 to 65535, not "70000"\.$/m,
    ],
    [
      "an option without its value",
      ["stats", "--days"],
      service,
      2,
      /--days needs a value: --days <number>\.$/m,
    ],
    [
      "an option with another value than its choices",
      ["config", "--platform", "beos"],
      service,
      2,
      /--platform must be one of macos, windows, linux, not "beos"\.$/m,
    ],
    [
      "a shell that completion does not know",
      ["completion", "nushell"],
      service,
      2,
      /completion supports bash, zsh, fish and powershell, not "nushell"\.$/m,
    ],
    ["no shell", ["completion"], service, 2, /<shell> is missing\.$/m],
  ] as [string, string[], Record<string, string>, number, RegExp][])(
    "%s",
    async (_, argv, environment, code, words) => {
      const result = await shell(argv, environment);
      expect([result.code, result.stdout]).toEqual([code, ""]);
      expect(result.stderr).toMatch(words);
      for (const key of [environment.ANALYTICS_API_KEY ?? ""].filter((text) => text.length > 4)) {
        expect(result.stderr).not.toContain(key);
      }
    },
  );

  it.each([
    [
      ["stats", "--api-key=sk-canary"],
      /Unknown option --api-key\.\nhint: No option takes a key: use .*login/,
    ],
    [["--api-key", "sk-canary", "stats"], /Unknown option --api-key\.\nhint: No option takes a key/],
    [["--token=sk-canary"], /Unknown option --token\.\nhint: No option takes a key/],
    [["stats", "--key", "sk-canary"], /Unknown option --key/],
    [["stats", "-ksk-canary"], /Unknown option -k\.\nhint: No option takes a key/],
    [["stats", "--profile", "--api-key=sk-canary"], /"-…" is not a valid profile name/],
    [["stats", "--profile=-tsk-canary"], /"-…" is not a valid profile name/],
    [["sites", "--demo", "--fields=--apikey:sk-canary"], /--fields: there is no field "-…" here/],
    [["conform", "--only", "--key=sk-canary"], /--only: there is no rule or section "-…"/],
    [["--api-key-stdin=sk-canary", "stats"], /--api-key-stdin[\s\S]*No option takes a key/],
    [["--site", "sk-canary", "stats"], /--site comes after the command: analytics-mcp stats --site …/],
    [["--demoo", "sk-canary", "stats"], /Unknown option --demoo\.\nhint: Did you mean --demo\?/],
  ] as [string[], RegExp][])(
    "the value of an option that there is not is never repeated: %j",
    async (argv, words) => {
      const { code, stdout, stderr } = await shell(argv, {});
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(words);
      expect(stderr).not.toContain("canary");
    },
  );

  it.each([["--site", "--api-key=sk-canary"], ["--site=-ksk-canary"]])(
    "nor is one that was given in a site's place: %j",
    async (...site) => {
      const { code, stderr } = await shell(["stats", "--demo", ...site], {});
      expect([code, stderr]).toEqual([6, expect.stringContaining('You have no site "-…".')]);
      expect(stderr).not.toContain("canary");
    },
  );

  it.each([
    [HttpResponse.error(), 5, "unreachable"],
    [new HttpResponse(null, { status: 500 }), 1, "internal_error"],
    [new HttpResponse("<html>", { headers: { "content-type": "text/html" } }), 1, "bad_answer"],
  ])("under --json it is JSON on stderr (%#)", async (response, code, name) => {
    network.use(http.all(`${BASE}/*`, () => response.clone()));
    const result = await shell(["sites", "--json"]);
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(JSON.parse(result.stderr).error).toMatchObject({ code: name, message: expect.any(String) });
  });
});

describe("help and version", () => {
  it("--version", async () => {
    expect(await shell(["--version"])).toEqual({ code: 0, stdout: "1.2.3\n", stderr: "" });
  });

  it.each(["--help", "stats --help", "reference --help"])(
    "%s goes to stdout and asks nothing",
    async (command) => {
      const { code, stdout, stderr } = await shell(command.split(" "), {});
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^Usage: analytics-mcp/);
    },
  );

  it("help and help <command> are the same", async () => {
    expect(await shell(["help"])).toEqual(await shell(["--help"]));
    expect(await shell(["help", "stats"])).toEqual(await shell(["stats", "--help"]));
  });

  it("a command's help has the contract's words", async () => {
    const { stdout } = await shell(["breakdown", "--help"]);
    const words = stdout.replace(/\s+/g, " ");
    expect(words).toContain("1 is today so far, 7 is today and the six days before. (1 to 365; default: 28)");
    expect(words).toContain("pages, entry_pages, exit_pages");
    expect(words).toContain("--demo");
  });
});

describe("hostile text of visitors", () => {
  it.each(["pages", "referrers", "utm_campaigns"])(
    "cannot move the cursor or forge a row (%s)",
    async (dimension) => {
      const argv = [
        "breakdown",
        "--site",
        "example.com",
        "--dimension",
        dimension,
        "--days",
        "365",
        "--limit",
        "1000",
      ];
      const { total_rows } = (
        await ask(`/api/v1/breakdown?site=example.com&days=365&limit=1000&dimension=${dimension}`)
      ).body;
      for (const isTTY of [false, true]) {
        const { stdout } = await shell(argv, service, isTTY);
        expect(stdout).not.toMatch(/[^\P{Cc}\n\t]|\p{Cf}/u);
        expect(stdout.trimEnd().split("\n")).toHaveLength(Number(total_rows) + (isTTY ? 4 : 1));
      }
      const { stdout } = await shell([...argv, "--json"]);
      expect(stdout).toMatch(/^[^\p{Cf}\u007f-\u009f]*$/u);
      expect(stdout).toContain("\\u");
    },
  );
});

describe("names of pages are complete as JSON, and different everywhere else", () => {
  const long = `/${"x".repeat(250)}`;
  const withLongNames = () =>
    network.use(
      http.get(`${BASE}/api/v1/breakdown`, async ({ request }) => {
        const { pathname, search } = new URL(request.url);
        const { body } = await ask(`${pathname}${search}`);
        const rows = body.rows as { value: string | null; label: string }[];
        for (const [index, row] of rows.entries()) {
          row.value = `${long}${index}\u200b`;
          row.label = row.value;
        }
        return HttpResponse.json(body);
      }),
    );
  const command = (name: string) => [name, "--site", "example.com", "--days", "7"];

  it.each(["overview", "compare"])("%s --json", async (name) => {
    withLongNames();
    const { stdout } = await shell([...command(name), "--json"]);
    expect(stdout).toContain(`${long}0\\u200b`);
  });

  it.each([false, true])("at a terminal: %s", async (isTTY) => {
    withLongNames();
    const { stdout, stderr } = await shell(
      ["breakdown", "--dimension", "pages", ...command("x").slice(1)],
      service,
      isTTY,
    );
    const names = [...stdout.matchAll(/^\S*x…(?: \(\d+\))?/gm)].map(([name]) => name);
    expect(names).toHaveLength(10);
    expect(new Set(names).size).toBe(10);
    expect(stderr + stdout).toContain("A name that ends in a number in brackets");
  });
});
