import * as oauth from "oauth4webapi";
import { afterEach, describe, expect, it } from "vitest";
import { DEMO_KEY } from "../support/api.ts";
import { connectHttp } from "../support/clients.ts";
import { consent, startTestConnector } from "../support/connector.ts";

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const loose = { [oauth.allowInsecureRequests]: true };

/** The whole flow as a certified client library does it (oauth4webapi). */
async function signIn(
  connector: Awaited<ReturnType<typeof startTestConnector>>,
  redirect = "http://127.0.0.1:1234/cb",
) {
  const issuer = new URL(connector.publicUrl);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...loose }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [redirect], client_name: "Test", token_endpoint_auth_method: "none" },
      loose,
    ),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirect,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    resource: connector.mcp,
  }).toString();
  const landed = await consent(connector.publicUrl, url);
  const parameters = oauth.validateAuthResponse(server, client, landed, state);
  const exchange = async () =>
    oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirect, verifier, {
      additionalParameters: { resource: connector.mcp },
      ...loose,
    });
  return { server, client, exchange, landed };
}

describe("signing in", () => {
  it("from discovery to an answer, with refreshes and the end", async () => {
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
