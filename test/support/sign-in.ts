import * as oauth from "oauth4webapi";
import { DEMO_KEY } from "./api.ts";
import { consent } from "./connector.ts";

/** For servers of this machine, over plain http. */
export const loose = { [oauth.allowInsecureRequests]: true };

/** The whole flow as a certified client library does it (oauth4webapi). */
export async function signIn(
  connector: { publicUrl: string; mcp: string },
  redirect = "http://127.0.0.1:1234/cb",
  key = DEMO_KEY,
  name = "Test",
) {
  const issuer = new URL(connector.publicUrl);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...loose }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [redirect], client_name: name, token_endpoint_auth_method: "none" },
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
  const landed = await consent(connector.publicUrl, url, key);
  const parameters = oauth.validateAuthResponse(server, client, landed, state);
  const exchange = async () =>
    oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirect, verifier, {
      additionalParameters: { resource: connector.mcp },
      ...loose,
    });
  return { server, client, exchange, landed };
}
