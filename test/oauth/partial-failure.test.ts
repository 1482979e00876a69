import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import type { Store } from "../../src/oauth/store/store.ts";
import { createStoreError } from "../../src/oauth/store/store-failure.ts";
import { DEMO_KEY } from "../support/api.ts";
import { createBrowser, readConsentForm, startTestConnector } from "../support/connector.ts";
import { buildRequest, initialize, post, REDIRECT, register, signIn } from "../support/oauth-client.ts";

/** The method that fails, and how many of its calls succeed first. */
const fault: { method?: keyof Store; after: number } = { after: 0 };
const fail = (method: keyof Store, after = 0) => Object.assign(fault, { method, after });
const repair = () => delete fault.method;

const methods = ["put", "get", "consume", "remove", "revokeGrant", "hit"] as const;

function breakable(store: Store): Store {
  const wrap = (method: (typeof methods)[number]) => {
    const call = store[method] as (...values: unknown[]) => Promise<unknown>;
    return async (...values: unknown[]) => {
      if (fault.method === method && fault.after-- <= 0)
        throw createStoreError("its disk is full", undefined);
      return call(...values);
    };
  };
  return { ...store, ...Object.fromEntries(methods.map((method) => [method, wrap(method)])) };
}

let side: Awaited<ReturnType<typeof startTestConnector>>;
let client: string;
beforeEach(async () => {
  repair();
  side = await startTestConnector({ openStore: (options) => breakable(createMemoryStore(options)) });
  client = (await register(side)).body.client_id;
});
afterEach(() => side.close());

const unavailable = { status: 503, body: { error: "temporarily_unavailable" } };
const MINUTES = 10 * 60_000;

const refresh = (token: unknown) =>
  post(`${side.publicUrl}/token`, {
    grant_type: "refresh_token",
    client_id: client,
    refresh_token: String(token),
  });

/** A code, and how to exchange it. */
async function obtainCode() {
  const { url, verifier } = buildRequest(side, { client_id: client });
  const browser = createBrowser(side.publicUrl);
  const page = await (await browser.visit(url)).response.text();
  const { action, csrf } = readConsentForm(page);
  const allow = () =>
    browser.visit(side.publicUrl + action, {
      method: "POST",
      body: new URLSearchParams({ csrf, api_key: DEMO_KEY, decision: "allow" }),
    });
  const exchange = (landed: string) =>
    post(`${side.publicUrl}/token`, {
      grant_type: "authorization_code",
      client_id: client,
      redirect_uri: REDIRECT,
      code: new URL(landed).searchParams.get("code") ?? "",
      code_verifier: verifier,
    });
  return { browser, allow, exchange };
}

describe("if the store fails in the middle of a step", () => {
  it.each([0, 1])("a refresh token is not used up, however long that lasts (token %i)", async (after) => {
    const { body } = await signIn(side, { client });
    fail("put", after);
    expect(await refresh(body.refresh_token)).toMatchObject(unavailable);
    repair();
    side.time.now += MINUTES;
    expect((await refresh(body.refresh_token)).status).toBe(200);
    expect((await initialize(side.mcp, body.access_token)).status).toBe(200);
  });

  it.each([0, 1])("a code is not used up (token %i)", async (after) => {
    const { allow, exchange } = await obtainCode();
    const { url } = await allow();
    fail("put", after);
    const answer = await exchange(url);
    expect(answer).toMatchObject(unavailable);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    repair();
    expect((await exchange(url)).status).toBe(200);
    expect(await exchange(url)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("a code that could not be marked as used gives no token", async () => {
    const { allow, exchange } = await obtainCode();
    const { url } = await allow();
    fail("consume");
    expect(await exchange(url)).toMatchObject(unavailable);
    repair();
    expect((await exchange(url)).status).toBe(200);
  });

  // The grant, the sign-in's result, and the code.
  it.each([0, 1, 2])(
    "a person who gave the key can continue by reloading the page (record %i)",
    async (after) => {
      const { browser, allow, exchange } = await obtainCode();
      fail("put", after);
      const { url, response } = await allow();
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(response.headers.get("location")).toBe(null);
      repair();
      const again = after === 2 ? await browser.visit(url) : await allow();
      expect((await exchange(again.url)).status).toBe(200);
    },
  );

  it.each(["access_token", "refresh_token"])("a revocation by the %s can be sent again", async (name) => {
    const { body } = await signIn(side, { client });
    const revoke = () => post(`${side.publicUrl}/revoke`, { client_id: client, token: String(body[name]) });
    fail("revokeGrant");
    expect(await revoke()).toMatchObject(unavailable);
    repair();
    expect((await revoke()).status).toBe(200);
    expect((await initialize(side.mcp, body.access_token)).status).toBe(401);
    expect(await refresh(body.refresh_token)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });

  it("people get a page, and applications get JSON", async () => {
    const { url } = buildRequest(side, { client_id: client });
    fail("get");
    const page = await fetch(url, { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await page.text()).toContain("temporarily unavailable");
    expect((await fetch(url)).headers.get("content-type")).toBe("application/json");
  });

  it("the log says why, once a minute", async () => {
    fail("get");
    const ask = () => initialize(side.mcp, "token");
    for (let count = 0; count < 3; count++) expect((await ask()).status).toBe(503);
    await refresh("token");
    const told = () => side.lines.filter((line) => line.includes("disk is full"));
    expect(told()).toEqual([expect.stringContaining('"event":"store"')]);
    side.time.now += MINUTES;
    await ask();
    expect(told()).toHaveLength(2);
    expect(side.lines.filter((line) => line.includes('"fault"'))).toEqual([]);
  });
});
