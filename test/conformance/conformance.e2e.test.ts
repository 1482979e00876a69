import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHttpServer } from "../support/http-server.ts";
import { conformanceSuite, newerNode } from "../support/tools.ts";
import { createFixtureServer } from "./fixtures.ts";
import { failuresOf, removeResults, revisions, runSuite } from "./suite.ts";

afterAll(removeResults);

describe.skipIf(!newerNode || !conformanceSuite)("the official conformance suite, by its HTTP stack", () => {
  let server: Awaited<ReturnType<typeof startHttpServer>>;
  beforeAll(async () => {
    server = await startHttpServer(createFixtureServer, { sessions: true });
  });
  afterAll(() => server.close());

  it.each(revisions)(
    "$revision: no scored check fails with the suite's fixtures",
    async ({ revision, scored }) => {
      const { code, scenarios } = await runSuite(revision, server.url);
      expect(scenarios.flatMap(failuresOf)).toEqual([]);
      expect(scenarios.filter(({ checks }) => checks.length === 0)).toEqual([]);
      expect([code, scenarios.length]).toEqual([0, scored]);
    },
  );
});
