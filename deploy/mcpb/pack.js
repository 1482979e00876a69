import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/**
 * Packs the bundle for desktop hosts (MCPB): the files that npm would publish, with the bundle's manifest.
 * Usage: `npm run mcpb -- analytics-mcp.mcpb`, after `bash .ci/tools`.
 */
const bundle = resolve(process.argv[2] ?? "analytics-mcp.mcpb");
const mcpb = resolve(".cache/checks/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js");
const folder = mkdtempSync(join(tmpdir(), "mcpb-"));
try {
  const args = ["pack", "--dry-run", "--ignore-scripts", "--json", "--loglevel=error"];
  const [{ files }] = JSON.parse(execFileSync("npm", args, { encoding: "utf8" }));
  for (const { path } of files) cpSync(path, join(folder, path), { recursive: true });
  cpSync("deploy/mcpb/manifest.json", join(folder, "manifest.json"));
  mkdirSync(dirname(bundle), { recursive: true });
  execFileSync(process.execPath, [mcpb, "pack", folder, bundle], { stdio: ["ignore", "ignore", "inherit"] });
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(`${bundle}: ${(readFileSync(bundle).length / 1024).toFixed(0)} kB\n`);
