import { afterEach, expect, it, vi } from "vitest";
import { createSealing } from "../../src/oauth/store/sealing.ts";
import { DEMO_KEY } from "../support/api.ts";
import {
  ask,
  callMcp,
  exchange,
  obtainCode,
  openConsent,
  post,
  prepare,
  refresh,
} from "../support/attacker.ts";
import { type Scene, underAttack } from "../support/under-attack.ts";

/** A thief who has the server secret and later the store: what he can open with tokens that he knows. */
function watch({ secret, both }: Scene) {
  const sealing = createSealing(secret, () => {});
  const places = new Set<string>();
  for (const { store } of both) {
    const { put } = store;
    vi.spyOn(store, "put").mockImplementation((record) => {
      places.add(JSON.stringify([record.kind, record.hash]));
      return put(record);
    });
  }
  return {
    open: async (...tokens: string[]) => {
      const opened: string[] = [];
      for (const place of places) {
        const [kind, hash]: [string, string] = JSON.parse(place);
        const record = await both[0].store.get(kind, hash);
        for (const token of tokens) {
          const value = record && sealing.open(record, token);
          if (value !== undefined) opened.push(`${kind}: ${JSON.stringify(value)}`);
        }
      }
      return opened;
    },
  };
}

afterEach(() => void vi.restoreAllMocks());

underAttack((scene) => {
  it("a sign-in's record, under the id in its address, never gives the key away, and goes once it is used", async () => {
    const { publicUrl } = scene();
    const thief = watch(scene());
    const asking = await prepare(publicUrl);
    const { form, browser, decide } = await openConsent(publicUrl, asking.url);
    const uid = form.action.replace("/consent/", "");
    const decided = await decide();
    const opened = await thief.open(uid);
    expect(opened).toEqual([expect.stringContaining("consent")]);
    expect(opened.join()).not.toContain(DEMO_KEY);
    const { url } = await browser.visit(decided.headers.get("location") ?? "");
    expect(await thief.open(uid)).toEqual([]);
    const code = new URL(url).searchParams.get("code") ?? "";
    expect((await exchange(publicUrl, { ...asking, code })).status).toBe(200);
  });

  it("the address of a decided sign-in is useless without the browser's cookies, each of them", async () => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl);
    const { browser, decide } = await openConsent(publicUrl, url);
    const { formatCookies } = browser;
    expect((await decide("allow", { cookie: formatCookies("_interaction_key") })).status).toBe(400);
    const decided = await decide();
    expect(decided.status).toBe(303);
    const path = decided.headers.get("location") ?? "";
    for (const left of ["_interaction_key", "_interaction_resume", "_interaction_resume.sig"]) {
      const { status, headers } = await ask(path, { headers: { cookie: formatCookies(left) } });
      expect([status, headers.get("location")]).toEqual([400, null]);
    }
    expect((await ask(path, { headers: { cookie: formatCookies() } })).status).toBe(303);
  });

  it("a code that was exchanged does not open the key", async () => {
    const { publicUrl } = scene();
    const thief = watch(scene());
    const code = await obtainCode(publicUrl);
    expect((await thief.open(code.code)).join()).toContain(DEMO_KEY);
    await exchange(publicUrl, code);
    const opened = await thief.open(code.code);
    // It is still known, so that a replay ends the grant (RFC 6749, section 4.1.2).
    expect(opened).toEqual([expect.stringContaining("AuthorizationCode")]);
    expect(opened.join()).not.toContain(DEMO_KEY);
  });

  it("a refresh token that was used does not open the key after its minute of grace", async () => {
    const { publicUrl, time } = scene();
    const thief = watch(scene());
    const code = await obtainCode(publicUrl);
    const { body } = await exchange(publicUrl, code);
    const spent = { clientId: code.clientId, refresh: String(body.refresh_token) };
    const [first, second] = [await refresh(publicUrl, spent), await refresh(publicUrl, spent)];
    expect([first.status, second.status]).toEqual([200, 200]);
    time.now += 61_000;
    const opened = await thief.open(spent.refresh);
    expect(opened).toEqual([expect.stringContaining("RefreshToken")]);
    expect(opened.join()).not.toContain(DEMO_KEY);
    // The tokens that it gave still have the key.
    const access = String(first.body.access_token);
    expect((await callMcp(scene().mcp, access)).status).toBe(200);
    const next = await refresh(publicUrl, { ...spent, refresh: String(second.body.refresh_token) });
    expect(next.status).toBe(200);
  });

  it("tokens of a revoked grant open nothing", async () => {
    const { publicUrl } = scene();
    const thief = watch(scene());
    const code = await obtainCode(publicUrl);
    const { body } = await exchange(publicUrl, code);
    const tokens = [String(body.access_token), String(body.refresh_token), code.code];
    await refresh(publicUrl, { clientId: code.clientId, refresh: tokens[1] ?? "" });
    expect((await thief.open(...tokens)).join()).toContain(DEMO_KEY);
    await post(`${publicUrl}/revoke`, { client_id: code.clientId, token: tokens[0] ?? "" });
    expect(await thief.open(...tokens)).toEqual([]);
  });
});
