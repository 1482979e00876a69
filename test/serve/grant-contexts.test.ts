import { expect, it, vi } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { sites } from "../../src/operations/index.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { createGrantContexts } from "../../src/serve/grant-contexts.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";

const MINUTE = 60_000;

/** Grant contexts, and the keys of the clients they have opened. */
function start() {
  const { api } = createTestApi();
  const time = { now: Date.now() };
  const reached: string[] = [];
  const contextOf = createGrantContexts({
    open: (apiKey, limits) => {
      reached.push(apiKey);
      return createHttpClient({
        readTarget: () => ({
          baseUrl: "https://stats.example.test/api/v1",
          apiKey: DEMO_KEY,
          fetch: async (url, init) => api(new Request(url, init)),
        }),
        clock: () => time.now,
        limits: limits ?? {},
      }).call;
    },
    clock: () => time.now,
    createLimit: () => () => {},
    revoke: async () => {},
  });
  const ask = (grantId: string) =>
    contextOf({ grantId, clientId: "client", apiKey: `key of ${grantId}` }).call(sites, {});
  return { ask, time, reached };
}

it("a grant in use keeps its context", async () => {
  const { ask, time, reached } = start();
  for (let turn = 0; turn < 10; turn++) {
    await ask("one");
    time.now += 4 * MINUTE;
  }
  expect(reached).toEqual(["key of one"]);
});

it("a grant that is idle for five minutes is removed with its key when another one calls", async () => {
  const { ask, time, reached } = start();
  await ask("one");
  time.now += 3 * MINUTE;
  await ask("two");
  time.now += 2 * MINUTE;
  await ask("two");
  await ask("one");
  expect(reached).toEqual(["key of one", "key of two", "key of one"]);
});

it("of more than a thousand grants, the least recently used are removed", async () => {
  const { ask, reached } = start();
  for (let index = 0; index < 1_001; index++) await ask(`${index}`);
  await ask("1");
  expect(reached).toHaveLength(1_001);
  await ask("0");
  expect(reached).toHaveLength(1_002);
});

/** The calls of a grant on the made-up data. `sites` can be made to fail. */
function startOnDemo() {
  const clock = () => NOW;
  const revoke = vi.fn(async () => {});
  const active = vi.fn();
  const refused = { key: false };
  const contextOf = createGrantContexts({
    open: () =>
      createLocalCall(async () => {
        const source = await demo.open({ clock, environment: {}, flags: {} });
        return {
          ...source,
          active,
          sites: async () => {
            if (refused.key) throw new AnalyticsError("invalid_api_key", "Revoked.", { status: 401 });
            return source.sites();
          },
        };
      }, clock),
    clock,
    createLimit: () => () => {},
    revoke,
  });
  const { call } = contextOf({ grantId: "one", clientId: "client", apiKey: "key" });
  const ask = (name: string, params: object) =>
    findQuery(name).ask(call, { site: "example.com", days: 30, limit: 10, ...params }, {});
  return { ask, revoke, active, refused };
}

it("a grant's source answers for any days directly, by its own clock", async () => {
  const { ask, active } = startOnDemo();
  const { result } = await ask("crawlers", { period: "last_week" });
  expect(result).toMatchObject({ period: { from: "2026-11-09", to: "2026-11-15" } });
  expect(active).not.toHaveBeenCalled();
});

it("a revoked key ends the grant, whatever is asked first", async () => {
  const { ask, revoke, refused } = startOnDemo();
  refused.key = true;
  await expect(ask("stats", { period: "last_week" })).rejects.toMatchObject({ code: "invalid_api_key" });
  expect(revoke).toHaveBeenCalledTimes(1);
});

it("a service that cannot be reached is for whoever runs the connector, not for the person who asks", async () => {
  const unreachable = new AnalyticsError("unreachable", "It is down.", { hint: "Check HTTPS_PROXY." });
  const contextOf = createGrantContexts({
    open: () => async () => Promise.reject(unreachable),
    clock: () => NOW,
    createLimit: () => () => {},
    revoke: async () => {},
  });
  const { call } = contextOf({ grantId: "one", clientId: "client", apiKey: "key" });
  await expect(call(sites, {})).rejects.toMatchObject({
    code: "unreachable",
    message: "It is down.",
    hint: "Tell whoever runs this connector. For them: Check HTTPS_PROXY.",
  });
});
