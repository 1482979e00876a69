import { UnauthorizedError } from "@modelcontextprotocol/client";
import { UnauthorizedError as UnauthorizedErrorV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queries } from "../../src/reports/queries.ts";
import { DEMO_KEY } from "../support/api.ts";
import { clientKinds, createOAuthClient } from "../support/clients.ts";
import { consent, startTestConnector } from "../support/connector.ts";
import { post } from "../support/oauth-client.ts";
import { createMemoryProvider } from "../support/oauth-provider.ts";
import { share } from "../support/seed.ts";

const HOUR = 3_600_000;
const QUESTION = { site: "example.com", days: 7 };

describe.each(clientKinds)("the SDK's own client (%s)", (kind) => {
  let connector: Awaited<ReturnType<typeof startTestConnector>>;
  const open: { close(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    // The provider reads the system clock, everything else the connector's clock: both must move.
    vi.useFakeTimers({ toFake: ["Date"] });
    connector = await startTestConnector();
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const server of open.splice(0).reverse()) await server.close();
    await connector.close();
  });
  const pass = (milliseconds: number) => {
    connector.time.now += milliseconds;
    vi.setSystemTime(connector.time.now);
  };

  /** Called when the person must be asked, who then gives the key. */
  async function signIn(url = connector.mcp) {
    const { provider, kept, visits } = createMemoryProvider("http://127.0.0.1:41234/callback");
    const client = createOAuthClient(kind, url, provider);
    const refused = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(kind === "v1" ? UnauthorizedErrorV1 : UnauthorizedError);
    await finishLast();
    const mcp = await client.connect();
    open.push(mcp);
    await expect.poll(connector.refusedStreams).toBe(kind === "v1" || kind === "v2 default" ? 1 : 0);
    return { client, mcp, kept, visits, finishLast };

    async function finishLast() {
      const landed = await consent(connector.publicUrl, visits.at(-1) ?? "");
      expect(landed.searchParams.get("state")).toBe(visits.at(-1)?.searchParams.get("state"));
      await client.finish(landed);
    }
  }

  it("discovers, registers, signs in and gets an answer", async () => {
    const { mcp, kept, visits } = await signIn();
    expect(visits).toHaveLength(1);
    expect(Object.fromEntries(visits[0]?.searchParams ?? [])).toMatchObject({
      client_id: kept.client?.client_id,
      resource: connector.mcp,
      code_challenge_method: "S256",
    });
    const { body } = await connector.ask(`/api/v1/stats?site=${QUESTION.site}&days=${QUESTION.days}`);
    const { structuredContent } = await mcp.callTool("get_stats", QUESTION);
    expect(structuredContent).toMatchObject({ visitors: body.visitors });
  });

  it("signs in to the address with a trailing slash too", async () => {
    const { mcp } = await signIn(`${connector.mcp}/`);
    expect((await mcp.listTools()).tools).toHaveLength(queries.length);
  });

  it("keeps its token as long as it is valid, and refreshes by itself each time it has expired", async () => {
    const { mcp, kept, visits } = await signIn();
    const { access_token } = kept.tokens ?? {};
    pass(4 * HOUR);
    await mcp.callTool("get_stats", QUESTION);
    expect(kept.tokens?.access_token).toBe(access_token);
    const seen = new Set([kept.tokens?.access_token]);
    for (let day = 0; day < 3; day += 1) {
      pass(24 * HOUR);
      const { isError } = await mcp.callTool("get_stats", QUESTION);
      expect(isError ?? false).toBe(false);
      seen.add(kept.tokens?.access_token);
    }
    expect(seen.size).toBe(4);
    expect(visits).toHaveLength(1);
  });

  it.each(share(["revoked by the client", "ended with the analytics key"], 2, clientKinds.indexOf(kind)))(
    "signs in again, under the same registration, when the grant was %s",
    async (how) => {
      const { client, mcp, kept, visits, finishLast } = await signIn();
      const before = kept.client?.client_id;
      if (how === "revoked by the client") {
        const token = kept.tokens?.refresh_token;
        await post(`${connector.publicUrl}/revoke`, { token, client_id: before });
      } else {
        connector.revoked.add(DEMO_KEY);
        await mcp.callTool("get_stats", QUESTION);
        connector.revoked.clear();
      }
      await expect(mcp.callTool("get_stats", QUESTION)).rejects.toThrow();
      expect(visits).toHaveLength(2);
      expect(visits[1]?.searchParams.get("client_id")).toBe(before);

      await finishLast();
      const fresh = await client.connect();
      open.push(fresh);
      expect((await fresh.callTool("get_stats", QUESTION)).structuredContent).toBeDefined();
    },
  );
});
