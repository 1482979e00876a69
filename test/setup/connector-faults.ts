import type { Spoiled } from "../support/right-connector.ts";

/** What is wrong, the answers that are replaced, and the finding with its fix. */
type Fault = [string, Record<string, Spoiled>, RegExp, RegExp, status?: "warning"];

const page = (headers: Record<string, string | null>) => ({ page: { headers } });
const returnTo = (location: string) => ({ authorization: { headers: { location } } });
const challenge = (value: string | null) => ({ call: { headers: { "www-authenticate": value } } });
const resource = (members: Record<string, unknown>) => ({ resource: { members } });
const server = (members: Record<string, unknown>) => ({ server: { members } });

/** Faults of a connector, by the check that finds them. */
export const connectorFaults: Record<string, Fault[]> = {
  challenge: [
    ["another path", { call: { status: 404 } }, /answers 404: no MCP server is at \/mcp/, /Check the path/],
    [
      "a proxy that changes Host",
      { call: { status: 403, body: '{"error":{"message":"Invalid Host: not mcp.example.com"}}' } },
      /403 before the sign-in: "Invalid Host: not mcp\.example\.com"$/,
      /pass Host on/,
    ],
    [
      "a page of a firewall",
      { call: { status: 403, body: "<p>No" } },
      /403 before the sign-in$/,
      /what else/,
    ],
    ["a connector that is down", { call: { status: 502 } }, /answers 502/, /that its proxy reaches it/],
    [
      "a redirect",
      { call: { status: 308, headers: { location: "https://x.example/mcp" } } },
      /redirects \(308\)/,
      /address that it redirects to/,
    ],
    [
      "no sign-in at all",
      { call: { status: 200, body: "{}" } },
      /without a sign-in/,
      /anyone who knows the address/,
    ],
    ["no challenge", challenge(null), /401 without WWW-Authenticate: Bearer/, /pass this header on/],
    [
      "a bare challenge",
      challenge("Bearer"),
      /does not name resource_metadata/,
      /RFC 9728, section 5\.1/,
      "warning",
    ],
  ],
  "resource metadata": [
    [
      "metadata over http",
      challenge('Bearer resource_metadata="http://mcp.example.com/meta"'),
      /"http:\/\/mcp\.example\.com\/meta", which is not https/,
      /--public-url/,
    ],
    [
      "metadata of a connector that is down",
      { resource: { status: 502 } },
      /oauth-protected-resource\/mcp answers 502/,
      /that its proxy reaches it/,
    ],
    [
      "no metadata",
      { resource: { status: 404 } },
      /oauth-protected-resource\/mcp answers 404/,
      /\.well-known\/ to the connector/,
    ],
    [
      "a page for metadata",
      { resource: { headers: { "content-type": "text/html" }, body: "<p>Welcome" } },
      /answers with a page, not with JSON/,
      /\.well-known/,
    ],
    ["text for metadata", { resource: { body: "ok" } }, /is not a JSON object/, /\.well-known/],
    [
      "no authorization server",
      resource({ authorization_servers: [] }),
      /lacks authorization_servers/,
      /developers/,
    ],
    [
      "another resource",
      resource({ resource: "https://other.example/mcp" }),
      /"https:\/\/other\.example\/mcp", not http/,
      /--public-url/,
    ],
    [
      "the origin as resource",
      resource({ resource: "ORIGIN" }),
      /origin, not its endpoint/,
      /section 3\.3/,
      "warning",
    ],
  ],
  "server metadata": [
    [
      "an authorization server over http",
      resource({ authorization_servers: ["http://login.example"] }),
      /"http:\/\/login\.example", which is not https/,
      /--public-url/,
    ],
    [
      "no server metadata",
      { server: { status: 404 } },
      /oauth-authorization-server answers 404/,
      /\.well-known/,
    ],
    [
      "another issuer",
      server({ issuer: "https://other.example" }),
      /RFC 8414, section 3\.3/,
      /must be the same/,
    ],
    [
      "a token endpoint over http",
      server({ token_endpoint: "http://login.example/token" }),
      /"http:\/\/login\.example\/token", which is not https/,
      /--public-url/,
    ],
  ],
  PKCE: [
    ["no PKCE", server({ code_challenge_methods_supported: null }), /does not name S256/, /Support PKCE/],
    [
      "plain PKCE",
      server({ code_challenge_methods_supported: ["plain"] }),
      /does not name S256/,
      /Support PKCE/,
    ],
  ],
  registration: [
    [
      "no registration",
      server({ registration_endpoint: null }),
      /registered by hand/,
      /--registration on/,
      "warning",
    ],
    [
      "registration that fails",
      { registration: { status: 403, body: "{}" } },
      /answers 403 and no client_id/,
      /POST requests through to \/register/,
    ],
    ["too many registrations", { registration: { status: 429 } }, /429/, /in an hour/],
  ],
  "sign-in page": [
    [
      "a refused application",
      returnTo("http://127.0.0.1:33418/callback?error=invalid_target&error_description=resource%20unknown"),
      /refuses the application: "resource unknown"/,
      /log/,
    ],
    [
      "silent consent",
      returnTo("http://127.0.0.1:33418/callback?code=x"),
      /without asking anyone/,
      /Do not use/,
    ],
    [
      "a sign-in elsewhere",
      returnTo("https://login.example/start"),
      /on to "https:\/\/login\.example"/,
      /Only that server/,
    ],
    ["redirects without end", returnTo("/authorize"), /redirects more than 5 times/, /log/],
    [
      "a page of a proxy",
      { page: { body: "<p>One moment, please" } },
      /no form that asks for a key/,
      /in front of the connector/,
    ],
    ["a page that fails", { page: { status: 500 } }, /answers 500/, /log/],
    [
      "a page that is none",
      page({ "content-type": "text/plain" }),
      /not an HTML page/,
      /changes its answers/,
    ],
  ],
  "page headers": [
    [
      "a page in a frame",
      page({ "content-security-policy": "default-src 'none'" }),
      /clickjacking/,
      /frame-ancestors 'none'/,
    ],
    [
      "a page in anybody's frame",
      page({ "content-security-policy": "default-src 'none'; frame-ancestors *" }),
      /clickjacking/,
      /frame-ancestors 'none'/,
    ],
    [
      "no policy",
      page({ "content-security-policy": null, "x-frame-options": "DENY" }),
      /limits scripts/,
      /default-src 'none'/,
    ],
    [
      "form-action",
      page({ "content-security-policy": "default-src 'none'; frame-ancestors 'none'; form-action 'self'" }),
      /Chromium/,
      /form-action out/,
      "warning",
    ],
    ["no referrer", page({ "referrer-policy": "no-referrer" }), /Origin: null/, /same-origin/, "warning"],
    ["no nosniff", page({ "x-content-type-options": null }), /nosniff/, /every page/, "warning"],
  ],
};
