import { resolve } from "node:path";
import { listen } from "../../src/api/listen.ts";
import { startProgram } from "./processes.ts";
import { createReferenceApi } from "./reference-api.ts";

/** The analytics service that connectors of this machine ask, as a server of its own. */
export function startAnalytics() {
  const api = createReferenceApi({ clock: Date.now, quota: { limit: 1_000_000, window: 60 } });
  return listen(api, "127.0.0.1", 0);
}

export interface ServedOptions {
  /** Where the secret is, and the store unless another is named. */
  folder: string;
  service: string;
  port: number;
  store?: string;
  publicUrl?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Which Node runs it. */
  node?: string;
}

export type Served = Awaited<ReturnType<typeof startServed>>;

/** `serve` of the build, as a process. */
export async function startServed(options: ServedOptions) {
  const { folder, port, store, publicUrl = `http://localhost:${port}`, node = process.execPath } = options;
  const program = await startProgram(
    node,
    [
      resolve("bin/analytics-mcp.js"),
      "serve",
      "--port",
      `${port}`,
      "--public-url",
      publicUrl,
      "--base-url",
      options.service,
      "--trust-proxy",
      ...(store === undefined ? [] : ["--store", store]),
      ...(options.args ?? []),
    ],
    { XDG_STATE_HOME: folder, ...options.env },
    "The connector is at",
  );
  return { ...program, publicUrl, mcp: `${publicUrl}/mcp`, pid: program.child.pid ?? 0 };
}
