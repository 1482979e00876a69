import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { installPackage } from "../test/support/package.js";
import { compareCases, describeMachine } from "./measure.ts";
import { publish, table } from "./results.ts";
import { measureClient, measureFirstCall, measureList, measureRun } from "./starts.ts";
import { startUpstream } from "./upstream.ts";

const CHAPTER = "## Starting";
const FLOOR = "`node -e 0`";

/**
 * How long it takes to start, against `node -e 0` of the same Node: until the tools are listed, and until the first
 * question is answered, which is what a person waits for. `--nodes` takes binaries, separated by colons.
 */
export async function run(args: string[], serviceScript: string): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "20" },
      nodes: { type: "string", default: process.execPath },
      /**
       * The folder where the package is installed already; by default it is packed and installed. Several, separated by
       * colons, take turns: two builds show what one step of the build saves.
       */
      installed: { type: "string" },
      trial: { type: "boolean", default: false },
    },
  });
  const folders = values.installed?.split(":") ?? [installPackage().folder];
  const service = await startUpstream(serviceScript, 0);
  const env = { ANALYTICS_API_KEY: service.key, ANALYTICS_BASE_URL: service.origin };
  try {
    for (const node of values.nodes.split(":")) {
      const cases = {
        [FLOOR]: () => measureRun(node, ["-e", "0"]),
        "a bare responder's tools/list": () => measureList(node, [resolve("bench/bare-responder.js")]),
        ...Object.assign({}, ...folders.map((folder) => createCases(node, folder))),
      };
      publish(CHAPTER, await compare(node, cases, Number(values.rounds)), values);
    }
  } finally {
    await service.close();
    if (values.installed === undefined) rmSync(folders[0] ?? "", { recursive: true, force: true });
  }
  return 0;

  function createCases(node: string, folder: string): Record<string, () => Promise<number>> {
    const bin = resolve(folder, "node_modules/analytics-mcp/bin/analytics-mcp.js");
    const cases = {
      "tools/list": () => measureList(node, [bin]),
      "the first get_stats, `--demo`": () => measureFirstCall(node, [bin, "--demo"], "example.com"),
      "the same, as Claude Code asks": () => measureClient(node, [bin, "--demo"], "claude-code"),
      "the same, as Codex asks": () => measureClient(node, [bin, "--demo"], "codex"),
      "the first get_stats, a service over HTTP": () => measureFirstCall(node, [bin], service.site, env),
      "`--version`": () => measureRun(node, [bin, "--version"]),
      "`--help`": () => measureRun(node, [bin, "--help"]),
      "`stats --demo`": () => measureRun(node, [bin, "stats", "--demo", "--site", "example.com"]),
    };
    if (folders.length === 1) return cases;
    const named = Object.entries(cases).map(([name, measure]) => [`${folder}: ${name}`, measure]);
    return Object.fromEntries(named);
  }
}

async function compare(node: string, cases: Record<string, () => Promise<number>>, rounds: number) {
  const times = await compareCases(cases, rounds);
  const floor = times[FLOOR];
  const version = execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
  return [
    `### Node ${version.split(".")[0]}`,
    `\`npm run bench -- start\`, ${describeMachine()}, Node ${version}; ${rounds} rounds, warm.`,
    table(
      ["", "median, ms", "least, ms", "of `node -e 0`, medians", "least"],
      Object.entries(times).map(([name, { at, least }]) => [
        name,
        at(0.5).toFixed(0),
        least.toFixed(0),
        (at(0.5) / (floor?.at(0.5) ?? Number.NaN)).toFixed(2),
        (least / (floor?.least ?? Number.NaN)).toFixed(2),
      ]),
    ),
  ].join("\n\n");
}
