import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectHttp, type McpClient, type Progress, spawnClient } from "../support/clients.ts";
import type { FaultyServer } from "../support/faulty-server.ts";
import { findPort } from "../support/processes.ts";
import { startServed } from "../support/served.ts";
import { signIn } from "../support/sign-in.ts";
import { PLAUSIBLE_KEY, startSmallPlausible } from "../support/small-plausible.ts";
import { SCRIPT, startAtTerminal } from "../support/typing.ts";

// A service that takes its time, and a question that takes many requests to it. The tests wait for it side by side.

const SITES = Array.from({ length: 8 }, (_, index) => `site-${index}.example`);
const BIN = resolve("bin/analytics-mcp.js");
let plausible: FaultyServer;
let folder: string;
let environment: Record<string, string>;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  plausible = await startSmallPlausible(SITES, 250);
  folder = mkdtempSync(join(tmpdir(), "progress-"));
  environment = {
    HOME: folder,
    ANALYTICS_SERVICE: "plausible",
    ANALYTICS_BASE_URL: plausible.origin,
    ANALYTICS_API_KEY: PLAUSIBLE_KEY,
    ANALYTICS_SITE_TIMEZONES: SITES.map((site) => `${site}=Europe/Berlin`).join(","),
  };
});
afterAll(async () => {
  for (const each of open) await each.close();
  plausible.close();
  rmSync(folder, { recursive: true });
});

async function ask(client: McpClient) {
  const seen: Progress[] = [];
  const answer = await client.callTool("list_sites", { period: "last_7_days" }, undefined, (progress) =>
    seen.push(progress),
  );
  expect(answer.isError ?? false).toBe(false);
  return seen;
}

function expectProgress(seen: readonly Progress[]) {
  expect(seen.length).toBeGreaterThan(0);
  const counts = seen.map(({ progress }) => progress);
  expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
  for (const { progress, total = 0, message } of seen) {
    expect(total).toBeGreaterThanOrEqual(progress);
    expect(message).toBe(`${progress} of ${total} requests to Plausible`);
  }
}

it.concurrent.each(["v1", "v2 auto"] as const)(
  "a client on stdio that asks for progress gets it: %s",
  async (kind) => {
    const client = await spawnClient(kind, process.execPath, [BIN], environment);
    open.push(client);
    expectProgress(await ask(client));
  },
);

it.concurrent("a client of a connector that asks for progress gets it", async () => {
  const port = await findPort();
  const { ANALYTICS_API_KEY: _, ANALYTICS_BASE_URL: __, ...env } = environment;
  const served = await startServed({ folder, service: plausible.origin, port, env });
  open.push({ close: () => served.child.kill() });
  const { server, client, exchange } = await signIn(served, undefined, PLAUSIBLE_KEY);
  const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
  const connected = await connectHttp("v2 auto", served.mcp, access_token);
  open.push(connected);
  expectProgress(await ask(connected));
});

it.skipIf(!SCRIPT)(
  "a person at a terminal sees a line that is gone at the end",
  { concurrent: true },
  async () => {
    const terminal = startAtTerminal(`${process.execPath} ${BIN} sites --period last-7-days`, environment);
    const screen = await terminal.end();
    const lines = screen.split("\r\u001b[K");
    expect(lines.slice(1, -1)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\d+ of \d+ requests to Plausible …$/)]),
    );
    expect(lines.at(-1)).not.toContain("requests to");
    expect(screen).toContain("site-7.example");
  },
);
