import { expect, it } from "vitest";
import { startTestConnector } from "../support/connector.ts";

it("keeps a connection for longer than the minute that proxies do", async () => {
  const connector = await startTestConnector();
  const { headers } = await fetch(`${connector.publicUrl}/healthz`);
  await connector.close();
  const [, seconds] = /timeout=(\d+)/.exec(headers.get("keep-alive") ?? "") ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});
