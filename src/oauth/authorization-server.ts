import type { IncomingMessage, ServerResponse } from "node:http";
import { handleCors } from "../http/cors.ts";
import { sendJson } from "../http/json-response.ts";
import { readBody, readForm, replaceBody } from "../http/request-body.ts";
import { readJson } from "../member.ts";
import { type ApplicationDocumentsOptions, createProviderFetch } from "./application-documents.ts";
import { type ConsentOptions, createConsent } from "./consent.ts";
import {
  type Addresses,
  buildResourceMetadata,
  buildServerMetadata,
  isResourceMetadataPath,
  isServerMetadataPath,
  paths,
} from "./discovery.ts";
import { buildErrorPage } from "./pages/error-page.ts";
import { createProvider, type ProviderOptions } from "./provider.ts";
import { createNormalizer } from "./request-normalizer.ts";
import { sendPage } from "./send-page.ts";
import type { WindowLimit } from "./store/store.ts";

export type AuthorizationServerOptions = Omit<ProviderOptions, "issuer" | "resource"> &
  Omit<ConsentOptions, "provider" | "issuer" | "resource"> &
  Addresses &
  ApplicationDocumentsOptions;

/** Limits for one address in an hour. Each request adds a record: a registration stays, a sign-in lasts 15 minutes. */
const windowMs = 3_600_000;
const REGISTRATIONS = { max: 60, windowMs };
const SIGN_INS = { max: 300, windowMs };
/** Bytes of a registration, which is stored; the provider limits metadata documents. */
const MAX_REGISTRATION = 8_000;
/** Characters of an authorization request, which is stored until the person decides. Proxies take no longer addresses. */
const MAX_SIGN_IN = 8_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

interface Route {
  matches: (path: string) => boolean;
  /** Any method if absent. */
  method?: "POST";
  /** For programs: scripts of any web page may call it, and its errors are always JSON (RFC 6749, section 5.2). */
  isApi?: true;
  handle: Handler;
}

const isOneOf =
  (...expected: string[]) =>
  (path: string) =>
    expected.includes(path);
const isBelow = (parent: string) => (path: string) => path.startsWith(`${parent}/`);

/** Answers requests that belong to signing in; resolves to false for any other request. */
export type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>;

export function createAuthorizationServer(options: AuthorizationServerOptions): Handle {
  const routes = createRoutes(options);
  return async (request, response, path) => {
    const route = routes.find(
      ({ matches, method = request.method }) => method === request.method && matches(path),
    );
    if (!route) return false;
    if (route.isApi) {
      request.headers.accept = "application/json";
      if (handleCors(request, response)) return true;
    }
    await route.handle(request, response);
    return true;
  };
}

/** The first route that matches answers. */
function createRoutes(options: AuthorizationServerOptions): Route[] {
  const { store, clock, registration, readAddress, resource, issuer } = options;
  const normalize = createNormalizer(resource);
  const fetch = createProviderFetch(options, normalize.document);
  const { provider, serve: serveProvider } = createProvider({ ...options, fetch });

  const serve: Handler = (request, response) => {
    setPublicAddress(request, issuer);
    return serveProvider(request, response);
  };
  /** Returns the seconds to wait, or 0. */
  const countFromAddress = async (what: string, limit: WindowLimit) =>
    Math.ceil((await store.hit(`${what} from ${readAddress()}`, limit, clock())) / 1000);

  const startSignIn: Handler = async (request, response) => {
    const wait = await countFromAddress("sign-ins", SIGN_INS);
    if (wait > 0) return sendPage(response, 429, tooManySignIns, { "Retry-After": String(wait) });
    let query = new URL(request.url ?? "/", issuer).searchParams;
    if (request.method === "POST") {
      // A form has the same meaning (RFC 6749, section 3.1), and is normalized in the same way.
      query = await readForm(request);
      request.method = "GET";
    }
    const normalized = `${normalize.authorization(query)}`;
    if (normalized.length > MAX_SIGN_IN) return sendPage(response, 413, tooLargeSignIn);
    request.url = `${paths.authorization}?${normalized}`;
    await serve(request, response);
  };

  const issueTokens: Handler = async (request, response) => {
    const form = normalize.token(new URLSearchParams(await readBody(request)));
    await serve(replaceBody(request, form.toString()), response);
  };

  const revoke: Handler = async (request, response) =>
    serve(replaceBody(request, await readBody(request)), response);

  const register: Handler = async (request, response) => {
    const wait = await countFromAddress("registrations", REGISTRATIONS);
    if (wait > 0) {
      const body = { error: "slow_down", error_description: "Too many registrations." };
      return sendJson(response, 429, body, { "Retry-After": String(wait) });
    }
    const refuse = (error_description: string) =>
      sendJson(response, 400, { error: "invalid_client_metadata", error_description });
    const given = readJson(await readBody(request));
    if (typeof given !== "object") return refuse("The body must be a JSON object.");
    const metadata = JSON.stringify(normalize.registration(given));
    if (Buffer.byteLength(metadata) > MAX_REGISTRATION)
      return refuse(`The metadata is larger than ${MAX_REGISTRATION} bytes.`);
    await serve(replaceBody(request, metadata), response);
  };

  const { token, revocation, jwks, authorization } = paths;
  return [
    {
      matches: isServerMetadataPath,
      isApi: true,
      handle: sendMetadata(buildServerMetadata(options, options)),
    },
    { matches: isResourceMetadataPath, isApi: true, handle: sendMetadata(buildResourceMetadata(options)) },
    { matches: isOneOf(authorization, `${authorization}/`), handle: startSignIn },
    { matches: isBelow(authorization), handle: serve },
    { matches: isBelow(paths.consent), handle: createConsent({ ...options, provider }) },
    { matches: isOneOf(token), method: "POST", isApi: true, handle: issueTokens },
    { matches: isOneOf(revocation), method: "POST", isApi: true, handle: revoke },
    ...(registration
      ? [{ matches: isOneOf(paths.registration), method: "POST", isApi: true, handle: register } as const]
      : []),
    { matches: isOneOf(jwks), isApi: true, handle: serve },
    { matches: isOneOf(token, revocation, paths.registration), isApi: true, handle: sendNotFound },
  ];
}

const sendMetadata =
  (metadata: object): Handler =>
  (_, response) =>
    sendJson(response, 200, metadata, { "Cache-Control": "public, max-age=3600" });

const sendNotFound: Handler = (_, response) =>
  sendJson(response, 404, {
    error: "not_found",
    error_description: "This server has no such endpoint, or not for this method.",
  });

const tooLargeSignIn = buildErrorPage({
  title: "This sign-in cannot continue",
  message: `The application sent a request of more than ${MAX_SIGN_IN} characters.`,
  hint: "Report this to the application’s developers.",
});

const tooManySignIns = buildErrorPage({
  title: "Too many sign-ins",
  message: "Your network has started more sign-ins in this hour than this server allows.",
  hint: "Try again in an hour.",
});

/**
 * Gives the provider the public address, from which it builds its redirects and decides whether cookies are `Secure`.
 * The public URL decides this, with or without a proxy that ends TLS. The `Host`, `Forwarded` and `X-Forwarded-*` of the
 * request are removed.
 */
function setPublicAddress({ headers }: IncomingMessage, issuer: string): void {
  for (const name of Object.keys(headers)) {
    if (name === "forwarded" || name.startsWith("x-forwarded-")) delete headers[name];
  }
  const { protocol, host } = new URL(issuer);
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
  headers.host = host;
}
