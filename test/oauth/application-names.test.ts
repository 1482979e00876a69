import { expect, it } from "vitest";
import { createApplicationNames } from "../../src/oauth/application-names.ts";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { createSealing } from "../../src/oauth/store/sealing.ts";
import { createOptions } from "./stores.ts";

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
