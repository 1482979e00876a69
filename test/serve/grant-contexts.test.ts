import { expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { sites } from "../../src/operations/index.ts";
import { createGrantContexts } from "../../src/serve/grant-contexts.ts";
import { createTestApi, DEMO_KEY } from "../support/api.ts";

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

it("a grant in use keeps its client", async () => {
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
