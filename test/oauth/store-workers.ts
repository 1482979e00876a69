import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "tsup";
import { spawn } from "../support/child-process.js";

/**
 * Bundles the worker for any Node, as `tsup.config.ts` does the program, inside the project so that it finds the
 * optional peer.
 */
export async function bundleWorker(): Promise<{ script: string; remove(): void }> {
  const folder = mkdtempSync(resolve("node_modules", ".store-worker-"));
  await build({
    entry: { worker: "test/oauth/store-worker.ts" },
    config: false,
    format: "esm",
    platform: "node",
    target: "node20",
    outDir: folder,
    silent: true,
    external: ["libsql"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    outExtension: () => ({ js: ".mjs" }),
  });
  return {
    script: resolve(folder, "worker.mjs"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts a process and collects its output; `command` replaces `node`. */
export function startWorker(args: string[], command: string[] = [process.execPath]) {
  const [file = "", ...before] = command;
  const child = spawn(file, [...before, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk;
  });
  child.stdin.on("error", () => {});
  const closed = once(child, "close");
  return {
    output,
    lines: () => output.stdout.split("\n").slice(0, -1),
    until: async (text: string) => {
      while (!output.stdout.includes(text)) {
        if (child.exitCode !== null) throw new Error(`The worker ended: ${output.stderr}`);
        await Promise.race([once(child.stdout, "data"), closed]);
      }
    },
    go: () => child.stdin.end("go\n"),
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
    },
    end: async () => {
      await closed;
      return output;
    },
  };
}

/** The expected output of the worker's task `smoke`. */
export const SMOKE = [
  true,
  "a",
  { first: true, consumed: 1 },
  { first: false, consumed: 1 },
  0,
  true,
  false,
  null,
  [{ grantId: "worker", revoked: 1_800_000_000_000 }],
];
