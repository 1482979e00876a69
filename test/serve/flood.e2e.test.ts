import { Agent } from "node:http";
import { expect, it } from "vitest";
import { createHostileRequests } from "../../bench/hostile-requests.ts";
import { ask } from "../../bench/http.ts";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import { startTestConnector } from "../support/connector.ts";
import { initialize, post, register, signIn } from "../support/oauth-client.ts";

const LIMIT = 10;

/** A connector whose store keeps few records without a grant, and counts what is left of all that were put. */
async function startWatched() {
  const put = new Map<string, { kind: string; hash: string; size: number }>();
  const connector = await startTestConnector({
    trustProxy: true,
    openStore: (options) => {
      const store = createMemoryStore({ ...options, maxWithoutGrant: LIMIT });
      return {
        ...store,
        put: (record) => {
          const { kind, hash, sealed } = record;
          put.set(`${kind} ${hash}`, { kind, hash, size: sealed.byteLength });
          return store.put(record);
        },
      };
    },
  });
  const countKept = async (kind: string) => {
    const all = [...put.values()].filter((record) => record.kind === kind);
    const found = await Promise.all(all.map(({ hash }) => connector.store.get(kind, hash)));
    return { made: all.length, kept: found.filter((record) => record !== undefined).length };
  };
  const readLargest = () => Math.max(...[...put.values()].map(({ size }) => size));
  return { connector, countKept, readLargest };
}

/** As `npm run bench -- flood`, for seconds. */
it("a flood from many addresses leaves a bounded number of small records, and nobody signed out", async () => {
  const { connector, countKept, readLargest } = await startWatched();
  const client = (await register(connector)).body.client_id;
  const { body } = await signIn(connector, { client });
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const hostile = createHostileRequests(connector.publicUrl);
  let left = 1_000;
  const drive = async () => {
    while (left-- > 0) {
      const { path, ...request } = hostile.next();
      const answer = await ask(agent, connector.publicUrl + path, request);
      expect(answer?.status).toBeLessThan(500);
      if (answer) hostile.learn(path, answer.text);
    }
  };
  await Promise.all(Array.from({ length: 8 }, drive));
  agent.destroy();

  const [applications, signIns] = [await countKept("Client"), await countKept("Interaction")];
  for (const { made } of [applications, signIns]) expect(made).toBeGreaterThan(2 * LIMIT);
  expect(applications.kept).toBeLessThanOrEqual(LIMIT + 1);
  expect(signIns.kept).toBeLessThanOrEqual(LIMIT);
  expect(readLargest()).toBeLessThan(12_000);

  expect((await initialize(connector.mcp, body.access_token)).status).toBe(200);
  const form = { grant_type: "refresh_token", client_id: client, refresh_token: String(body.refresh_token) };
  expect((await post(`${connector.publicUrl}/token`, form)).status).toBe(200);
  const another = (await register(connector)).body.client_id;
  expect((await signIn(connector, { client: another })).status).toBe(200);
  await connector.close();
});
