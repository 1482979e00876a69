import { createServer } from "node:http";
import { sendJson } from "../oauth/send.ts";
import type { Metrics } from "./metrics.ts";

export interface AdminOptions {
  metrics: Metrics;
  /** Throws where the connector cannot serve. */
  checkReady: () => Promise<void>;
}

/**
 * The operator's own address, apart from the one that strangers reach: metrics, health, readiness. Throws Node's
 * own error where it cannot listen.
 */
export async function startAdmin(
  address: { host: string; port: number },
  { metrics, checkReady }: AdminOptions,
) {
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, resolve);
  });
  return {
    address: server.address() as { address: string; port: number },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
