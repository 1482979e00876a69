import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Only what a process needs: `NODE_EXTRA_CA_CERTS` alone makes each start some 37 ms slower, and all ratios better. */
const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", LANG: "C.UTF-8" };

const greeting = [
  {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** Milliseconds from the spawn to the exit. Throws where it does not end well. */
export async function measureRun(command: string, args: string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { env: environment, stdio: "ignore" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}.`);
  return performance.now() - start;
}

/** Milliseconds from the spawn to the list of tools, asked for as a client does. */
export async function measureList(command: string, args: string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { env: environment, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write(greeting.join(""));
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id !== 2) continue;
    const elapsed = performance.now() - start;
    if (!(result?.tools.length > 0)) throw new Error("It lists no tools.");
    child.kill();
    await once(child, "close");
    return elapsed;
  }
  throw new Error(`${command} ${args.join(" ")} ended without a list.`);
}
