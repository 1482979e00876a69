import { afterAll, beforeEach, onTestFinished } from "vitest";
import { startTestConnector, type TestConnectorOptions } from "../support/connector.ts";
import { REDIRECT, register, type Side } from "../support/oauth-client.ts";

export type Connector = Awaited<ReturnType<typeof startTestConnector>>;
export const OK = { status: 200, body: { token_type: "Bearer", scope: "analytics:read" } };

/** Closes something after the test. */
export function keep<T extends { close(): unknown }>(closable: T): T {
  onTestFinished(async () => void (await closable.close()));
  return closable;
}

export const start = async (options: TestConnectorOptions = {}) => keep(await startTestConnector(options));

/** One connector for a file. Each test is an hour later, because the sign-ins of an hour from one address are counted. */
export async function startShared(): Promise<Connector> {
  const connector = await startTestConnector();
  beforeEach(() => {
    connector.time.now += 3_600_000;
  });
  afterAll(() => connector.close());
  return connector;
}

/** A public client with one redirect. */
export const registerOne = async (side: Side, redirect = REDIRECT) =>
  (await register(side, { redirect_uris: [redirect] })).body.client_id;
