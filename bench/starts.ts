import { spawn } from "node:child_process";
import { once } from "node:events";
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
