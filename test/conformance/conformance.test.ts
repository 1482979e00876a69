import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { createMcpServer } from "../../src/mcp/server.ts";
import { createTestApi, DEMO_KEY } from "../support/api.ts";
import { startHttpServer } from "../support/http-server.ts";
import { conformanceSuite, newerNode } from "../support/tools.ts";
import { createFixtureServer } from "./fixtures.ts";

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

const run = promisify(execFile);
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Runs the suite on a server; gives the checks of each scenario that the revision scores. */
async function runSuite(revision: string, url: string) {
  const suite = conformanceSuite ?? "";
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  folders.push(folder);
  const args = [suite, "server", "--url", url, "--requirements", revision, "--output-dir", folder];
  // It fails where any scored check fails: what failed is read from its files.
  const code = await run(newerNode ?? "", args).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  const requirements = readFileSync(join(dirname(suite), "..", "requirements", `${revision}.yaml`), "utf8");
  const [, list = ""] = /^server:\n((?: {2}- .+\n)+)/m.exec(requirements) ?? [];
  const scored = [...list.matchAll(/- (.+)/g)].map(([, name = ""]) => name);
  const results = readdirSync(folder);
  const scenarios = scored.map((name) => {
    const own = results.find((each) => each.startsWith(`server-${name}-20`));
    const checks = own === undefined ? "[]" : readFileSync(join(folder, own, "checks.json"), "utf8");
    return { name, checks: JSON.parse(checks) as Check[] };
  });
  return { code, scenarios };
}

const failuresOf = ({ name, checks }: { name: string; checks: Check[] }) =>
  checks
    .filter((check) => check.status === "FAILURE")
    .map((check) => `${name}: ${check.id}: ${check.errorMessage}`);

/** Scenarios that call what the suite's own fixtures offer, or what this server does not: logs, subscriptions. */
const NEEDS_FIXTURES =
  /^(tools-call-|resources-read-|resources-templates-|resources-(un)?subscribe|prompts-get-|elicitation-|input-required-|completion-|logging-)/;

const revisions = [
  { revision: "2026-07-28", scored: 37 },
  { revision: "2025-11-25", scored: 30 },
];

describe.skipIf(!newerNode || !conformanceSuite)("the official conformance suite, by its HTTP stack", () => {
  const open: { close(): Promise<void> }[] = [];
  const start = async (...options: Parameters<typeof startHttpServer>) => {
    const server = await startHttpServer(...options);
    open.push(server);
    return server.url;
  };
  afterAll(() => Promise.all(open.map((server) => server.close())));

  let fixtures = "";
  let domain = "";
  beforeAll(async () => {
    const { api, time } = createTestApi();
    const { call } = createClient({
      readTarget: () => ({
        baseUrl: "https://stats.example.test/api/v1",
        apiKey: DEMO_KEY,
        fetch: async (url, init) => api(new Request(url, init)),
      }),
      clock: () => time.now,
    });
    const createDomainServer: McpServerFactory = () =>
      createMcpServer({ call, version: "0.0.0", admit: () => {}, demo: false });
    fixtures = await start(createFixtureServer, { sessions: true });
    domain = await start(createDomainServer);
  });

  it.each(revisions)(
    "$revision: no scored check fails with the suite's fixtures",
    async ({ revision, scored }) => {
      const { code, scenarios } = await runSuite(revision, fixtures);
      expect(scenarios.flatMap(failuresOf)).toEqual([]);
      expect(scenarios.filter(({ checks }) => checks.length === 0)).toEqual([]);
      expect([code, scenarios.length]).toEqual([0, scored]);
    },
  );

  it.each(revisions)(
    "$revision: the analytics server passes all that needs no fixture",
    async ({ revision }) => {
      const { scenarios } = await runSuite(revision, domain);
      const own = scenarios.filter(({ name }) => !NEEDS_FIXTURES.test(name));
      expect(own.length).toBeGreaterThanOrEqual(7);
      const failures = own.flatMap(failuresOf);
      // Within a scenario of its own, a check may still look for a fixture: the suite says so.
      expect(failures.filter((each) => !/Not testable: .*'test_\w+'/.test(each))).toEqual([]);
      expect(own.filter(({ checks }) => !checks.some(({ status }) => status === "SUCCESS"))).toEqual([]);
    },
  );
});
