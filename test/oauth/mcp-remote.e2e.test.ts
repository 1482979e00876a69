import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFailed, vi } from "vitest";
import { queries } from "../../src/reports/queries.ts";
import { DEMO_KEY } from "../support/api.ts";
import { spawnClient } from "../support/clients.ts";
import { consent, startTestConnector } from "../support/connector.ts";
import { findPort } from "../support/processes.ts";
import { askRaw } from "../support/raw.ts";
import { mcpRemotes } from "../support/tools.ts";

const HOUR = 3_600_000;

/** Replaces the browser: records the address that it is called with, in whichever way. */
const BROWSER = '#!/bin/sh\nprintf "%s" "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"\n';

describe.each(Object.entries(mcpRemotes))("mcp-remote %s", (_, program) => {
  let connector: Awaited<ReturnType<typeof startTestConnector>>;
  let folder: string;
  let opened: string;
  /** Left to itself, version 0.15 takes another one if this is busy, and asks the person again once it is free. */
  let port: number;
  let open: Awaited<ReturnType<typeof spawnClient>>[];
  beforeEach(async () => {
    open = [];
    // The provider reads the system clock, everything else the connector's clock: both must move.
    vi.useFakeTimers({ toFake: ["Date"] });
    connector = await startTestConnector();
    folder = mkdtempSync(join(tmpdir(), "mcp-remote-"));
    port = await findPort();
    opened = join(folder, "opened");
    writeFileSync(join(folder, "xdg-open"), BROWSER, { mode: 0o755 });
  });
  afterEach(async () => {
    for (const server of open) await server.close();
    vi.useRealTimers();
    await connector.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start() {
    const before = connector.refusedStreams();
    const client = await spawnClient("v1", process.execPath, [program ?? "", connector.mcp, String(port)], {
      HOME: folder,
      MCP_REMOTE_CONFIG_DIR: join(folder, "state"),
      OPENED: opened,
      BROWSER: join(folder, "xdg-open"),
      PATH: `${folder}${delimiter}${process.env.PATH}`,
    });
    open.push(client);
    // If version 0.1 refreshes twice at once, it reads its half-written file and silently loses a call.
    await expect.poll(connector.refusedStreams).toBe(before + 2);
    return client;
  }

  /** The person, who gives the key and is redirected to mcp-remote. */
  async function giveKey() {
    await expect.poll(() => existsSync(opened)).toBe(true);
    const landed = await consent(connector.publicUrl, readFileSync(opened, "utf8"));
    rmSync(opened);
    const { port, pathname, search } = landed;
    const land = async () =>
      (await askRaw(`http://127.0.0.1:${port}`, { path: `${pathname}${search}` })).status;
    await expect.poll(land).toBe(200);
    return landed;
  }

  it.skipIf(!program)("signs in, answers, stays signed in, and refreshes", async () => {
    onTestFailed(() => void process.stderr.write(open.map((client) => client.stderr()).join("\n")));
    const [client, landed] = await Promise.all([start(), giveKey()]);
    expect(landed.hostname).toMatch(/^(localhost|127\.0\.0\.1)$/);
    const ask = async (by: typeof client) => {
      const { structuredContent } = await by.callTool("get_stats", { site: "example.com", days: 7 });
      const { body } = await connector.ask("/api/v1/stats?site=example.com&days=7");
      expect(structuredContent).toMatchObject({ visitors: body.visitors });
    };
    expect((await client.listTools()).tools).toHaveLength(queries.length);
    await ask(client);
    await client.close();

    const again = await start();
    await ask(again);
    connector.time.now += 24 * HOUR;
    vi.setSystemTime(connector.time.now);
    await ask(again);
    expect(existsSync(opened)).toBe(false);
    const asked = new Set(connector.upstream.map(({ authorization }) => authorization));
    expect(asked).toEqual(new Set([`Bearer ${DEMO_KEY}`]));
  });
});
