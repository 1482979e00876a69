import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openPort } from "../http/open-port.ts";
import { type ConnectorAppOptions, createConnectorApp } from "./connector-app.ts";
import { eventLevels, type Log } from "./connector-log.ts";
import type { Readiness } from "./connector-routes.ts";
import { createFairScheduler, createPipelineLimit, limitGarbage } from "./overload-protection.ts";
import { createRequestContext } from "./request-context.ts";

export interface ConnectorOptions extends ConnectorAppOptions {
  host: string;
  port: number;
  /** The origin at which people and applications reach it; by default this machine's own. */
  publicUrl?: string | undefined;
  trustProxy: boolean;
  /** Where the operator alone finds metrics, health and readiness. */
  adminListen?: { host: string; port: number } | undefined;
  timeLimits?: typeof TIME_LIMITS;
  log: Log;
}

export interface Connector {
  publicUrl: string;
  /** The port of `adminListen`, if that is set. */
  adminPort?: number;
  /**
   * For `delay` milliseconds, reports at `/readyz` that it is draining, and still serves. Then stops accepting
   * connections, gives current answers `deadline` milliseconds to finish, and aborts the rest.
   */
  close(deadline: number, delay?: number): Promise<void>;
}

/** How long a caller may take to send, in milliseconds; by default Node checks only every 30 s. */
const TIME_LIMITS = { headers: 10_000, request: 30_000, interval: 2_000 };
/**
 * How long a connection stays open without requests, in milliseconds: longer than the minute that proxies and load
 * balancers use by default. With Node's 5 s, a request can arrive just as the connection closes, and its sender cannot
 * know whether it was served.
 */
const KEEP_ALIVE_MS = 65_000;

/** Loaded only if the operator asks for it. */
async function startMonitor({ adminListen }: ConnectorOptions, { isDraining, checkStore }: Readiness) {
  if (!adminListen) return undefined;
  const { startAdmin } = await import("./admin-server.ts");
  return startAdmin(adminListen, async () => {
    if (isDraining()) throw new Error("draining");
    await checkStore();
  });
}

/** Serves the remote connector over HTTP. Throws Node's own error (EADDRINUSE, EACCES) if it cannot listen. */
export async function startConnector(options: ConnectorOptions): Promise<Connector> {
  const { headers, request, interval } = options.timeLimits ?? TIME_LIMITS;
  const server = createServer({
    headersTimeout: headers,
    requestTimeout: request,
    connectionsCheckingInterval: interval,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const port = await openPort(server, options);
  const publicUrl = options.publicUrl ?? `http://localhost:${port}`;
  const state = { draining: false };
  const readiness: Readiness = {
    isDraining: () => state.draining,
    checkStore: createReadiness(() => options.store.check(), options.clock),
  };
  const monitor = await startMonitor(options, readiness).catch((cause: unknown) => {
    server.close();
    throw cause;
  });
  const context = createRequestContext((event, facts) => {
    if (eventLevels[event] !== "debug") monitor?.countEvent(event);
    options.log(event, facts);
  }, options.trustProxy);
  const { listener, closeMcp } = createConnectorApp(options, publicUrl, context, readiness);
  const schedule = createFairScheduler();
  const serve = context.receive(
    (request, response) =>
      schedule(() => {
        // A caller that has disconnected meanwhile needs no answer.
        if (!request.socket.destroyed) listener(request, response);
      }),
    (request, status, ms) => {
      monitor?.observeRequest(request.url ?? "/", status, ms / 1000);
      if (state.draining) request.socket.end();
    },
  );
  const admit = createPipelineLimit();
  const stopCollecting = limitGarbage();
  server.on("request", (request, response) => {
    if (!admit(request, response)) return;
    // A kept connection would bring the caller's next request here, and delay the end.
    if (state.draining) response.setHeader("Connection", "close");
    serve(request, response);
  });
  return {
    publicUrl,
    ...(monitor && { adminPort: monitor.port }),
    close: async (deadline, delay = 0) => {
      state.draining = true;
      if (delay > 0) await sleep(delay);
      await closeServer(server, deadline);
      await closeMcp();
      stopCollecting();
      monitor?.close();
    },
  };
}

async function closeServer(server: Server, deadline: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), deadline);
  await closed;
  clearTimeout(timer);
}

/** For how many milliseconds the answer of `/readyz` is reused. */
const READINESS_REUSED_MS = 1_000;

/** Checks at most once a second, however often it is asked: anyone may ask. */
function createReadiness(check: () => Promise<void>, clock: () => number): () => Promise<void> {
  let last: { at: number; answer: Promise<void> } | undefined;
  return () => {
    const now = clock();
    // A clock may be set back.
    if (last === undefined || Math.abs(now - last.at) >= READINESS_REUSED_MS)
      last = { at: now, answer: check() };
    return last.answer;
  };
}
