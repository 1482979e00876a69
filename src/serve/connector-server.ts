import { hkdfSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createAuthorizationServer } from "../oauth/authorization-server.ts";
import { createBearerCheck } from "../oauth/bearer.ts";
import { createDocumentFetch, type DocumentFetch } from "../oauth/document-fetch.ts";
import { createSealing } from "../oauth/store/sealing.ts";
import type { Store } from "../oauth/store/store.ts";
import { createFailureLog } from "../oauth/store/store-failure.ts";
import { sites } from "../operations/index.ts";
import type { KeyedSource, OpenOptions } from "../sources/source.ts";
import { eventLevels, type Log } from "./connector-log.ts";
import { createApp } from "./connector-routes.ts";
import { createTurns } from "./fair-scheduler.ts";
import { createGrants, type Holder } from "./grant-contexts.ts";
import { createMcpRoute } from "./mcp-route.ts";
import { createVisits } from "./request-context.ts";

export interface ConnectorOptions {
  host: string;
  port: number;
  /** Origin under which people and clients reach it; where absent, this machine's own. */
  publicUrl?: string | undefined;
  /** Host names of web pages whose scripts may ask `/mcp`, besides this server's own and this machine's. */
  allowedOrigins: readonly string[];
  registration: boolean;
  trustProxy: boolean;
  /** Where metrics, health and readiness are for the operator alone. */
  adminListen?: { host: string; port: number } | undefined;
  callsPerMinute: number;
  timeLimits?: typeof TIME_LIMITS;
  version: string;
  /** What is asked, with each person's key. */
  source: KeyedSource;
  /** Fetches client ID metadata documents; where absent, from the public internet alone. */
  fetchDocument?: DocumentFetch | undefined;
  store: Store;
  /** At least 32 random bytes, the same on every replica. */
  secret: Uint8Array;
  clock: () => number;
  log: Log;
}

export interface Connector {
  publicUrl: string;
  /** The port of `adminListen`, where that is asked for. */
  adminPort?: number;
  /**
   * Says at `/readyz` that it is going and still serves, for `delay` milliseconds; then stops accepting, lets
   * answers under way finish for `deadline` milliseconds, and ends the rest.
   */
  close(deadline: number, delay?: number): Promise<void>;
}

/** How long a client may take to send, in milliseconds; by default Node looks only every 30 s. */
const TIME_LIMITS = { headers: 10_000, request: 30_000, interval: 2_000 };
/**
 * How long a connection waits for its next request, in milliseconds: longer than the proxies and load balancers that
 * keep one for a minute. With Node's 5 s a request meets the hanging up, and its sender cannot know whether it was
 * served.
 */
const KEEP_ALIVE_MS = 65_000;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Loaded only where the operator asks for it. */
async function startMonitor({ adminListen, store }: ConnectorOptions, isDraining: () => boolean) {
  if (!adminListen) return undefined;
  const { startAdmin } = await import("./admin-server.ts");
  return startAdmin(adminListen, async () => {
    if (isDraining()) throw new Error("draining");
    await store.check();
  });
}

