import type { McpServerFactory } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { createServer } from "../../src/mcp/mcp-server.ts";
import { createTestApi, DEMO_KEY } from "../support/api.ts";
import { startHttpServer } from "../support/http-server.ts";
import { conformanceSuite, newerNode } from "../support/tools.ts";
import { createFixtureServer } from "./fixtures.ts";
import { failuresOf, NEEDS_FIXTURES, removeResults, revisions, runSuite } from "./suite.ts";

afterAll(removeResults);

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
    const { call } = createHttpClient({
      readTarget: () => ({
        baseUrl: "https://stats.example.test/api/v1",
        apiKey: DEMO_KEY,
        fetch: async (url, init) => api(new Request(url, init)),
      }),
      clock: () => time.now,
    });
    const createDomainServer: McpServerFactory = () =>
      createServer({ call, version: "0.0.0", admit: () => {}, about: { label: "a test" }, options: [] });
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
