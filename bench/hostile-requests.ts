import { createHash, randomBytes } from "node:crypto";
import type { Asking } from "./http.ts";
import { REDIRECT } from "./sign-in.ts";

export interface HostileRequest extends Asking {
  path: string;
}

const JSON_TYPE = { "content-type": "application/json" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CHALLENGE = createHash("sha256").update("verifier").digest("base64url");
/** How many requests come from one address. */
const PER_ADDRESS = 20;

/** What strangers may send, in turn: of 25 requests, one registers an application, one begins a sign-in, others are refused. */
export function createHostileRequests(publicUrl: string) {
  let [count, client] = [0, "unknown"];
  const text = (length: number) =>
    randomBytes(Math.ceil(length / 2))
      .toString("hex")
      .slice(0, length);
  const form = (fields: Record<string, string>) => ({
    method: "POST",
    headers: FORM,
    body: `${new URLSearchParams(fields)}`,
  });
  const signIn = (state: string) =>
    new URLSearchParams({
      client_id: client,
      redirect_uri: REDIRECT,
      response_type: "code",
      code_challenge_method: "S256",
      code_challenge: CHALLENGE,
      resource: `${publicUrl}/mcp`,
      state,
    });
  const register = (metadata: object): HostileRequest => ({
    path: "/register",
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({ redirect_uris: [REDIRECT], ...metadata }),
  });
  const refused: [() => HostileRequest, ...(() => HostileRequest)[]] = [
    () => ({
      path: "/token",
      ...form({ grant_type: "refresh_token", client_id: client, refresh_token: text(43) }),
    }),
    () => ({
      path: "/token",
      ...form({ grant_type: "authorization_code", client_id: text(43), code: text(43) }),
    }),
    () => ({ path: "/token", ...form({ grant_type: text(30_000), client_id: client }) }),
    () => ({ path: "/revoke", ...form({ client_id: client, token: text(10_000) }) }),
    () => ({
      path: "/mcp",
      method: "POST",
      headers: { ...JSON_TYPE, authorization: `Bearer ${text(43)}` },
      body: "{}",
    }),
    () => ({ path: "/mcp", method: "POST", headers: JSON_TYPE, body: text(200_000) }),
    () => ({ path: `/${text(8_000)}` }),
    () => ({ path: `/consent/${text(43)}`, ...form({ api_key: text(300), decision: "allow" }) }),
    () => ({ path: `/authorize?client_id=${text(4_000)}` }),
    () => ({ path: "/register", method: "POST", headers: JSON_TYPE, body: "[".repeat(60_000) }),
    () => ({
      path: "/.well-known/oauth-authorization-server",
      headers: { origin: `https://${text(60)}.example` },
    }),
  ];
  const next = (): HostileRequest => {
    const turn = count % 50;
    // As large as is accepted, and larger.
    const size = count % 100 < 50 ? 6_500 : 50_000;
    if (turn === 0) return register({ client_name: "Flood" });
    if (turn === 25) {
      const redirect_uris = Array.from({ length: 20 }, () => `https://x.example/${text(size / 20)}`);
      return register({ redirect_uris });
    }
    if (turn === 13) return { path: `/authorize?${signIn(text(10))}` };
    if (turn === 38) return { path: "/authorize", ...form(Object.fromEntries(signIn(text(size)))) };
    return (refused[count % refused.length] ?? refused[0])();
  };
  return {
    next: (): HostileRequest => {
      const request = next();
      const address = Math.floor(count++ / PER_ADDRESS);
      const from = `11.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
      return { ...request, headers: { ...request.headers, "x-forwarded-for": from } };
    },
    /** Remembers the registered application, with which sign-ins begin. */
    learn: (path: string, answer: string): void => {
      const [, id] = path === "/register" ? (/"client_id":"([^"]+)".*127\.0\.0\.1/s.exec(answer) ?? []) : [];
      client = id ?? client;
    },
  };
}
