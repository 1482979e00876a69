import * as oauth from "oauth4webapi";
import { afterEach, describe, expect, it } from "vitest";
import { DEMO_KEY } from "../support/api.ts";
import { connectHttp } from "../support/clients.ts";
import { startTestConnector } from "../support/connector.ts";
import { loose, signIn } from "../support/sign-in.ts";

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0).reverse()) await server.close();
});

describe("signing in", () => {
  it("works from discovery to an answer, a refresh and the end", async () => {
    const connector = await startTestConnector();
    open.push(connector);
    const { server, client, exchange } = await signIn(connector);
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
    expect(tokens).toMatchObject({ token_type: "bearer", scope: "analytics:read" });

    const mcp = await connectHttp("v2 auto", connector.mcp, tokens.access_token);
    open.push(mcp);
    const result = await mcp.callTool("get_stats", { site: "example.com", days: 7 });
    const { body } = await connector.ask("/api/v1/stats?site=example.com&days=7");
    expect(result.structuredContent).toMatchObject({ visitors: body.visitors });
    expect(new Set(connector.upstream.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${DEMO_KEY}`]),
    );

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? "", loose),
    );
    expect(refreshed.access_token).not.toBe(tokens.access_token);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token ?? "", loose),
    );
    await expect(mcp.callTool("list_sites")).rejects.toThrow();
  });
});
