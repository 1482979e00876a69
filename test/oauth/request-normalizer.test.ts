import { expect, it } from "vitest";
import { createNormalizer } from "../../src/oauth/request-normalizer.ts";

const { authorization, token } = createNormalizer("https://mcp.example/mcp");
const asked = (query: string) => Object.fromEntries(authorization(new URLSearchParams(query)));

it.each([
  ["", {}],
  ["prompt=login", { prompt: "consent" }],
  ["prompt=select_account+login", { prompt: "consent" }],
  ["prompt=", { prompt: "consent" }],
  ["prompt=none", { prompt: "none" }],
  ["prompt=login+none", { prompt: "none" }],
  ["response_mode=query", { response_mode: "query" }],
  ["response_mode=form_post", { response_mode: "unsupported" }],
  ["response_mode=", { response_mode: "unsupported" }],
  ["response_mode=query&response_mode=fragment", { response_mode: "unsupported" }],
  ["resource=https://mcp.example/mcp/", { resource: "https://mcp.example/mcp" }],
  ["resource=https://mcp.example", { resource: "https://mcp.example/mcp" }],
  ["resource=https://mcp.example/&resource=https://mcp.example/mcp", { resource: "https://mcp.example/mcp" }],
  ["resource=https://other.example/mcp", { resource: "https://other.example/mcp" }],
  // RFC 8707, section 2, with RFC 3986, section 6.2.2.1: case of scheme and host means nothing.
  ["resource=HTTPS://MCP.Example/mcp", { resource: "https://mcp.example/mcp" }],
  ["resource=https://MCP.EXAMPLE", { resource: "https://mcp.example/mcp" }],
  ["resource=https://mcp.example:443/mcp/", { resource: "https://mcp.example/mcp" }],
  ["resource=https://mcp.example/MCP", { resource: "https://mcp.example/MCP" }],
  ["resource=https://mcp.example:8443/mcp", { resource: "https://mcp.example:8443/mcp" }],
  ["resource=https://mcp.example/x/../mcp", { resource: "https://mcp.example/x/../mcp" }],
  ["resource=https://mcp.example/%256dcp", { resource: "https://mcp.example/%6dcp" }],
  ["resource=https://mcp.example/mcp%23x", { resource: "https://mcp.example/mcp#x" }],
  ["resource=https://mcp.example/mcp?x", { resource: "https://mcp.example/mcp?x" }],
  ["resource=https://u@mcp.example/mcp", { resource: "https://u@mcp.example/mcp" }],
  ["resource=https://mcp.example.evil/mcp", { resource: "https://mcp.example.evil/mcp" }],
  ["resource=http://mcp.example/mcp", { resource: "http://mcp.example/mcp" }],
  ["resource=https:mcp.example/mcp", { resource: "https:mcp.example/mcp" }],
  ["resource=https://mcp.example%5Cmcp", { resource: "https://mcp.example\\mcp" }],
  ["resource=https://mcp.example/mcp%09", { resource: "https://mcp.example/mcp\t" }],
  ["scope=openid+email&state=s", { state: "s" }],
])("normalizes an authorization request with %j", (query, rest) => {
  expect(asked(query)).toEqual({ scope: "analytics:read", ...rest });
});

it("a resource of another server is kept, even beside this server's", () => {
  const both = ["https://mcp.example/mcp", "https://other.example/mcp"];
  const form = authorization(
    new URLSearchParams(both.map((address): [string, string] => ["resource", address])),
  );
  expect(form.getAll("resource")).toEqual(both);
});

it("a token request loses its scope", () => {
  const form = token(new URLSearchParams("grant_type=refresh_token&scope=x&resource=https://mcp.example/"));
  expect(Object.fromEntries(form)).toEqual({
    grant_type: "refresh_token",
    resource: "https://mcp.example/mcp",
  });
});
