import { expect } from "vitest";
import { DEMO_KEY } from "./api.ts";
import { createBrowser, readConsentForm } from "./connector.ts";
import { buildRequest, initialize, post, REDIRECT, register, type Side } from "./oauth-client.ts";

export const STEPS = ["register", "authorize", "consent", "exchange", "call", "refresh", "end"] as const;
export type Step = (typeof STEPS)[number];
export type Phase = "asked" | "answered";

export interface World extends Side {
  /** Told of every request of a sign-in, before it is sent and when it is answered. */
  tell(step: Step, phase: Phase): void;
  /** Told of every request that got no answer. */
  lose(step: Step): void;
  /** Resolves when somebody answers. */
  up(): Promise<void>;
}

/** What is left of a sign-in that was not ended. */
export interface SignedIn {
  client: string;
  access: string[];
  refresh: string;
}

export type End = "revoke" | "replay" | "keep";

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/**
 * A person with an application of their own, from its registration to the end of the grant, on a server that may die
 * at any moment. What got no answer is asked again. Fails where anything is lost that was answered, or given twice.
 */
export async function live(world: World, end: End): Promise<SignedIn> {
  const { publicUrl, mcp } = world;
  const signedIn: SignedIn = { client: "", access: [], refresh: "" };

  const attempt = async <T extends { status: number }>(step: Step, send: () => Promise<T>) => {
    for (let lost = false; ; lost = true) {
      await world.up();
      if (lost && step !== "end") await proveSignedIn(world, signedIn);
      world.tell(step, "asked");
      const answer = await send().catch(forgiveNetwork);
      if (answer && answer.status !== 503) {
        world.tell(step, "answered");
        return { lost, answer };
      }
      world.lose(step);
    }
  };

  const registered = await attempt("register", () => register(world));
  expect(registered.answer.status).toBe(201);
  signedIn.client = registered.answer.body.client_id;
  /** The code of one consent; undefined where the consent is over and its answer was lost. */
  const consent = async (url: string): Promise<string | undefined> => {
    const browser = createBrowser(publicUrl);
    const page = await attempt("authorize", () => visit(browser, url));
    expect(page.answer).toMatchObject({
      status: 200,
      form: { action: expect.stringContaining("/consent/") },
    });
    const { action, csrf } = page.answer.form;
    const body = new URLSearchParams({ csrf, api_key: DEMO_KEY, decision: "allow" });
    const sent = await attempt("consent", () => visit(browser, publicUrl + action, { method: "POST", body }));
    const code = new URL(sent.answer.url).searchParams.get("code");
    if (code !== null) return code;
    // Over, or tried too often: each that was cut short counts as a try of the key.
    expect([sent.lost, [400, 429].includes(sent.answer.status)]).toEqual([true, true]);
    return undefined;
  };

  const exchange = (code: string, verifier: string): Promise<Answer> =>
    post(`${publicUrl}/token`, {
      grant_type: "authorization_code",
      client_id: signedIn.client,
      redirect_uri: REDIRECT,
      code,
      code_verifier: verifier,
    });

  /** Asks again, as a client would; with a new code where the one it has is spent and what it gave was lost. */
  const redeem = async (): Promise<{ code: string; verifier: string }> => {
    const { url, verifier } = buildRequest(world, { client_id: signedIn.client });
    const code = await consent(url);
    if (code === undefined) return redeem();
    const { lost, answer } = await attempt("exchange", () => exchange(code, verifier));
    if (lost && answer.status === 400) {
      expect(answer.body.error).toBe("invalid_grant");
      return redeem();
    }
    keep(signedIn, answer);
    return { code, verifier };
  };

  const { code, verifier } = await redeem();
  expect((await attempt("call", () => initialize(mcp, signedIn.access[0]))).answer.status).toBe(200);
  const first = { ...signedIn };
  // The first one twice, as by one of several processes of a client that did not hear of the other's.
  for (const each of [first, first, signedIn]) {
    keep(signedIn, (await attempt("refresh", () => refresh(world, each))).answer);
  }
  await proveSignedIn(world, signedIn);
  if (end === "keep") return signedIn;

  const form = { client_id: signedIn.client, token: signedIn.refresh };
  const { answer } = await attempt("end", () =>
    end === "revoke" ? post(`${publicUrl}/revoke`, form) : exchange(code, verifier),
  );
  expect(answer).toMatchObject(
    end === "revoke" ? { status: 200 } : { status: 400, body: { error: "invalid_grant" } },
  );
  // All that was ever given belongs to one grant, and has ended with it.
  for (const each of signedIn.access) {
    expect((await attempt("end", () => initialize(mcp, each))).answer.status).toBe(401);
  }
  const late = await attempt("end", () => refresh(world, signedIn));
  expect(late.answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  return signedIn;
}

export const refresh = (
  { publicUrl }: Side,
  { client, refresh: token }: Pick<SignedIn, "client" | "refresh">,
): Promise<Answer> =>
  post(`${publicUrl}/token`, { grant_type: "refresh_token", client_id: client, refresh_token: token });

/** Every access token that was given is good. */
export async function proveSignedIn({ mcp, up }: World, { access }: SignedIn): Promise<void> {
  for (const token of access) {
    for (;;) {
      const response = await initialize(mcp, token).catch(forgiveNetwork);
      if (response && response.status !== 503) {
        expect(response.status).toBe(200);
        break;
      }
      await up();
    }
  }
}

function keep(signedIn: SignedIn, { status, body }: Answer): void {
  expect({ status, body }).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
  expect(signedIn.access).not.toContain(body.access_token);
  signedIn.access.push(String(body.access_token));
  signedIn.refresh = String(body.refresh_token);
}

async function visit(browser: ReturnType<typeof createBrowser>, to: string, init: RequestInit = {}) {
  const { url, response } = await browser.visit(to, init);
  const text = await response.text();
  return { url, status: response.status, form: readConsentForm(text) };
}

/** A connection that broke off, at whatever word. */
function forgiveNetwork(error: unknown): undefined {
  if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
  throw error;
}
