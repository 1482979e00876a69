import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { installPackage } from "../test/support/package.js";
import { RESULTS, replaceSection, table } from "./results.ts";
import { measureList, measureRun } from "./starts.ts";

const CHAPTER = "## Starting";

/**
 * How long it takes to start, against `node -e 0` of the same Node: all cases one after the other in each round, so
 * that what else the machine does meets them alike. `--nodes` takes binaries, separated by colons.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "20" },
      nodes: { type: "string", default: process.execPath },
      trial: { type: "boolean", default: false },
    },
  });
  const { folder } = installPackage();
  const bin = resolve(folder, "node_modules/analytics-mcp/bin/analytics-mcp.js");
  const demo = ["--demo", "--site", "example.com"];
  try {
    for (const node of values.nodes.split(":")) {
      const cases = {
        "`node -e 0`": () => measureRun(node, ["-e", "0"]),
        "a bare responder's tools/list": () => measureList(node, [resolve("bench/bare-responder.js")]),
        "tools/list": () => measureList(node, [bin]),
        "`--version`": () => measureRun(node, [bin, "--version"]),
        "`--help`": () => measureRun(node, [bin, "--help"]),
        "`stats --demo`": () => measureRun(node, [bin, "stats", ...demo]),
      };
      const report = await compare(node, cases, Number(values.rounds));
      process.stdout.write(`${report}\n\n`);
      if (values.trial) continue;
      const [heading = ""] = report.split("\n");
      writeFileSync(RESULTS, replaceSection(readFileSync(RESULTS, "utf8"), CHAPTER, heading, report));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

async function compare(node: string, cases: Record<string, () => Promise<number>>, rounds: number) {
  const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  // The first round fills the caches of the disk and of V8, as a second start finds them.
  for (const measure of Object.values(cases)) await measure();
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(cases)) times.get(name)?.push(await measure());
  }
  const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
  const [floor = []] = times.values();
  const version = await readVersion(node);
  return [
    `### Node ${version.split(".")[0]}`,
    `\`npm run bench\`, ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${version}; ${rounds} rounds, warm.`,
    table(
      ["", "median, ms", "least, ms", "of `node -e 0`, medians", "least"],
      [...times].map(([name, all]) => [
        ...[name, median(all).toFixed(0), Math.min(...all).toFixed(0)],
        (median(all) / median(floor)).toFixed(2),
        (Math.min(...all) / Math.min(...floor)).toFixed(2),
      ]),
    ),
  ].join("\n\n");
}

async function readVersion(node: string): Promise<string> {
  const { execFileSync } = await import("node:child_process");
  return execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
}
