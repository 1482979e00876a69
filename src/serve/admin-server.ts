import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendJson } from "../http/json-response.ts";
import { createMetrics, type Metrics } from "./metrics.ts";

export interface Admin extends Pick<Metrics, "observeRequest" | "countEvent"> {
  port: number;
  close(): void;
}

/**
 * The operator's own address, apart from the one that strangers reach: metrics, health, readiness. Throws Node's
 * own error where it cannot listen.
 *
 * @param checkReady Throws where the connector cannot serve.
 */
export async function startAdmin(
  { host, port }: { host: string; port: number },
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    ...metrics,
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
      metrics.stop();
    },
  };
}
