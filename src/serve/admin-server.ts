import { createServer } from "node:http";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { sendJson } from "../http/json-response.ts";
import { openPort } from "../http/open-port.ts";

/**
 * Serves metrics, health and readiness to the operator, on another address than the public one. Throws Node's own
 * error if it cannot listen.
 *
 * @param checkReady Throws if the connector cannot serve.
 */
export async function startAdmin(listen: { host: string; port: number }, checkReady: () => Promise<void>) {
  const metrics = createMetrics();
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, async (request, response) => {
    try {
      if (request.url === "/healthz") return sendJson(response, 200, { status: "ok" });
      if (request.url === "/readyz") {
        await checkReady();
        return sendJson(response, 200, { status: "ready" });
      }
      if (request.url !== "/metrics") return sendJson(response, 404, { error: "not_found" });
      response.writeHead(200, { "Content-Type": metrics.registry.contentType });
      response.end(await metrics.registry.metrics());
    } catch {
      sendJson(response, 503, { status: "not ready" });
    }
  });
  return {
    observeRequest: metrics.observeRequest,
    countEvent: metrics.countEvent,
    port: await openPort(server, listen),
    close: () => {
      server.closeAllConnections();
      server.close();
      metrics.registry.clear();
    },
  };
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics for the operator's monitoring, in the text format of Prometheus. */
function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "analytics_mcp_http_requests_total",
    help: "Requests answered, by place and status.",
    labelNames: ["place", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "analytics_mcp_http_request_duration_seconds",
    help: "Time from a request's arrival to the end of its answer, by place.",
    labelNames: ["place"],
    buckets: SECONDS,
    registers: [registry],
  });
  const events = new Counter({
    name: "analytics_mcp_events_total",
    help: "Events of the log at level info and above: grants made and ended, keys refused, faults.",
    labelNames: ["event"],
    registers: [registry],
  });
  return {
    registry,
    /** Counts one answered request, by the first part of its path only: paths contain ids. */
    observeRequest: (path: string, status: number, seconds: number) => {
      const place = readPlace(path);
      requests.inc({ place, status: String(status) });
      durations.observe({ place }, seconds);
    },
    countEvent: (event: string) => events.inc({ event }),
  };
}

const PLACES = ["mcp", "authorize", "token", "register", "revoke", "consent", "healthz", "readyz"];

/** Returns one of a few places, whatever the path: each place is a time series that stays in memory. */
function readPlace(path: string): string {
  if (path.includes("/.well-known/")) return "metadata";
  const [, first = ""] = path.split(/[/?]/);
  if (first === "") return "landing";
  return PLACES.includes(first) ? first : "other";
}
