import { SCOPE } from "./discovery.ts";
import { isWebAddress } from "./redirect-policy.ts";

/**
 * Corrects what applications send outside the standards, before the provider sees it; each correction is for one in use.
 * Whatever decides security (application, redirect, PKCE) passes unchanged.
 */
export interface Normalizer {
  authorization(query: URLSearchParams): URLSearchParams;
  token(form: URLSearchParams): URLSearchParams;
  /** Keeps the members of a registration (RFC 7591) that this server uses. */
  registration(metadata: unknown): Record<string, unknown>;
  /** Does the same for a client ID metadata document, and keeps the members that decide whether it is accepted. */
  document(metadata: Record<string, unknown>): Record<string, unknown>;
}

/** @param resource The canonical address of `/mcp`. */
export function createNormalizer(resource: string): Normalizer {
  const { origin } = new URL(resource);
  const own = new Set([resource, `${resource}/`, origin, `${origin}/`]);

  /** VS Code and Gemini CLI send the address with a trailing slash, or the origin alone. */
  const normalizeResource = (form: URLSearchParams) => {
    const requested = form.getAll("resource");
    if (requested.length === 0 || !requested.every((address) => own.has(normalizeOrigin(address)))) return;
    form.set("resource", resource);
  };

  return {
    authorization: (query) => {
      const form = new URLSearchParams(query);
      // There is only one scope, so a missing or unknown one means this one.
      form.set("scope", SCOPE);
      normalizeResource(form);
      // The provider supports other modes, some with a separate page. None is offered here, and it refuses a name
      // that it does not know.
      if (form.getAll("response_mode").some((mode) => mode !== "query"))
        form.set("response_mode", "unsupported");
      const prompts = (form.get("prompt") ?? "").split(" ");
      // The person is asked for the key every time, which satisfies every prompt except `none`.
      if (form.has("prompt")) form.set("prompt", prompts.includes("none") ? "none" : "consent");
      return form;
    },
    token: (query) => {
      const form = new URLSearchParams(query);
      form.delete("scope");
      normalizeResource(form);
      return form;
    },
    registration: readMetadata,
    document: ({ client_id, client_secret, client_secret_expires_at, ...given }) => {
      const metadata = readMetadata(given);
      return {
        ...metadata,
        // The provider refuses a document with another's client_id, or with a secret that the whole world can read.
        client_id,
        client_secret,
        client_secret_expires_at,
        // A registration's answer shows what was changed; a document's author sees nothing. So an unknown method is
        // refused, and an application that wants to authenticate is never treated as one that does not.
        token_endpoint_auth_method: given.token_endpoint_auth_method ?? "none",
        // The provider requires https here, and would refuse the whole document.
        client_uri: isHttps(metadata.client_uri) ? metadata.client_uri : undefined,
      };
    },
  };
}

/**
 * Scheme and host in lower case, and no default port (RFC 3986, sections 6.2.2.1 and 6.2.3). The rest stays as it is: a
 * URL parser would also resolve dots, backslashes and white space.
 */
const normalizeOrigin = (uri: string): string =>
  uri
    .replace(/^[a-z]+:\/\/[^/?#]*/i, (origin) => origin.toLowerCase())
    .replace(/^(https:\/\/[^/]+):443(?=\/|$)/, "$1")
    .replace(/^(http:\/\/[^/]+):80(?=\/|$)/, "$1");

function readMetadata(metadata: unknown): Record<string, unknown> {
  const given: Record<string, unknown> = Object(metadata);
  const { redirect_uris, client_name, client_uri, token_endpoint_auth_method, jwks, jwks_uri } = given;
  const uris = Array.isArray(redirect_uris) ? redirect_uris : [];
  return {
    // Anything but text becomes null, because it may be nested too deeply to be passed on. The provider refuses it.
    redirect_uris: uris.slice(0, MAX_REDIRECTS).map((uri) => (typeof uri === "string" ? uri : null)),
    ...(typeof client_name === "string" && { client_name: client_name.slice(0, MAX_NAME) }),
    ...(typeof client_uri === "string" && isWebAddress(client_uri) && { client_uri }),
    token_endpoint_auth_method: METHODS.has(token_endpoint_auth_method) ? token_endpoint_auth_method : "none",
    ...(token_endpoint_auth_method === "private_key_jwt" && {
      ...(isWithin(jwks, KEY_SET_DEPTH) && { jwks }),
      ...(typeof jwks_uri === "string" && isWebAddress(jwks_uri) && { jwks_uri }),
    }),
    // Native applications may use loopback addresses with any port (RFC 8252, section 7.3) and their own schemes,
    // but not plain http elsewhere.
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** A set, its list, a key, and a key's list of certificates (RFC 7517). */
const KEY_SET_DEPTH = 4;

/** Whether lists and objects are nested no deeper; JSON.stringify overflows the stack on very deep ones. */
function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithin(member, depth - 1));
}

const isHttps = (uri: unknown) => typeof uri === "string" && uri.startsWith("https://");

const MAX_REDIRECTS = 20;
const MAX_NAME = 200;
const METHODS = new Set<unknown>(["none", "client_secret_post", "client_secret_basic", "private_key_jwt"]);
