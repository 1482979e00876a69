import { mkdtempSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "tsup";

/**
 * Runs a bench as any Node can run it: bundled, in the project's own folder, so that it finds the packages.
 * `node bench/run.js load --sessions 200`
 */
const [name = "", ...args] = process.argv.slice(2);
const folder = mkdtempSync(resolve("node_modules", ".bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  ...{ entry: [`bench/${name}.ts`, "bench/service.ts"], config: false, format: "esm", platform: "node" },
  ...{ target: "node20", outDir: folder, silent: true, splitting: true, skipNodeModulesBundle: true },
  outExtension: () => ({ js: ".mjs" }),
});
const { run } = await import(resolve(folder, `${name}.mjs`));
process.exitCode = await run(args, resolve(folder, "service.mjs"));
