import { HttpResponse, http } from "msw";
import { expect, it } from "vitest";
import { DEMO_KEY, NOW } from "../support/api.ts";
import { combined, createLogFolder, joinLines } from "../support/logs.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const { network, asked } = fakeNetwork();
const acme = { baseUrl: `${BASE}/api/v1`, apiKey: DEMO_KEY };

/** `analytics-mcp` where a person has typed it. */
const type = (argv: string[], environment: Record<string, string> = {}) =>
  runShell(argv, { isTTY: true, isTyped: true, environment: { NO_COLOR: "1", ...environment } });

it.each([
  ["without a profile", {}],
  ["with two profiles and no choice", createHome({ one: acme, two: acme })],
])("alone at a terminal it shows help and where to begin: %s", async (_, environment) => {
  const { code, stdout, stderr } = await type([], environment);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: analytics-mcp/)]);
  expect(stderr).toContain("analytics-mcp overview --demo");
  expect(stderr).toContain("analytics-mcp login");
  expect(asked).toEqual([]);
});

it.each([
  ["of the profile", [], createHome({ default: { ...acme, site: "docs.example.com" } }), "docs.example.com"],
  ["of the environment", [], { ...service, ANALYTICS_SITE: "example.com" }, "example.com"],
  ["of the demo", ["--demo"], {}, "example.com"],
  [
    "unless another is named",
    ["--site", "example.com"],
    createHome({ default: { ...acme, site: "docs.example.com" } }),
    "example.com",
  ],
])("shows the overview of the default site %s", async (_, argv, environment, site) => {
  const { code, stdout, stderr } = await type(argv, environment);
  expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${site}, [^]*\\n\\nmeasure`))]);
  expect(stderr).toContain("All commands: analytics-mcp help");
});

it.each([
  ["of one site", ["example.com"], /^example\.com, 2026-11-21 \(1 day, UTC\), so far\n\nmeasure/],
  [
    "of two sites",
    ["a.example", "b.example"],
    /^error: Which site\? You have 2: a\.example, b\.example\.\nhint: Name one: analytics-mcp overview a\.example --logs\s/,
  ],
])("shows the overview with a log %s, or asks which", async (_, hosts, screen) => {
  const lines = hosts.map((host) => combined({ host, at: NOW - 60_000 }));
  const { path } = createLogFolder({ "access.log": joinLines(...lines) });
  const { code, stdout, stderr } = await type(["--logs", path("access.log"), "--timezone", "UTC"]);
  expect([code, stdout || stderr]).toEqual([hosts.length === 1 ? 0 : 2, expect.stringMatching(screen)]);
});

it("asks which site of a service's, with a command", async () => {
  const { code, stdout, stderr } = await type([], createHome({ default: acme }));
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(
    /^error: Which site\? You have 5: [\s\S]*\nhint: Name one: analytics-mcp overview docs\.example\.com\n/,
  );
});

it.each([
  ["a service that fails", [], createHome({ default: { ...acme, site: "example.com" } }), 1],
  ["a profile that was named and is not there", ["--profile", "nobody"], {}, 4],
])("reports %s", async (_, argv, environment, exit) => {
  network.use(http.all(`${BASE}/*`, () => new HttpResponse(null, { status: 500 })));
  const { code, stdout, stderr } = await type(argv, environment);
  expect([code, stdout]).toEqual([exit, ""]);
  expect(stderr).toMatch(/^error: /);
});

it.each([
  ["when standard input is not a terminal", [], false],
  ["with --stdio", ["--stdio"], true],
])("is the MCP server %s", async (_, argv, isTyped) => {
  const { code, stdout, stderr } = await runShell(["--demo", ...argv], { stdin: "hello\n", isTyped });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { jsonrpc: "2.0", error: { code: -32700 } }]);
  expect(stderr).toContain("a line on standard input is not JSON");
});

it("--stdio takes no command", async () => {
  const { code, stderr } = await type(["stats", "--demo", "--stdio"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--stdio starts the MCP server")]);
});

it.each([["-v"], ["-V"], ["--version"]])("%s prints the version", async (option) => {
  expect(await type([option])).toEqual({ code: 0, stdout: "1.2.3\n", stderr: "" });
});
