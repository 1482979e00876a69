import { hkdfSync } from "node:crypto";
import { createAuthorizationServer } from "../oauth/authorization-server.ts";
import { createBearerCheck } from "../oauth/bearer.ts";
import { createDocumentFetch, type DocumentFetch, type DocumentProxy } from "../oauth/document-fetch.ts";
import { endGrant } from "../oauth/key-owner.ts";
import { createSealing } from "../oauth/store/sealing.ts";
import type { Store } from "../oauth/store/store.ts";
import { createFailureLog } from "../oauth/store/store-failure.ts";
import { sites } from "../operations/index.ts";
import type { KeyedSource, OpenOptions } from "../sources/source-types.ts";
import { createRoutes, type Readiness } from "./connector-routes.ts";
import { createGrantContexts, type Holder } from "./grant-contexts.ts";
import { createMcpRoute } from "./mcp-route.ts";
import type { createRequestContext } from "./request-context.ts";
import { createSharedCallLimit } from "./shared-call-limit.ts";

export interface ConnectorAppOptions {
  /** Host names of web pages whose scripts may call `/mcp`, besides this server's own and this machine's. */
  allowedOrigins: readonly string[];
  registration: boolean;
  /** Whether to fetch client ID metadata documents. */
  clientDocuments: boolean;
  documentProxy?: DocumentProxy | undefined;
  /** The web page where people create their keys. */
  dashboardUrl?: string | undefined;
  callsPerMinute: number;
  version: string;
  /** Answers calls, with each person's own key. */
  source: KeyedSource;
  /** Fetches client ID metadata documents; by default from the public internet only. */
  fetchDocument?: DocumentFetch | undefined;
  store: Store;
  /** At least 32 random bytes, the same on every replica. */
  secret: Uint8Array;
  clock: () => number;
}

/** How long a person waits while their key is checked, with all attempts. */
const KEY_CHECK_MS = 10_000;

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The authorization server, `/mcp` and the pages, as one request listener. */
export function createConnectorApp(
  options: ConnectorAppOptions,
  publicUrl: string,
  { log, audit, readAddress, noteGrant, watchFetch }: ReturnType<typeof createRequestContext>,
  readiness: Readiness,
) {
  const { store, secret, clock, source, registration, clientDocuments, dashboardUrl } = options;
  const { notice, reads, keyPlace } = source.about;
  const resource = `${publicUrl}/mcp`;
  const onFault = (fault: Error) => log("fault", { message: describeFault(fault) });
  const open = (apiKey: string, limits?: OpenOptions["limits"]) =>
    source.open(apiKey, { limits, wrapFetch: watchFetch });
  const sealing = createSealing(secret, (line) => log("store", { message: line }));
  const revoke = async ({ grantId, clientId }: Holder) => {
    const reason = "key_no_longer_valid";
    const isFirst = await endGrant(store, sealing, grantId, clock(), reason);
    if (isFirst) audit("grant_ended", { grant: grantId, application: clientId, reason });
  };
  const onUnavailable = createFailureLog((message) => log("store", { message }), clock);
  const createLimit = createSharedCallLimit({ ...options, onUnavailable });
  const contextOf = createGrantContexts({ open, clock, createLimit, revoke });
  const findBearer = createBearerCheck({ store, sealing, resource, clock });
  const authorize = createAuthorizationServer({
    store,
    sealing,
    clock,
    audit,
    readAddress,
    onFault,
    issuer: publicUrl,
    resource,
    registration,
    clientDocuments,
    source: { service: source.name, publicKey: source.publicKey, dashboardUrl, notice, reads, keyPlace },
    userAgent: `analytics-mcp/${options.version} (+${publicUrl})`,
    cookieKey: derive(secret, "cookies"),
    formKey: derive(secret, "forms"),
    fetch: options.fetchDocument ?? createDocumentFetch(options.documentProxy),
    identifyKey: (apiKey) => source.identify?.(apiKey),
    checkKey: async (apiKey) => {
      await open(apiKey, { deadline: KEY_CHECK_MS })(sites, {});
    },
  });
  const { hostname } = new URL(publicUrl);
  const reportHost = createFailureLog((message) => log("host_refused", { message }), clock);
  const mcp = createMcpRoute({
    hosts: [hostname, ...LOOPBACK],
    origins: [hostname, ...LOOPBACK, ...options.allowedOrigins],
    metadataUrl: `${publicUrl}/.well-known/oauth-protected-resource/mcp`,
    checkBearer: async (authorization) => {
      const bearer = await findBearer(authorization);
      noteGrant(bearer?.grantId);
      if (bearer === undefined || source.accepts?.(bearer.apiKey) !== false) return bearer;
      await revoke(bearer);
      return undefined;
    },
    describeServer: (bearer) => ({
      ...contextOf(bearer),
      version: options.version,
      about: source.about,
    }),
    onFault,
    // Without the host: what a stranger sends there may be somebody's key.
    onForeignHost: () =>
      reportHost({
        message: `A request has another Host than ${hostname}. A proxy in front must pass Host on.`,
      }),
  });
  const listener = createRoutes({
    publicUrl,
    source,
    authorize,
    serveMcp: mcp.serve,
    dashboardUrl,
    ...readiness,
    onFault,
    onUnavailable,
  });
  return { listener, closeMcp: mcp.close };
}

/**
 * The beginning of an error's message. Programmers wrote it; what follows a colon, bracket or quotation mark may quote
 * what a caller sent.
 */
function describeFault({ message, name }: Error): string {
  const [own = ""] = message.split(/["'`:[{(]/, 1);
  return own.trim() || name;
}

/** Derives a separate key for each purpose (RFC 5869, section 3.2). */
function derive(secret: Uint8Array, purpose: string): string {
  const key = hkdfSync("sha256", secret, "", `analytics-mcp connector ${purpose}`, 32);
  return Buffer.from(key).toString("base64url");
}
