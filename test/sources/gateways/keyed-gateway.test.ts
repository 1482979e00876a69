import { afterAll, beforeAll, expect, it } from "vitest";
import { sites, stats } from "../../../src/operations/index.ts";
import { resolveKeyedSource } from "../../../src/sources/resolve-keyed-source.ts";
import { NOW } from "../../support/api.ts";
import type { FaultyServer } from "../../support/faulty-server.ts";
import { PLAUSIBLE_KEY, startSmallPlausible } from "../../support/small-plausible.ts";

let server: FaultyServer;
beforeAll(async () => {
  server = await startSmallPlausible();
});
afterAll(() => server.close());

const open = () =>
  resolveKeyedSource(
    { service: "plausible", baseUrl: server.origin },
    {
      environment: { ANALYTICS_SITE_TIMEZONES: "example.com=Europe/Berlin" },
      clock: () => NOW,
      warn: () => {},
    },
  );

it("a connector asks the service with the key of each person, and says which service it is", async () => {
  const source = await open();
  expect([source.name, source.about.label]).toEqual([server.origin, "Plausible"]);
  const call = source.open(PLAUSIBLE_KEY);
  expect((await call(sites, {})).sites).toMatchObject([{ domain: "example.com", data_since: "2026-11-20" }]);
  expect(await call(stats, { site: "example.com", days: 7 })).toMatchObject({ visitors: 1 });
});

it("repeats an address with its path, where the service has one", async () => {
  const given = { service: "matomo" as const, baseUrl: "https://example.com/stats/" };
  const context = { environment: {}, clock: () => NOW, warn: () => {} };
  expect((await resolveKeyedSource(given, context)).options).toEqual([
    "--service",
    "matomo",
    "--base-url",
    "https://example.com/stats",
  ]);
});

it("the key of one person says nothing about another's", async () => {
  const source = await open();
  const call = source.open("key-of-a-stranger-0123");
  await expect(call(sites, {})).rejects.toMatchObject({ code: "invalid_api_key", status: 401 });
});
