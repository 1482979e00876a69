import { resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createNetworkFetch } from "../../src/client/network.ts";
import { DEMO_KEY } from "../support/api.ts";
import { createCertificate } from "../support/certificate.ts";
import { connectHttp, type McpClient, spawnClient } from "../support/clients.ts";
import { startTestConnector } from "../support/connector.ts";
import { answerRightly, type FaultProxy, type Line, startFaultProxy } from "../support/fault-proxy.ts";
import { register, signIn } from "../support/oauth-client.ts";
import { IS_LONG, pick } from "../support/seed.ts";
import type { NamedFault } from "./sending.ts";
import { createSwitchboard, questionOf } from "./switchboard.ts";
import { wireFaults } from "./wire-faults.ts";

const KEY = "canary-key-5d0c97-of-a-process";
/** Faults that end by a process's own long time limits are left out; LONG=1 includes them. */
const faults = wireFaults.filter(({ slow }) => IS_LONG || !slow);
/** Milliseconds: the HTTP client's deadline, and far more for a busy machine, which answers all at once. */
const DEADLINE_MS = 150_000;

const certificate = createCertificate(2);
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function startProxy(...tls: Parameters<typeof startFaultProxy>): Promise<FaultProxy> {
  const proxy = await startFaultProxy(...tls);
  open.push(proxy);
  return proxy;
}

/** A service that refuses requests for their number is asked no more by those that wait meanwhile. */
const stopsOthers = ({ outcome }: NamedFault) => outcome === "rate_limited";

/** Makes one call per fault, and returns each outcome. All are made at once, but for those that stop others, which follow. */
async function askAll(client: McpClient, proxy: FaultProxy, faults: readonly NamedFault[]) {
  const asked = new Map<NamedFault, ReturnType<typeof ask>>();
  for (const isLast of [false, true]) {
    for (const [index, fault] of faults.entries())
      if (stopsOthers(fault) === isLast) asked.set(fault, ask(client, proxy, fault, index));
    await Promise.all(asked.values());
  }
  return Promise.all(faults.map((fault) => asked.get(fault)));
}

async function ask(client: McpClient, proxy: FaultProxy, { name }: NamedFault, index: number) {
  const began = performance.now();
  const query = questionOf(index);
  const result = await client.callTool("get_breakdown", query);
  expect([name, performance.now() - began < DEADLINE_MS]).toEqual([name, true]);
  const text = result.content.map((each) => each.text).join("\n");
  expect(text).toMatch(/\w{3}/);
  expect(text).not.toMatch(/this is a bug/);
  for (const key of [KEY, DEMO_KEY]) expect(JSON.stringify(result).toLowerCase()).not.toContain(key);
  if (result.isError) return { name, outcome: "failure" };
  const parameters = Object.entries(query).map(([key, value]): [string, string] => [key, `${value}`]);
  const right = JSON.parse(await proxy.read(`/api/v1/breakdown?${new URLSearchParams(parameters)}`));
  const { totals, total_rows } = result.structuredContent ?? {};
  expect([name, totals, total_rows]).toEqual([name, right.totals, right.total_rows]);
  return { name, outcome: "right" };
}

interface Surface {
  client: McpClient;
  proxy: FaultProxy;
  line: Line;
  readLog: () => string;
}

async function startStdio(proxy: FaultProxy): Promise<Surface> {
  const line = proxy.open();
  const client = await spawnClient("v2 auto", process.execPath, [resolve("bin/analytics-mcp.js")], {
    ANALYTICS_API_KEY: KEY,
    ANALYTICS_BASE_URL: line.origin,
    NODE_EXTRA_CA_CERTS: certificate.file,
    // There are more faults than the default number of calls per minute.
    ANALYTICS_CALLS_PER_MINUTE: "100000",
  });
  open.push(client);
  return { client, proxy, line, readLog: client.stderr };
}

async function startRemote(proxy: FaultProxy): Promise<Surface> {
  const line = proxy.open();
  const fetch = createNetworkFetch();
  const reach = (apiKey: string) => ({ baseUrl: `${line.origin}/api/v1`, apiKey, fetch });
  const connector = await startTestConnector({ reach });
  const { client_id } = (await register(connector)).body;
  const { body } = await signIn(connector, { client: client_id });
  const client = await connectHttp("v2 auto", connector.mcp, String(body.access_token));
  open.push(connector, client);
  return { client, proxy, line, readLog: () => connector.lines.join("\n") };
}

/** A 401 of the service ends the sign-in, as intended. All surfaces ask by the same client: the first tries all faults. */
const beside401 = faults.filter(({ outcome }) => outcome !== "invalid_api_key");

it.each<[string, NamedFault[], () => Promise<Surface>]>([
  ["the MCP server on stdio", faults, async () => startStdio(await startProxy())],
  [
    "the MCP server on stdio, over TLS",
    pick(faults, 5),
    async () => startStdio(await startProxy(certificate)),
  ],
  ["the connector on /mcp", pick(beside401, 5), async () => startRemote(await startProxy())],
])(
  "%s answers correctly or says clearly why not, shows no key, and recovers",
  async (_, faults, start) => {
    const { client, proxy, line, readLog } = await start();
    const tell = (outcomeOf: (fault: NamedFault) => string) =>
      faults.map((fault) => ({ name: fault.name, outcome: outcomeOf(fault) }));
    line.fault = createSwitchboard(faults);
    expect(await askAll(client, proxy, faults)).toEqual(
      tell(({ outcome }) => (outcome === "right" ? "right" : "failure")),
    );
    line.fault = answerRightly;
    expect(await askAll(client, proxy, faults)).toEqual(tell(() => "right"));
    for (const key of [KEY, DEMO_KEY]) expect(readLog().toLowerCase()).not.toContain(key);
  },
  400_000,
);
