import { hkdfSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createClient, type Target } from "../client/client.ts";
import { createMcpServer } from "../mcp/server.ts";
import { createAuthorizationServer } from "../oauth/authorization-server.ts";
import { createBearerCheck } from "../oauth/bearer.ts";
import { createDocumentFetch, type DocumentFetch } from "../oauth/document-fetch.ts";
import { createSealing } from "../oauth/store/sealing.ts";
import type { Store } from "../oauth/store/store.ts";
import { sites } from "../operations/index.ts";
import { readAddress } from "./address.ts";
import { createApp } from "./app.ts";
import { createGrants } from "./grants.ts";
import { createMcpRoute } from "./mcp-route.ts";

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
  demoKey?: string | undefined;
  /** Origin of the analytics service. */
  service: string;
  reach: (apiKey: string) => Target | Promise<Target>;
  /** Fetches client ID metadata documents; where absent, from the public internet alone. */
  fetchDocument?: DocumentFetch | undefined;
  store: Store;
  /** At least 32 random bytes, the same on every replica. */
  secret: Uint8Array;
  clock: () => number;
  /** One line for the operator, of facts that are no secrets. */
  log: (event: string, facts?: Record<string, string>) => void;
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
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Loaded only where the operator asks for it. */
async function startMonitor({ adminListen, store }: ConnectorOptions, isDraining: () => boolean) {
  if (!adminListen) return undefined;
  const { startAdmin } = await import("./admin.ts");
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
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const publicUrl = options.publicUrl ?? `http://localhost:${port}`;
  const state = { draining: false };
  const monitor = await startMonitor(options, () => state.draining);
  const log: ConnectorOptions["log"] = (event, facts) => {
    monitor?.countEvent(event);
    options.log(event, facts);
  };
  const { app, closeMcp } = assemble({ ...options, log }, publicUrl, () => state.draining);
  server.on("request", (request, response) => {
    const start = performance.now();
    response.once("close", () => {
      const seconds = (performance.now() - start) / 1000;
      monitor?.observeRequest(request.url ?? "/", response.statusCode, seconds);
      if (state.draining) request.socket.end();
    });
    // A connection that is kept would bring the next request here, and hold up the end.
    if (state.draining) response.setHeader("Connection", "close");
    app(request, response);
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

function assemble(options: ConnectorOptions, publicUrl: string, isDraining: () => boolean) {
  const { store, secret, clock, log } = options;
  const resource = `${publicUrl}/mcp`;
  const onFault = (fault: Error) => log("fault", { message: fault.message });
  const sealing = createSealing(secret, (line) => log("store", { message: line }));
  const revoke = async (grantId: string) => {
    await store.revokeGrant(grantId, clock());
    log("grant_ended", { grant: grantId, reason: "the service no longer takes the key" });
  };
  const contextOf = createGrants({ ...options, revoke });
  const authorize = createAuthorizationServer({
    ...{ store, sealing, clock, resource, onFault, issuer: publicUrl },
    registration: options.registration,
    ...{ service: options.service, demoKey: options.demoKey },
    cookieKey: derive(secret, "cookies"),
    formKey: derive(secret, "forms"),
    fetch: options.fetchDocument ?? createDocumentFetch(),
    audit: log,
    readAddress: (request) => readAddress(request, options.trustProxy),
    checkKey: async (apiKey) => {
      const { call } = createClient({ readTarget: () => options.reach(apiKey), clock });
      await call(sites, {});
    },
  });
  const hostname = new URL(publicUrl).hostname;
  const mcp = createMcpRoute({
    hosts: [hostname, ...LOOPBACK],
    origins: [hostname, ...LOOPBACK, ...options.allowedOrigins],
    metadataUrl: `${publicUrl}/.well-known/oauth-protected-resource/mcp`,
    checkBearer: createBearerCheck({ store, sealing, resource, clock }),
    createServer: (bearer) =>
      createMcpServer({
        ...contextOf(bearer),
        version: options.version,
        demo: options.demoKey !== undefined,
      }),
    onFault,
  });
  const app = createApp({
    ...{ publicUrl, service: options.service, demo: options.demoKey !== undefined },
    ...{ authorize, serveMcp: mcp.serve, checkStore: () => store.check(), isDraining, onFault },
  });
  return { app, closeMcp: mcp.close };
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
