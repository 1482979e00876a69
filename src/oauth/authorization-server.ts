import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, replaceBody } from "../http/request-body.ts";
import { type ConsentOptions, createConsent } from "./consent.ts";
import {
  type Addresses,
  buildResourceMetadata,
  buildServerMetadata,
  isResourceMetadataPath,
  isServerMetadataPath,
} from "./discovery.ts";
import { limitFetches } from "./document-fetch-limit.ts";
import { paths } from "./endpoint-paths.ts";
import { readDocuments } from "./metadata-documents.ts";
import { buildErrorPage } from "./pages/error-page.ts";
import { createProvider, type ProviderOptions } from "./provider.ts";
import { createNormalizer } from "./request-normalizer.ts";
import { openToScripts, sendJson, sendPage } from "./send.ts";

export type AuthorizationServerOptions = Omit<ProviderOptions, "issuer" | "resource"> &
  Omit<ConsentOptions, "provider" | "issuer" | "resource"> &
  Addresses;

/** From one address in an hour. Each is a record: one that stays, and one that lives for a quarter of an hour. */
const REGISTRATIONS = 60;
const SIGN_INS = 300;
const HOUR_MS = 3_600_000;

/** Answers what belongs to signing in; false where a request does not. */
export type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<boolean>;

export function createAuthorizationServer(options: AuthorizationServerOptions): Handle {
  const { store, clock, registration, readAddress, resource } = options;
  const normalize = createNormalizer(resource);
  const fetch = limitFetches(readDocuments(options.fetch, normalize.document), options);
  const { provider, serve: answer } = createProvider({ ...options, fetch });
  const consent = createConsent({ ...options, provider });
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    speakAsIssuer(request, options.issuer);
    return answer(request, response);
  };

  const openPaths = new Set<string>([paths.token, paths.registration, paths.revocation, paths.jwks]);

  return async (request, response, path) => {
    const isServerMetadata = isServerMetadataPath(path);
    const isMetadata = isServerMetadata || isResourceMetadataPath(path);
    // Programs ask here, whatever they say they read: they know errors as JSON alone (RFC 6749, section 5.2).
    if (openPaths.has(path)) request.headers.accept = "application/json";
    if (isMetadata || openPaths.has(path)) {
      for (const [name, value] of Object.entries(openToScripts)) response.setHeader(name, value);
      if (request.method === "OPTIONS") {
        response.writeHead(204).end();
        return true;
      }
    }
    if (isMetadata) {
      const body = isServerMetadata
        ? buildServerMetadata(options, registration)
        : buildResourceMetadata(options);
      sendJson(response, 200, body, { "Cache-Control": "public, max-age=3600" });
      return true;
    }
    if (path === paths.authorization || path === `${paths.authorization}/`) {
      const count = await store.hit(`sign-ins from ${readAddress()}`, HOUR_MS, clock());
      if (count > SIGN_INS) {
        sendPage(response, 429, buildErrorPage(tooMany), { "Retry-After": "3600" });
        return true;
      }
      const { searchParams } = new URL(request.url ?? "/", options.issuer);
      request.url = `${paths.authorization}?${normalize.authorization(searchParams)}`;
      await serve(request, response);
      return true;
    }
    if (path === paths.token && request.method === "POST") {
      const form = normalize.token(new URLSearchParams(await readBody(request)));
      await serve(replaceBody(request, form.toString()), response);
      return true;
    }
    if (path === paths.revocation && request.method === "POST") {
      await serve(replaceBody(request, await readBody(request)), response);
      return true;
    }
    if (path === paths.registration && request.method === "POST" && registration) {
      const count = await store.hit(`registrations from ${readAddress()}`, HOUR_MS, clock());
      if (count > REGISTRATIONS) {
        sendJson(
          response,
          429,
          { error: "slow_down", error_description: "Too many registrations." },
          {
            "Retry-After": "3600",
          },
        );
        return true;
      }
      const metadata = normalize.registration(parseJson(await readBody(request)));
      await serve(replaceBody(request, JSON.stringify(metadata)), response);
      return true;
    }
    if (path.startsWith(`${paths.consent}/`)) {
      await consent(request, response);
      return true;
    }
    if (path.startsWith(`${paths.authorization}/`) || path === paths.jwks) {
      await serve(request, response);
      return true;
    }
    if (openPaths.has(path)) {
      sendJson(response, 404, { error: "not_found", error_description: "Nothing is asked here this way." });
      return true;
    }
    return false;
  };
}

const tooMany = {
  title: "Too many sign-ins",
  message: "More sign-ins were started from your network in this hour than this server takes.",
  hint: "Try again in an hour.",
};

/**
 * Tells the provider how people reach it, which decides where a sign-in goes on and whether its cookies are
 * `Secure`: the public URL says so, with or without a proxy that ends TLS. What a client says of it, in `Host` or
 * in `X-Forwarded-*`, is taken away.
 */
function speakAsIssuer({ headers }: IncomingMessage, issuer: string): void {
  for (const name of Object.keys(headers)) {
    if (name === "forwarded" || name.startsWith("x-forwarded-")) delete headers[name];
  }
  const { protocol, host } = new URL(issuer);
  headers["x-forwarded-proto"] = protocol.slice(0, -1);
  headers.host = host;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
