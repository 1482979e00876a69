import { createHash, randomBytes } from "node:crypto";
import { DEMO_KEY } from "./api.ts";
import { createBrowser, readConsentForm } from "./connector.ts";
import { askRaw } from "./raw.ts";

const REDIRECT = "http://127.0.0.1:1234/cb";

/** Secrets that must not occur anywhere: the functions below add them, `underAttack` searches for them. */
export const secrets = new Set<string>();
/** The bodies of errors that were seen. */
export const errorBodies: string[] = [];

export const hide = (secret: string) => {
  secrets.add(secret);
  return secret;
};

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  return read(await fetch(url, { ...init, redirect: "manual" }));
}

export async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const { status, headers } = response;
  // The consent page has the form's own token, also on its errors.
  if (status >= 400) errorBodies.push(text.replace(/<form [^>]*>|name="csrf" value="[^"]*"/g, ""));
  const body = text.startsWith("{") ? JSON.parse(text) : {};
  return { status, headers, text, body };
}

export const post = (url: string, form: Record<string, string> | URLSearchParams, headers = {}) =>
  ask(url, { method: "POST", headers, body: new URLSearchParams(form) });

export async function register(
  origin: string,
  metadata: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(`${origin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: "Test", ...metadata }),
  });
}

export interface Asking {
  clientId: string;
  verifier: string;
  url: URL;
}

/** An authorization request of a new client, with parameters changed, or removed if undefined. */
export async function prepare(
  origin: string,
  changes: Record<string, string | undefined> = {},
  metadata: Record<string, unknown> = {},
): Promise<Asking> {
  const { body } = await register(origin, metadata);
  const clientId = String(body.client_id);
  const verifier = hide(randomBytes(32).toString("base64url"));
  const parameters = {
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: "code",
    state: "the state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: `${origin}/mcp`,
    ...changes,
  };
  const url = new URL(`${origin}/authorize`);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { clientId, verifier, url };
}

/** A browser on the consent page: its form, ready to be sent. */
export async function openConsent(origin: string, url: URL, browser = createBrowser(origin)) {
  const { response, url: end } = await browser.visit(url.href);
  const page = await read(response);
  const form = readConsentForm(page.text);
  if (form.csrf !== "") hide(form.csrf);
  if (form.action !== "") hide(form.action.replace(/.*\//, ""));
  const submit = async (fields: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const { url: landed, response: answer } = await browser.visit(origin + form.action, {
      method: "POST",
      headers: { origin, ...headers },
      body: new URLSearchParams({ csrf: form.csrf, decision: "allow", api_key: DEMO_KEY, ...fields }),
    });
    const location = new URL(landed);
    const code = location.searchParams.get("code");
    if (code !== null) hide(code);
    return { landed: location, answer: await read(answer), code };
  };
  /** Sends the form without following the redirect. */
  const decide = (decision = "allow", { at = origin, cookie = browser.formatCookies() } = {}) =>
    ask(at + form.action, {
      method: "POST",
      headers: { cookie, origin },
      body: new URLSearchParams({ csrf: form.csrf, decision, api_key: DEMO_KEY }),
    });
  return { page, form, end, browser, submit, decide };
}

/** The consent page with headers that no browser would send, to be decided with the same ones. */
export async function openConsentRaw(
  origin: string,
  { pathname, search }: URL,
  headers: Record<string, string>,
) {
  const started = await askRaw(origin, { path: pathname + search, headers });
  const cookies = [started.headers["set-cookie"] ?? []].flat();
  const sent = { ...headers, cookie: cookies.map((cookie) => cookie.replace(/;.*/, "")).join("; ") };
  const path = String(started.headers.location);
  const { csrf } = readConsentForm((await askRaw(origin, { path, headers: sent })).text);
  const decide = (decision: string, own: Record<string, string> = {}) =>
    askRaw(origin, {
      method: "POST",
      path,
      body: `${new URLSearchParams({ csrf, decision, api_key: DEMO_KEY })}`,
      headers: { ...sent, "content-type": "application/x-www-form-urlencoded", ...own },
    });
  return { started, cookies, path, csrf, decide };
}

export interface SignedIn {
  clientId: string;
  access: string;
  refresh: string;
  code: string;
  verifier: string;
}

export async function obtainCode(origin: string, key = DEMO_KEY): Promise<Asking & { code: string }> {
  const asking = await prepare(origin);
  const { submit } = await openConsent(origin, asking.url);
  const { code } = await submit({ api_key: key });
  if (code === null) throw new Error("No code.");
  return { ...asking, code };
}

export const exchange = (
  origin: string,
  { clientId, code, verifier }: { clientId: string; code: string; verifier: string },
  changes: Record<string, string> = {},
) =>
  post(`${origin}/token`, {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    ...changes,
  }).then(keepTokens);

export const refresh = (
  origin: string,
  { clientId, refresh: token }: { clientId: string; refresh: string },
) =>
  post(`${origin}/token`, { grant_type: "refresh_token", client_id: clientId, refresh_token: token }).then(
    keepTokens,
  );

function keepTokens(answer: Answer): Answer {
  for (const name of ["access_token", "refresh_token"]) {
    const token = answer.body[name];
    if (typeof token === "string") hide(token);
  }
  return answer;
}

/** Registers, signs in, and exchanges the code for tokens. */
export async function signIn(origin: string, key = DEMO_KEY): Promise<SignedIn> {
  const { clientId, code, verifier } = await obtainCode(origin, key);
  const { body } = await exchange(origin, { clientId, code, verifier });
  const [access, next] = [String(body.access_token), String(body.refresh_token)];
  return { clientId, code, verifier, access, refresh: next };
}

/** One call of a tool, by a client before 2026-07-28 that keeps no session. */
export function callMcp(
  mcp: string,
  token: string,
  { id = 1, name = "list_sites", args = {}, headers = {} }: McpCall = {},
) {
  return ask(mcp, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": "2025-11-25",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }),
  });
}

export interface McpCall {
  id?: number | string;
  name?: string;
  args?: Record<string, unknown>;
  headers?: Record<string, string>;
}
