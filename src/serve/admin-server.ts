import { createServer } from "node:http";
import { sendJson } from "../http/json-response.ts";
import { openPort } from "../http/open-port.ts";
import { createMetrics, type Metrics } from "./metrics.ts";

export interface Admin extends Pick<Metrics, "observeRequest" | "countEvent"> {
  port: number;
  close(): void;
}

/**
 * Serves metrics, health and readiness to the operator, on another address than the public one. Throws Node's own
 * error if it cannot listen.
 *
 * @param checkReady Throws if the connector cannot serve.
 */
export async function startAdmin(
  listen: { host: string; port: number },
  checkReady: () => Promise<void>,
): Promise<Admin> {
  const metrics = createMetrics();
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, async (request, response) => {
    try {
      if (request.url === "/healthz") return sendJson(response, 200, { status: "ok" });
      if (request.url === "/readyz") {
        await checkReady();
        return sendJson(response, 200, { status: "ready" });
      }
      if (request.url !== "/metrics") return sendJson(response, 404, { error: "not_found" });
      const { type, text } = await metrics.print();
      response.writeHead(200, { "Content-Type": type }).end(text);
    } catch {
      sendJson(response, 503, { status: "not ready" });
    }
  });
  return {
    ...metrics,
    port: await openPort(server, listen),
    close: () => {
      server.closeAllConnections();
      server.close();
      metrics.stop();
    },
  };
}
