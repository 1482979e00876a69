import type { IncomingMessage, ServerResponse } from "node:http";
import { send, startServer } from "./faulty-server.ts";

/** An answer of the connector that a test replaces; `null` removes a member or a header. */
export interface Spoiled {
  status?: number;
  headers?: Record<string, string | null>;
  members?: Record<string, unknown>;
  body?: string;
}

type Part = "call" | "resource" | "server" | "registration" | "authorization" | "page";

const parts: [RegExp, Part][] = [
  [/^\/mcp$/, "call"],
  [/oauth-protected-resource/, "resource"],
  [/oauth-authorization-server|openid-configuration/, "server"],
  [/^\/register$/, "registration"],
  [/^\/authorize/, "authorization"],
  [/^\/consent/, "page"],
];

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

const buildAnswers = (
  origin: string,
): Record<
  Part,
  { status: number; headers: Record<string, string>; body: string | Record<string, unknown> }
> => {
  const json = { "content-type": "application/json" };
  return {
    call: {
      status: 401,
      headers: {
        "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      },
      body: "",
    },
    resource: {
      status: 200,
      headers: json,
      body: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ["read"] },
    },
    server: {
      status: 200,
      headers: json,
      body: {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        code_challenge_methods_supported: ["S256"],
      },
    },
    registration: { status: 201, headers: json, body: { client_id: "c-1" } },
    authorization: {
      status: 303,
      headers: {
        location: "/consent/1",
        "set-cookie": "sign_in=s-1; expires=Sun, 22 Nov 2026 14:35:55 GMT; path=/consent",
      },
      body: "",
    },
    page: {
      status: 200,
      headers: PAGE_HEADERS,
      body: '<!doctype html><form method="post" action="/consent/1"><input type="password" name="api_key"></form>',
    },
  };
};

/** A connector that does the least that is right, with some answers spoiled; `ORIGIN` in a text stands for its own. */
export async function startRightConnector(
  spoiled: Partial<Record<Part, Spoiled>> = {},
  tls?: { key: string; cert: string },
) {
  const server = await startServer(answer, tls);
  const withoutNull = <T>(all: Record<string, T | null>) =>
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<string, T>;

  function answer(request: IncomingMessage, response: ServerResponse) {
    const { origin } = server;
    const { pathname } = new URL(request.url ?? "", origin);
    const part = parts.find(([path]) => path.test(pathname))?.[1];
    if (part === undefined) return send(response, 404, {}, "");
    const right = buildAnswers(origin)[part];
    const { status = right.status, headers = {}, members, body } = spoiled[part] ?? {};
    const fill = (text: string) => text.replaceAll("ORIGIN", origin);
    const whole = typeof right.body === "string" ? right.body : withoutNull({ ...right.body, ...members });
    const text = body ?? (typeof whole === "string" ? whole : JSON.stringify(whole));
    const fields = withoutNull({ ...right.headers, ...headers });
    send(
      response,
      status,
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)])),
      fill(text),
    );
  }
  return server;
}
