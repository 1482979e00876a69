import { SCOPE } from "./scope.ts";

/**
 * What clients send and the standards do not foresee, put in order before the provider sees it: each of these
 * comes from a client in use. What decides security (client, redirect, PKCE) is handed on untouched.
 */
export interface Normalizer {
  /** Of an authorization request. */
  authorization(query: URLSearchParams): URLSearchParams;
  /** Of a token request. */
  token(form: URLSearchParams): URLSearchParams;
  /** Of a registration (RFC 7591): what this server makes use of, and no more. */
  registration(metadata: unknown): Record<string, unknown>;
  /** Of a client ID metadata document: the same, and what decides whether it may be taken at all. */
  document(metadata: Record<string, unknown>): Record<string, unknown>;
}

/** @param resource The address of `/mcp`, canonical. */
export function createNormalizer(resource: string): Normalizer {
  const { origin } = new URL(resource);
  const own = new Set([resource, `${resource}/`, origin, `${origin}/`]);

  /** Its trailing slash, or its bare origin, is this server, too (VS Code, Gemini CLI). */
  const nameResource = (form: URLSearchParams) => {
    const asked = form.getAll("resource");
    if (asked.length === 0 || !asked.every((each) => own.has(each))) return;
    form.set("resource", resource);
  };

  return {
    authorization: (query) => {
      const form = new URLSearchParams(query);
      // There is one scope: none, or an odd one, is that.
      form.set("scope", SCOPE);
      nameResource(form);
      // The provider knows other ways to answer, some of them by a page of its own; none of them is offered, and it
      // refuses a name that it does not know.
      if (form.getAll("response_mode").some((mode) => mode !== "query"))
        form.set("response_mode", "unsupported");
      const prompts = (form.get("prompt") ?? "").split(" ");
      // The key is asked for every time, so any wish to be asked is granted; the wish not to be is not.
      if (form.has("prompt")) form.set("prompt", prompts.includes("none") ? "none" : "consent");
      return form;
    },
    token: (query) => {
      const form = new URLSearchParams(query);
      form.delete("scope");
      nameResource(form);
      return form;
    },
    registration: readMetadata,
    document: ({ client_id, client_secret, client_secret_expires_at, ...metadata }) => ({
      ...readMetadata(metadata),
      // By these the provider refuses it: where it is not its own, or shares a secret with the world.
      ...{ client_id, client_secret, client_secret_expires_at },
      // Nobody tells a document what was made of it, as a registration's answer does: a client that means to prove
      // who it is by other means must not be taken for one that proves nothing.
      token_endpoint_auth_method: metadata.token_endpoint_auth_method ?? "none",
      // The provider asks for https here, and would refuse the whole.
      client_uri: isHttps(metadata.client_uri) ? metadata.client_uri : undefined,
    }),
  };
}

function readMetadata(metadata: unknown): Record<string, unknown> {
  const given = Object(metadata) as Record<string, unknown>;
  const { redirect_uris, client_name, client_uri, token_endpoint_auth_method, jwks, jwks_uri } = given;
  const uris = Array.isArray(redirect_uris) ? redirect_uris : [];
  return {
    // One that must not be takes all with it: an application without any is refused.
    redirect_uris: uris.every(isRedirect) ? uris.slice(0, MAX_REDIRECTS) : [],
    ...(typeof client_name === "string" && { client_name: client_name.slice(0, MAX_NAME) }),
    ...(typeof client_uri === "string" && URL.canParse(client_uri) && { client_uri }),
    token_endpoint_auth_method: METHODS.has(token_endpoint_auth_method) ? token_endpoint_auth_method : "none",
    ...(token_endpoint_auth_method === "private_key_jwt" && {
      ...(isWithin(jwks, KEY_SET_DEPTH) && { jwks }),
      ...(typeof jwks_uri === "string" && { jwks_uri }),
    }),
    // Of a native application loopback addresses match on any port (RFC 8252, section 7.3), and schemes of
    // applications are allowed; plain http elsewhere is not.
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** A set, its list, a key, and a key's list of certificates (RFC 7517). */
const KEY_SET_DEPTH = 4;

/** Whether lists and objects stand in each other no deeper: what writes them out has only so much of a stack. */
function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1));
}

const isHttps = (uri: unknown) => typeof uri === "string" && uri.startsWith("https://");

/** Schemes that browsers give a meaning of their own: none of them leads to an application that registered it. */
const FOREIGN_SCHEMES =
  /^(javascript|vbscript|data|blob|file|filesystem|about|view-source|intent|ws|wss|ftp|chrome|mailto|tel|sms):/i;

function isRedirect(uri: unknown): boolean {
  if (typeof uri !== "string" || !URL.canParse(uri) || FOREIGN_SCHEMES.test(uri)) return false;
  const { username, password } = new URL(uri);
  return username === "" && password === "";
}

const MAX_REDIRECTS = 20;
const MAX_NAME = 200;
const METHODS = new Set<unknown>(["none", "client_secret_post", "client_secret_basic", "private_key_jwt"]);
