import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** Metrics for the operator's monitoring, in the text format of Prometheus. */
export interface Metrics {
  /** Counts one answered request, by the first part of its path only: paths contain ids. */
  observeRequest(path: string, status: number, seconds: number): void;
  countEvent(event: string): void;
  print(): Promise<{ type: string; text: string }>;
  stop(): void;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
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
    observeRequest: (path, status, seconds) => {
      const place = readPlace(path);
      requests.inc({ place, status: String(status) });
      durations.observe({ place }, seconds);
    },
    countEvent: (event) => events.inc({ event }),
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    stop: () => registry.clear(),
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
