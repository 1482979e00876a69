import { afterEach, expect, it, vi } from "vitest";
import { startTestConnector } from "./connector.ts";
import { register, signIn } from "./oauth-client.ts";

afterEach(() => void vi.useRealTimers());

it("people can sign in minutes after the connector's start, though its clock stands still", async () => {
  const connector = await startTestConnector();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_000 });
  const client = (await register(connector)).body.client_id;
  const { status } = await signIn(connector, { client });
  await connector.close();
  expect(status).toBe(200);
});
