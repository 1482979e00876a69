import { mkdtempSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "tsup";

/**
 * Runs a bench, bundled so that any Node can run it, in the project's folder so that it finds the packages:
 * `node bench/run.js load --sessions 200`. Without a name, runs the short ones, one after the other.
 */
const given = process.argv.slice(2);
const named = given[0] !== undefined && !given[0].startsWith("--");
const names = named ? given.slice(0, 1) : ["start", "calls", "throughput", "logs"];
const args = named ? given.slice(1) : given;

const folder = mkdtempSync(resolve("node_modules", ".bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  entry: [...names.map((name) => `bench/${name}.ts`), "bench/service.ts"],
  config: false,
  format: "esm",
  platform: "node",
  target: "node20",
  outDir: folder,
  silent: true,
  splitting: true,
  skipNodeModulesBundle: true,
  outExtension: () => ({ js: ".mjs" }),
});
for (const name of names) {
  const { run } = await import(resolve(folder, `${name}.mjs`));
  const code = await run(args, resolve(folder, "service.mjs"));
  if (code !== 0) process.exitCode = code;
}
