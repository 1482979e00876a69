import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { startProgram } from "../support/processes.ts";
import { type RealClient, realClients } from "./clients.ts";
import { startModel } from "./model-server.ts";
import { readFrames, scrub } from "./recording.ts";
import { findVersion, type Outcome, runTrial, SERVER } from "./trial.ts";

/**
 * `npm run clients`: each client, set up by what `config` prints, calls a tool of the built server for a stand-in model, which
 * must get the server's own number. `npm run clients -- codex opencode` tries some; `--record` saves the frames that they sent.
 */
const words = process.argv.slice(2);
const isRecorded = words.includes("--record");
const named = words.filter((word) => word !== "--record");
const unknown = named.find((name) => realClients.every(({ id }) => id !== name));
if (unknown !== undefined) {
  throw new Error(
    `There is no client ${unknown}. The clients are ${realClients.map(({ id }) => id).join(", ")}.`,
  );
}
const chosen = realClients.filter(({ id }) => named.length === 0 || named.includes(id));

const reference = await startProgram(process.execPath, [SERVER, "reference", "--port", "0"], {}, " sites\n");
// It says: Try: ANALYTICS_BASE_URL=… ANALYTICS_API_KEY=… analytics-mcp sites
const service = Object.fromEntries(
  [...reference.output.stderr.matchAll(/(ANALYTICS_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
);
const rows: string[][] = [["client", "version", "revision", "result"]];
try {
  for (const client of chosen)
    rows.push([client.id, findVersion(client) ?? "", ...(await tryClient(client))]);
} finally {
  await reference.stop();
}
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
for (const row of rows) {
  const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  process.stdout.write(`${cells.join("  ").trimEnd()}\n`);
}
process.exitCode = rows.slice(1).every((row) => row.at(-1) === "passed") ? 0 : 1;

/** The protocol's revision that the client speaks, and "passed" or what is missing. */
async function tryClient(client: RealClient): Promise<[revision: string, result: string]> {
  if (findVersion(client) === undefined) return ["", "not installed: bash .ci/tools clients"];
  const model = await startModel({ site: "example.com", days: 7 });
  try {
    const outcome = await runTrial(client, model, service);
    const frames = readFrames(outcome.recording);
    const fault = findFault(frames, model.seen, outcome);
    if (fault === undefined && isRecorded) save(client.id, outcome);
    return [frames.revision ?? "", fault ?? "passed"];
  } finally {
    model.close();
  }
}

function findFault(
  { visitors, revision, refusal }: ReturnType<typeof readFrames>,
  { requests, results }: { requests: string[]; results: string[] },
  { output }: Outcome,
): string | undefined {
  const said = `; it said: ${output.trim().split("\n").slice(-3).join(" / ").slice(-300)}`;
  if (revision === undefined) return `failed: it did not start the server${said}`;
  if (requests.length === 0) return `failed: it did not ask the model${said}`;
  if (refusal !== undefined) return `failed: the server refused the call: ${refusal.split("\n")[0]}`;
  if (visitors === undefined) return `failed: it did not call the tool${said}`;
  if (results.length === 0) return `failed: no result reached the model${said}`;
  if (!results.some((text) => text.includes(String(visitors)))) return "failed: the model got another number";
  return output.includes("Done.") ? undefined : `failed: it did not show the model's answer${said}`;
}

function save(id: string, { home, recording }: Outcome): void {
  const folder = resolve("test/real-clients/frames");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.ndjson`), scrub(recording, home));
}
