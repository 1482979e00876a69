import { generateKeyPairSync } from "node:crypto";
import Provider, { type Configuration, errors } from "oidc-provider";
import { findRefusal, findUnavailability } from "./application-documents.ts";
import { findDocumentHost } from "./application-facts.ts";
import { createCallback, createDeferredWrites } from "./deferred-writes.ts";
import { paths, SCOPE } from "./discovery.ts";
import type { DocumentFetch, DocumentRefused } from "./document-fetch.ts";
import { setHandoffCookie } from "./key-handoff.ts";
import { GRANT_SECONDS } from "./key-owner.ts";
import { buildDocumentErrorPage, buildErrorPage, registrationGone, signInEnded } from "./pages/error-page.ts";
import { pageHeaders } from "./pages/html-document.ts";
import { createRedirectGuard } from "./redirect-guard.ts";
import { findForbiddenRedirect } from "./redirect-policy.ts";
import { createStorageAdapter, type StorageOptions } from "./storage-adapter.ts";
import { isUnavailable } from "./store/store-failure.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;

export interface ProviderOptions extends StorageOptions {
  /** The origin at which people and applications reach the server. */
  issuer: string;
  /** The address of `/mcp`, which tokens are for (RFC 8707). */
  resource: string;
  /** Signs cookies; derived from the server secret. */
  cookieKey: string;
  registration: boolean;
  clientDocuments: boolean;
  /** Fetches client ID metadata documents; refuses addresses that are not on the public internet. */
  fetch: DocumentFetch;
  onFault: (fault: Error) => void;
}

/** The authorization server (OAuth 2.1 draft; RFC 6749, 7591, 7636, 8707, 9207): codes with PKCE, opaque tokens. */
export function createProvider(options: ProviderOptions) {
  const { issuer, resource, onFault, audit } = options;
  const deferred = createDeferredWrites();
  const configuration: Configuration = {
    adapter: createStorageAdapter(options, deferred),
    clientDefaults: {
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      id_token_signed_response_alg: "ES256",
    },
    clientAuthMethods: ["none", "client_secret_post", "client_secret_basic", "private_key_jwt"],
    cookies: {
      keys: [options.cookieKey],
      // With `strict`, browsers would send no cookie to a page that the application opened.
      short: { httpOnly: true, sameSite: "lax", signed: true },
      long: { httpOnly: true, sameSite: "lax", signed: true },
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    expiresWithSession: () => false,
    extraClientMetadata: {
      // No such member exists. The validator is called once for each name here, and for every application: a new
      // registration, a stored one, a metadata document.
      properties: ["redirect_policy"],
      validator: (_ctx, _key, _value, { redirect_uris }) => {
        const reason = findForbiddenRedirect(Array.isArray(redirect_uris) ? redirect_uris : []);
        if (reason !== undefined) throw new errors.InvalidClientMetadata(reason);
      },
    },
    features: {
      devInteractions: { enabled: false },
      // Tokens are bearer tokens. /mcp checks no proofs, so a token that claims to be bound to a key would be misleading.
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_, application, token) => token.clientId === application.clientId,
      },
      registration: { enabled: options.registration, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: { enabled: options.clientDocuments, ack: "draft-02" },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, asked) => {
          if (asked !== resource) throw new errors.InvalidTarget();
          return { scope: SCOPE, audience: resource, accessTokenFormat: "opaque" };
        },
      },
    },
    fetch: options.fetch,
    // The provider limits metadata documents itself, but not these.
    fetchResponseBodyLimits: { jwks_uri: 65_536, sector_identifier_uri: 65_536 },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_, { uid }) => `${paths.consent}/${uid}` },
    issueRefreshToken: (_, application) => application.grantTypeAllowed("refresh_token"),
    // Never used, since no application can ask for an ID token; without a key the provider falls back to its own.
    jwks: { keys: [createSigningKey()] },
    pkce: { required: () => true },
    renderError: (ctx, { error, error_description }, fault) => {
      ctx.set(pageHeaders);
      if (fault instanceof errors.SessionNotFound) {
        ctx.body = signInEnded;
        return;
      }
      const failure = findUnavailability(fault);
      if (failure) {
        const asked = ctx.oidc?.params?.client_id;
        ctx.status = 503;
        ctx.set("Retry-After", "30");
        ctx.body = buildDocumentErrorPage(findDocumentHost(String(asked)), failure);
        return;
      }
      const refusal = findRefusal(fault);
      if (error === "invalid_client" && !refusal) {
        ctx.body = registrationGone;
        return;
      }
      const reason = refusal ? describeRefusal(refusal) : error_description;
      ctx.body = buildErrorPage({
        title: "This sign-in cannot continue",
        message: "The application sent a request that this server cannot accept.",
        hint: "Go back to the application and start again.",
        code: error,
        reason: typeof reason === "string" ? reason : undefined,
      });
    },
    responseTypes: ["code"],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: true,
    routes: {
      authorization: paths.authorization,
      token: paths.token,
      registration: paths.registration,
      revocation: paths.revocation,
      jwks: paths.jwks,
    },
    // The only scope belongs to the resource: see `getResourceServerInfo`.
    scopes: [],
    ttl: {
      AuthorizationCode: 60,
      AccessToken: 6 * HOUR,
      RefreshToken: 30 * DAY,
      Grant: GRANT_SECONDS,
      Interaction: 15 * 60,
      Session: 15 * 60,
    },
  };
  const provider = new Provider(issuer, configuration);
  // Trusts `X-Forwarded-Proto`, which `setPublicAddress` sets.
  provider.proxy = true;
  provider.on("interaction.started", setHandoffCookie);
  provider.use(createRedirectGuard(provider));
  provider.use(createIdentityAnswers(provider));
  provider.on("server_error", (_, fault) => {
    // The failure of a store is logged once for all requests, by the caller.
    if (!isUnavailable(fault)) onFault(fault);
  });
  return { provider, serve: createCallback(provider, deferred, audit) };
}

/**
 * Corrects the token endpoint's answers to applications that the provider cannot identify. If a document or key set
 * cannot be fetched for now, the answer is 503: at `invalid_client`, applications discard their registration and tokens.
 * If a document is gone or not acceptable, it is 401 `invalid_client`, as for a registration that is gone (RFC 6749,
 * section 5.2).
 */
function createIdentityAnswers(provider: Provider): Parameters<Provider["use"]>[0] {
  const faults = new WeakMap<object, Error>();
  const note = (ctx: object, fault: Error) => void faults.set(ctx, fault);
  provider.on("grant.error", note);
  provider.on("revocation.error", note);
  return async (ctx, next) => {
    await next();
    const fault = faults.get(ctx);
    if (findUnavailability(fault)) {
      ctx.status = 503;
      ctx.remove("WWW-Authenticate");
      ctx.set("Retry-After", "30");
      const error_description =
        "The application's metadata document or keys cannot be fetched. Try again later.";
      ctx.body = { error: "temporarily_unavailable", error_description };
    } else if (fault instanceof errors.InvalidClient || fault instanceof errors.InvalidClientMetadata) {
      ctx.status = 401;
      if (ctx.headers.authorization !== undefined) {
        ctx.set("WWW-Authenticate", `Basic realm="${provider.issuer}", error="invalid_client"`);
      }
      const refusal = findRefusal(fault);
      const error_description = refusal ? describeRefusal(refusal) : fault.error_description;
      ctx.body = { error: "invalid_client", error_description };
    }
  };
}

const describeRefusal = ({ message }: DocumentRefused) =>
  `The document or keys of the application are refused: ${message}.`;

function createSigningKey() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" };
}
