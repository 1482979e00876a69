import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createBearerCheck } from "../../src/oauth/bearer.ts";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { createSealing } from "../../src/oauth/store/sealing.ts";

const NOW = 1_800_000_000_000;
const TOKEN = "a-token_of~43.characters+or/so==";
const RESOURCE = "https://mcp.example/mcp";
const VALUE = {
  grantId: "g",
  clientId: "c",
  apiKey: "key",
  exp: NOW / 1000 + 1,
  aud: RESOURCE,
  scope: "analytics:read",
};
const BEARER = { grantId: "g", clientId: "c", apiKey: "key", expires: VALUE.exp };

/** The grant behind a header, if the store has a token with this value. */
async function check(authorization: string | null, value: object = VALUE) {
  const clock = () => NOW;
  const secret = randomBytes(32);
  const store = createMemoryStore({ clock, secret });
  const sealing = createSealing(secret, () => {});
  await store.put({ ...sealing.seal("AccessToken", TOKEN, value), created: NOW });
  return createBearerCheck({ store, sealing, resource: RESOURCE, clock })(authorization);
}

it.each([`Bearer ${TOKEN}`, `bearer  ${TOKEN}`, `BEARER ${TOKEN}`])("%s is accepted", async (header) => {
  expect(await check(header)).toEqual(BEARER);
});

it.each([
  null,
  "",
  "Bearer",
  "Bearer ",
  TOKEN,
  `Basic ${TOKEN}`,
  `Bearer${TOKEN}`,
  `x Bearer ${TOKEN}`,
  `Bearer ${TOKEN} x`,
  `Bearer ${TOKEN},`,
  `Bearer "${TOKEN}"`,
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN}=`,
])("%j is not accepted", async (header) => {
  expect(await check(header)).toBeUndefined();
});

it.each<[string, object]>([
  ["has expired this second", { exp: NOW / 1000 }],
  ["says no end", { exp: undefined }],
  ["is for another resource", { aud: "https://mcp.example/other" }],
  ["is for none", { aud: undefined }],
  ["is for another scope", { scope: "analytics:write" }],
  ["has no grant", { grantId: undefined }],
  ["has no client", { clientId: 7 }],
  ["has no key", { apiKey: null }],
])("a token that %s is not accepted", async (_, change) => {
  expect(await check(`Bearer ${TOKEN}`, { ...VALUE, ...change })).toBeUndefined();
});
