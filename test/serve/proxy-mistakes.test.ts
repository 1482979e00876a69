import { expect, it } from "vitest";
import { start } from "../oauth/connector-fixture.ts";
import { signIn } from "../support/attacker.ts";
import type { TestConnectorOptions } from "../support/connector.ts";
import { askRaw } from "../support/raw.ts";

async function startLogging(options: TestConnectorOptions) {
  const connector = await start({ logLevel: "info", ...options });
  const told = (event: string) =>
    connector.lines.filter((line) => line.includes(`"event":"${event}"`)).map((line) => JSON.parse(line));
  return { ...connector, told };
}

const advice = {
  off: "Behind your own proxy, set --trust-proxy. Otherwise everyone counts as one address.",
  on: "Only X-Forwarded-For is read. Have your proxy send it.",
};

it.each<[string, boolean, Record<string, string>, string | undefined]>([
  ["X-Forwarded-For", false, { "x-forwarded-for": "203.0.113.9" }, advice.off],
  ["Forwarded", false, { forwarded: "for=203.0.113.9" }, advice.off],
  ["Forwarded, with a trusted proxy", true, { forwarded: "for=203.0.113.9" }, advice.on],
  ["X-Forwarded-For, with a trusted proxy", true, { "x-forwarded-for": "203.0.113.9" }, undefined],
  ["none of them", false, {}, undefined],
])(
  "a proxy that sends %s: warns once if it is not read, without the address",
  async (_, trust, headers, says) => {
    const { publicUrl, told, lines } = await startLogging({ trustProxy: trust });
    for (const _ of [1, 2]) await fetch(`${publicUrl}/healthz`, { headers });
    expect(told("proxy_not_read").map(({ level, message }) => [level, message])).toEqual(
      says === undefined ? [] : [["warn", says]],
    );
    expect(lines.join()).not.toContain("203.0.113.9");
  },
);

/** `fetch` sets Host itself. */
async function callWithHost(mcp: string, host: string, own: Record<string, string> = {}) {
  const { origin, pathname: path } = new URL(mcp);
  const headers = { host, "content-type": "application/json", ...own };
  return (await askRaw(origin, { method: "POST", path, headers, body: "{}" })).status;
}

it("a proxy that does not pass Host on: 403 before anyone signs in, logged at info, once a minute", async () => {
  const { publicUrl, mcp, time, told } = await startLogging({});
  expect(await callWithHost(mcp, new URL(publicUrl).host)).toBe(401);
  const { access } = await signIn(publicUrl);
  const authorization = `Bearer ${access}`;
  for (const own of [{}, { authorization }]) expect(await callWithHost(mcp, "upstream_1", own)).toBe(403);
  const message = "A request has another Host than localhost. A proxy in front must pass Host on.";
  expect(told("host_refused")).toEqual([expect.objectContaining({ level: "info", message })]);
  expect(JSON.stringify(told("host_refused"))).not.toContain("upstream_1");
  // Strangers cannot fill the log so.
  expect(await callWithHost(mcp, "other_1")).toBe(403);
  expect(told("host_refused")).toHaveLength(1);
  time.now += 60_000;
  expect(await callWithHost(mcp, "upstream_1")).toBe(403);
  expect(told("host_refused")).toHaveLength(2);
});
