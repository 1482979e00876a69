import type { Client } from "oidc-provider";
import { expect, it } from "vitest";
import {
  createApplicationNames,
  describeApplication,
  describeRedirect,
} from "../../src/oauth/application-facts.ts";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { createSealing } from "../../src/oauth/store/sealing.ts";
import { createOptions } from "./stores.ts";

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

it("an application has the name it registered or its document's host, and is read once", async () => {
  const { options } = createOptions();
  const { secret, report } = options;
  const store = createMemoryStore(options);
  const sealing = createSealing(secret, report);
  for (const [clientId, value] of Object.entries({ named: { client_name: "Assistant" }, nameless: {} })) {
    await store.put({ ...sealing.seal("Client", clientId, value), clientId, created: 0 });
  }
  const asked: string[] = [];
  const get = (kind: string, hash: string) => {
    asked.push(hash);
    return store.get(kind, hash);
  };
  const readName = createApplicationNames({ ...store, get }, secret, report);
  const ids = ["named", "named", "nameless", "gone", "https://x.example:8443/client.json", "named"];
  expect(await Promise.all(ids.map(readName))).toEqual([
    "Assistant",
    "Assistant",
    null,
    null,
    "x.example:8443",
    "Assistant",
  ]);
  expect(asked).toEqual(["named", "nameless", "gone"].map((id) => sealing.hash("Client", id)));
});
