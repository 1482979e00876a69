import { expect } from "vitest";
import { DEMO_KEY } from "./api.ts";
import { createBrowser, readConsentForm } from "./connector.ts";
import { buildRequest, initialize, post, REDIRECT, register, type Side, signIn } from "./oauth-client.ts";

/** A request's status, what it says of another try, and how long it took. */
export async function ask(url: string, init?: RequestInit) {
  return time(() => fetch(url, { ...init, redirect: "manual" }));
}

async function time(send: () => Promise<{ status: number; headers: Headers }>): Promise<Timed> {
  const began = performance.now();
  const { status, headers } = await send();
  return { status, retryAfter: headers.get("retry-after"), seconds: (performance.now() - began) / 1000 };
}

interface Timed {
  status: number;
  retryAfter: string | null;
  seconds: number;
}

export const unavailable = { status: 503, retryAfter: "5" };

/** Far more than the time limits of a store, which a busy machine exceeds, and less than a store takes that has none. */
const SOON_S = 30;

/** Sends each, all at once, and has them answered so, while the store is still away. */
export async function expectAll(requests: Record<string, () => Promise<Timed>>, answer: Partial<Timed>) {
  const names = Object.keys(requests);
  const answers = await Promise.all(Object.values(requests).map((send) => send()));
  const told = answers.map(({ seconds, ...rest }, index) => ({
    of: names[index],
    ...rest,
    soon: seconds < SOON_S,
  }));
  expect(told).toEqual(told.map((each) => ({ ...each, ...answer, soon: true })));
}

/** Its answer is up to a second old. */
export const expectReadiness = (
  { publicUrl }: Pick<Side, "publicUrl">,
  answer: Partial<Timed> = { status: 200 },
) => expect.poll(() => ask(`${publicUrl}/readyz`), { interval: 50 }).toMatchObject(answer);

/** Sign-ins at every step, each ready for its next one: what writes to the store, and what only reads from it. */
export async function openSignIns(side: Side) {
  const { publicUrl, mcp } = side;
  const client = (await register(side)).body.client_id;
  const { body } = await signIn(side, { client });
  const other = (await signIn(side, { client })).body;
  const token = (form: Record<string, unknown>) =>
    post(`${publicUrl}/token`, { client_id: client, ...(form as Record<string, string>) });

  const { url, verifier } = buildRequest(side, { client_id: client });
  const openPage = async () => {
    const browser = createBrowser(publicUrl);
    const { action, csrf } = readConsentForm(await (await browser.visit(url)).response.text());
    const form = new URLSearchParams({ csrf, api_key: DEMO_KEY, decision: "allow" });
    return () => browser.visit(publicUrl + action, { method: "POST", body: form });
  };
  const [allowFirst, allow] = [await openPage(), await openPage()];
  const exchange = (landed: string) => {
    const code = new URL(landed).searchParams.get("code") ?? "";
    return token({ grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: REDIRECT });
  };
  const landed = (await allowFirst()).url;
  const refresh = () => token({ grant_type: "refresh_token", refresh_token: body.refresh_token });
  const revoke = () => post(`${publicUrl}/revoke`, { client_id: client, token: String(other.refresh_token) });
  const call = (of: typeof body) => initialize(mcp, of.access_token);
  const metadata = JSON.stringify({ redirect_uris: [REDIRECT] });
  const registration = { method: "POST", headers: { "content-type": "application/json" }, body: metadata };

  return {
    writing: {
      registration: () => ask(`${publicUrl}/register`, registration),
      authorization: () => ask(url),
      consent: () => time(async () => (await allow()).response),
      exchange: () => time(() => exchange(landed)),
      refresh: () => time(refresh),
      revocation: () => time(revoke),
    },
    reading: { call: () => time(() => call(body)) },
    /** Nothing was lost, and what was under way comes to its end. */
    goOn: async () => {
      expect((await call(body)).status).toBe(200);
      expect((await call(other)).status).toBe(200);
      const allowed = (await allow()).url;
      expect(allowed).toContain(`${REDIRECT}?code=`);
      const answers = {
        refreshed: await refresh(),
        first: await exchange(landed),
        second: await exchange(allowed),
      };
      for (const [name, { status, body: next }] of Object.entries(answers)) {
        expect({ name, status, error: next.error }).toEqual({ name, status: 200 });
        expect((await initialize(mcp, next.access_token)).status).toBe(200);
      }
      expect((await revoke()).status).toBe(200);
      expect((await call(other)).status).toBe(401);
      expect((await register(side)).status).toBe(201);
    },
  };
}
