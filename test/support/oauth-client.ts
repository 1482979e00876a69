import { createHash, randomBytes } from "node:crypto";
import { consent, createBrowser } from "./connector.ts";

/** An OAuth client by hand, for what a library would not send. */
export interface Side {
  publicUrl: string;
  mcp: string;
}

export const REDIRECT = "http://127.0.0.1:1234/cb";

/** Registers (RFC 7591). */
export async function register({ publicUrl }: Side, metadata: Record<string, unknown> = {}) {
  const response = await fetch(`${publicUrl}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [REDIRECT], token_endpoint_auth_method: "none", ...metadata }),
  });
  const body = (await response.json()) as Record<string, unknown> & { client_id: string };
  return { status: response.status, body };
}

type Parameters = Record<string, string | undefined>;

/** Leaves out what is undefined. */
function toForm(parameters: Parameters): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.set(name, value);
  return form;
}

/** An authorization request with all that is due; what is given replaces it, and undefined removes it. */
export function buildRequest({ publicUrl, mcp }: Side, parameters: Parameters) {
  const verifier = randomBytes(32).toString("base64url");
  const form = toForm({
    response_type: "code",
    redirect_uri: REDIRECT,
    state: "s-1",
    resource: mcp,
    scope: "analytics:read",
    code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    ...parameters,
  });
  return { verifier, redirectUri: form.get("redirect_uri") ?? "", url: `${publicUrl}/authorize?${form}` };
}

/** What a browser is shown first, or where it is sent. */
export async function open(side: Side, parameters: Parameters) {
  const { url, response } = await createBrowser(side.publicUrl).visit(buildRequest(side, parameters).url);
  return { url, status: response.status, html: await response.text() };
}

export async function post(url: string, parameters: Parameters, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: "POST", headers, body: toForm(parameters) });
  const text = await response.text();
  const body: Record<string, unknown> = text.startsWith("{") ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, body };
}

export interface SignIn {
  client: string;
  /** Of the authorization request. */
  asked?: Parameters;
  /** Of the token request. */
  exchanged?: Parameters;
}

/** From the authorization request to the token endpoint's answer. */
export async function signIn(side: Side, { client, asked = {}, exchanged = {} }: SignIn) {
  const { url, verifier, redirectUri } = buildRequest(side, { client_id: client, ...asked });
  const landed = await consent(side.publicUrl, url);
  const answer = await post(`${side.publicUrl}/token`, {
    grant_type: "authorization_code",
    client_id: client,
    redirect_uri: redirectUri,
    resource: side.mcp,
    code: landed.searchParams.get("code") ?? undefined,
    code_verifier: verifier,
    ...exchanged,
  });
  return { landed, ...answer };
}

/** Calls `/mcp` as a client of 2025-11-25 would at first. */
export function initialize(url: string, token?: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    }),
  });
}
