import { createHash, randomBytes } from "node:crypto";
import type { Agent } from "node:http";
import { type Answer, type Asking, ask } from "./http.ts";

export interface Tokens {
  client: string;
  access: string;
  refresh: string;
}

export const REDIRECT = "http://127.0.0.1:1234/cb";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The OAuth flow of one session, from its own client address. */
export function createAuthorization(agent: Agent, publicUrl: string) {
  const send = async (path: string, asking: Asking = {}): Promise<Answer> => {
    const answer = await ask(agent, publicUrl + path, asking);
    if (!answer) throw new Error("The client hung up.");
    return answer;
  };
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    send(path, { method: "POST", headers: { ...FORM, ...headers }, body: `${new URLSearchParams(form)}` });
  const readTokens = (client: string, { status, text }: Answer): Tokens => {
    if (status !== 200) throw new Error(`The token endpoint answers ${status}: ${text}`);
    const { access_token: access, refresh_token: refresh } = JSON.parse(text);
    return { client, access, refresh };
  };

  /** Acts as a browser: keeps cookies, and follows redirects within the server. */
  const createBrowser = (headers: Record<string, string>) => {
    const cookies = new Map<string, string>();
    const visit = async (path: string, form?: Record<string, string>): Promise<Answer & { end: string }> => {
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
      const all = { ...headers, cookie, origin: publicUrl };
      const answer = form ? await post(path, form, all) : await send(path, { headers: all });
      for (const cookie of answer.headers["set-cookie"] ?? []) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (/expires=Thu, 01 Jan 1970/i.test(cookie)) cookies.delete(name);
        else cookies.set(name, value);
      }
      const { location } = answer.headers;
      if (location === undefined) return { ...answer, end: path };
      const next = new URL(location, publicUrl + path);
      return next.origin === publicUrl ? visit(next.pathname + next.search) : { ...answer, end: next.href };
    };
    return visit;
  };

  return {
    /** Reads the server's metadata, registers, consents with the key, and exchanges the code. */
    signIn: async (key: string, address: string): Promise<Tokens> => {
      await send("/.well-known/oauth-protected-resource/mcp");
      await send("/.well-known/oauth-authorization-server");
      const from = { "x-forwarded-for": address };
      const registered = await send("/register", {
        method: "POST",
        headers: { ...from, "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: "Load" }),
      });
      const { client_id: client } = JSON.parse(registered.text);
      const verifier = randomBytes(32).toString("base64url");
      const asked = new URLSearchParams({
        client_id: client,
        redirect_uri: REDIRECT,
        response_type: "code",
        state: verifier.slice(0, 8),
        code_challenge_method: "S256",
        resource: `${publicUrl}/mcp`,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      });
      const visit = createBrowser(from);
      const page = await visit(`/authorize?${asked}`);
      const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(page.text) ?? [];
      const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(page.text) ?? [];
      const { end, status } = await visit(action, { csrf, api_key: key, decision: "allow" });
      const code = URL.canParse(end) ? new URL(end).searchParams.get("code") : null;
      if (code === null) throw new Error(`The consent leads to no code: ${page.status}, ${status}`);
      const answer = await post("/token", {
        grant_type: "authorization_code",
        client_id: client,
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT,
      });
      return readTokens(client, answer);
    },
    refresh: async ({ client, refresh }: Tokens): Promise<Tokens> => {
      const form = { grant_type: "refresh_token", client_id: client, refresh_token: refresh };
      return readTokens(client, await post("/token", form));
    },
    /** The status of a refresh that must fail. */
    refreshInVain: async ({ client, refresh }: Tokens): Promise<number> => {
      const form = { grant_type: "refresh_token", client_id: client, refresh_token: refresh };
      return (await post("/token", form)).status;
    },
    revoke: async ({ client }: Tokens, token: string): Promise<void> => {
      const { status, text } = await post("/revoke", { client_id: client, token });
      if (status !== 200) throw new Error(`The revocation is answered with ${status}: ${text}`);
    },
  };
}
