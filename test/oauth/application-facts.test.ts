import type { Client } from "oidc-provider";
import { expect, it } from "vitest";
import { describeApplication, describeRedirect } from "../../src/oauth/application-facts.ts";

it.each([
  ["https://claude.ai/api/callback?x=1", { kind: "https", host: "claude.ai" }],
  ["https://x.example:8443/cb", { kind: "https", host: "x.example:8443" }],
  ["http://localhost:33418/cb", { kind: "loopback", host: "localhost", port: "33418" }],
  ["http://127.0.0.1/cb", { kind: "loopback", host: "127.0.0.1" }],
  ["http://[::1]:7/cb", { kind: "loopback", host: "[::1]", port: "7" }],
  ["cursor://anysphere.cursor-mcp/cb", { kind: "app", scheme: "cursor" }],
])("describes the redirect %s", (uri, facts) => {
  expect(describeRedirect(uri)).toEqual(facts);
});

const client = (clientId: string) =>
  ({ clientId, clientName: "N", clientUri: "https://u.example" }) as Client;

it("takes the host from a metadata document, and the rest as the application's own claim", () => {
  const said = { name: "N", uri: "https://u.example" };
  expect(describeApplication(client("https://x.example:8443/client.json"))).toEqual({
    ...said,
    host: "x.example:8443",
  });
  for (const id of ["abc", "http://x.example/client.json", "https://[", "cursor://x"]) {
    expect(describeApplication(client(id))).toEqual(said);
  }
  expect(describeApplication(undefined)).toEqual({});
});
