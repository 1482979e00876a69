import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { scrubbed } from "./environment.ts";
import { openStdio } from "./stdio.ts";

/** Milliseconds from the spawn to the exit. Throws where it does not end well. */
export async function measureRun(command: string, args: string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { env: scrubbed, stdio: "ignore" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}.`);
  return performance.now() - start;
}

/** Milliseconds from the spawn to the list of tools, asked for as a client does. */
export async function measureList(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<number> {
  const start = performance.now();
  const server = await openStdio(command, args, env);
  const elapsed = performance.now() - start;
  await server.close();
  return elapsed;
}

/** Milliseconds from the spawn to the answer of the first question, asked when the tools are listed. */
export async function measureFirstCall(
  command: string,
  args: string[],
  site: string,
  env: Record<string, string> = {},
): Promise<number> {
  const start = performance.now();
  const server = await openStdio(command, args, env);
  await server.call("get_stats", { site, days: 7 });
  const elapsed = performance.now() - start;
  await server.close();
  return elapsed;
}

/** Milliseconds from the spawn to the answer of the tool, asked with the frames that a client really sends. */
export async function measureClient(command: string, args: string[], client: string): Promise<number> {
  const frames = readFileSync(`test/real-clients/frames/${client}.ndjson`, "utf8").trim().split("\n");
  const start = performance.now();
  const child = spawn(command, args, { env: scrubbed, stdio: ["pipe", "pipe", "ignore"] });
  const exit = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let elapsed = 0;
  for (const frame of frames) {
    child.stdin.write(`${frame}\n`);
    const { id, method }: { id?: unknown; method?: string } = JSON.parse(frame);
    if (id === undefined) continue;
    const { value } = await lines.next();
    if (JSON.parse(value ?? "{}").result === undefined) throw new Error(`${client}: ${method}: ${value}`);
    if (method === "tools/call") elapsed = performance.now() - start;
  }
  child.stdin.end();
  await exit;
  return elapsed;
}
