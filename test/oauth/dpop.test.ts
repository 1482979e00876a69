import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { expect, it } from "vitest";
import { consent } from "../support/connector.ts";
import { buildRequest, initialize, post, REDIRECT } from "../support/oauth-client.ts";
import { registerOne, startShared } from "./connector-fixture.ts";

const connector = await startShared();

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const { kty, crv, x, y } = publicKey.export({ format: "jwk" });
/** The key's thumbprint (RFC 7638). */
const jkt = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");

/** A proof of possession (RFC 9449, section 4.2). */
function prove(htu: string): string {
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } };
  const claims = { htm: "POST", htu, iat: Math.floor(Date.now() / 1000), jti: randomUUID() };
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

/** From the authorization request to the tokens, with a proof wherever one is possible. */
async function signInWithProof() {
  const url = `${connector.publicUrl}/token`;
  const client = await registerOne(connector);
  const asking = buildRequest(connector, { client_id: client, dpop_jkt: jkt });
  const code = (await consent(connector.publicUrl, asking.url)).searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", client_id: client, redirect_uri: REDIRECT, code };
  const answer = await post(url, { ...form, code_verifier: asking.verifier }, { dpop: prove(url) });
  return { url, client, ...answer };
}

it("RFC 9449, section 5: a proof is ignored, and the token says that it is a bearer's", async () => {
  const { url, client, status, headers, body } = await signInWithProof();
  expect([status, body.token_type, headers.get("dpop-nonce")]).toEqual([200, "Bearer", null]);
  expect((await initialize(connector.mcp, body.access_token)).status).toBe(200);
  // Nor is the refresh token bound to a key that nobody checks.
  const form = { grant_type: "refresh_token", client_id: client, refresh_token: String(body.refresh_token) };
  expect(await post(url, form)).toMatchObject({ status: 200, body: { token_type: "Bearer" } });
});

it("RFC 9449, section 7.1: /mcp takes no token by the DPoP scheme", async () => {
  const { body } = await signInWithProof();
  const headers = { authorization: `DPoP ${body.access_token}`, dpop: prove(connector.mcp) };
  const response = await initialize(connector.mcp, undefined, headers);
  expect([response.status, response.headers.get("www-authenticate")?.startsWith("Bearer ")]).toEqual([
    401,
    true,
  ]);
});