/** The remote connector over real HTTP. Throws Node's own error (EADDRINUSE, EACCES) where it cannot listen. */
export async function startConnector(options: ConnectorOptions): Promise<Connector> {
  const { headers, request, interval } = options.timeLimits ?? TIME_LIMITS;
  const server = createServer({
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: interval,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const publicUrl = options.publicUrl ?? `http://localhost:${port}`;
  const state = { draining: false };
  const monitor = await startMonitor(options, () => state.draining);
  const visits = createVisits((event, facts) => {
    if (eventLevels[event] !== "debug") monitor?.countEvent(event);
    options.log(event, facts);
  }, options.trustProxy);
  const { app, closeMcp } = assemble(options, publicUrl, visits, () => state.draining);
  const inTurn = createTurns();
  const serve = visits.receive(
    (request, response) =>
      inTurn(() => {
        // Whoever has hung up meanwhile needs no answer.
        if (!request.socket.destroyed) app(request, response);
      }),
    (request, status, ms) => {
      monitor?.observeRequest(request.url ?? "/", status, ms / 1000);
      if (state.draining) request.socket.end();
    },
  );
  server.on("request", (request, response) => {
    // A connection that is kept would bring the next request here, and hold up the end.
    if (state.draining) response.setHeader("Connection", "close");
    serve(request, response);
  });
  return {
    publicUrl,
    ...(monitor && { adminPort: monitor.port }),
    close: async (deadline, delay = 0) => {
      state.draining = true;
      if (delay > 0) await wait(delay);
      await closeServer(server, deadline);
      await closeMcp();
      monitor?.close();
    },
  };
}

function assemble(
  options: ConnectorOptions,
  publicUrl: string,
  { log, audit, readAddress, noteGrant, watchFetch }: ReturnType<typeof createVisits>,
  isDraining: () => boolean,
) {
  const { store, secret, clock, source } = options;
  const resource = `${publicUrl}/mcp`;
  const onFault = (fault: Error) => log("fault", { message: describeFault(fault) });
  const open = (apiKey: string, limits?: OpenOptions["limits"]) =>
    source.open(apiKey, { limits, wrapFetch: watchFetch });
  const sealing = createSealing(secret, (line) => log("store", { message: line }));
  const revoke = async ({ grantId, clientId }: Holder) => {
    const isFirst = await store.revokeGrant(grantId, clock());
    if (isFirst) audit("grant_ended", { grant: grantId, client: clientId, reason: "key_no_longer_valid" });
  };
  const contextOf = createGrants({ ...options, open, revoke });
  const findBearer = createBearerCheck({ store, sealing, resource, clock });
  const authorize = createAuthorizationServer({
    ...{ store, sealing, clock, resource, onFault, issuer: publicUrl },
    registration: options.registration,
    ...{ service: source.name, notice: source.about.notice, publicKey: source.publicKey },
    cookieKey: derive(secret, "cookies"),
    formKey: derive(secret, "forms"),
    fetch: options.fetchDocument ?? createDocumentFetch(),
    ...{ audit, readAddress },
    checkKey: async (apiKey) => {
      await open(apiKey)(sites, {});
    },
  });
  const hostname = new URL(publicUrl).hostname;
  const mcp = createMcpRoute({
    hosts: [hostname, ...LOOPBACK],
    origins: [hostname, ...LOOPBACK, ...options.allowedOrigins],
    metadataUrl: `${publicUrl}/.well-known/oauth-protected-resource/mcp`,
    checkBearer: async (authorization) => {
      const bearer = await findBearer(authorization);
      noteGrant(bearer?.grantId);
      return bearer;
    },
    describeServer: (bearer) => ({
      ...contextOf(bearer),
      version: options.version,
      ...{ about: source.about, options: [] },
    }),
    onFault,
  });
  const app = createApp({
    ...{ publicUrl, source },
    ...{ authorize, serveMcp: mcp.serve, checkStore: () => store.check(), isDraining, onFault },
    onUnavailable: createFailureLog((message) => log("store", { message }), clock),
  });
  return { app, closeMcp: mcp.close };
}

/**
 * What went wrong, in the words of whoever wrote the program: they quote what was sent behind a colon, a bracket or
 * a quotation mark.
 */
function describeFault({ message, name }: Error): string {
  const [own = ""] = message.split(/["'`:[{(]/, 1);
  return own.trim() || name;
}

/** One key a purpose (RFC 5869, section 3.2). */
function derive(secret: Uint8Array, purpose: string): string {
  return Buffer.from(hkdfSync("sha256", secret, "", `analytics-mcp connector ${purpose}`, 32)).toString(
    "base64url",
  );
}

async function closeServer(server: Server, deadline: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), deadline);
  await closed;
  clearTimeout(timer);
}
