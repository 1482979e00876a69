import { createServer } from "node:http";
import { expect, it } from "vitest";
import { createNetworkFetch } from "../../src/client/network.ts";
import { openConsent, prepare } from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";
import { findPort } from "../support/processes.ts";

it("a service that trickles its answer keeps the person waiting ten seconds at most", {
  timeout: 60_000,
}, async () => {
  const service = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 200);
    response.once("close", () => clearInterval(timer));
  });
  const port = await findPort();
  service.listen(port, "127.0.0.1");
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const fetch = createNetworkFetch({});
  const connector = await startTestConnector({ reach: (apiKey) => ({ baseUrl, apiKey, fetch }) });
  const { submit } = await openConsent(connector.publicUrl, (await prepare(connector.publicUrl)).url);
  const start = performance.now();
  const { answer } = await submit({ api_key: "some-key" });
  const seconds = (performance.now() - start) / 1000;
  await connector.close();
  service.closeAllConnections();
  service.close();
  expect(answer.status).toBe(503);
  expect(answer.text).toContain("is not responding, so the key could not be checked.");
  expect(seconds).toBeGreaterThan(9);
  expect(seconds).toBeLessThan(12);
});
