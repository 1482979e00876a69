import { PassThrough } from "node:stream";
import { run } from "../../src/cli/program.ts";
import { NOW } from "./api.ts";

export interface ShellOptions {
  environment?: Record<string, string>;
  isTTY?: boolean;
  /** What a pipe gives on standard input. */
  stdin?: string;
  clock?: () => number;
}

/** The program as a shell runs it, in this process: its exit code and what it wrote. */
export async function runShell(
  argv: string[],
  { environment = {}, isTTY = false, stdin = "", clock }: ShellOptions = {},
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const text = { stdout: "", stderr: "" };
  stdout.on("data", (chunk) => {
    text.stdout += chunk;
  });
  stderr.on("data", (chunk) => {
    text.stderr += chunk;
  });
  const code = await run(
    {
      stdin: new PassThrough().end(stdin),
      stdout: Object.assign(stdout, { isTTY }),
      stderr: Object.assign(stderr, { isTTY }),
      environment,
      clock: clock ?? (() => NOW),
      version: "1.2.3",
      nodeVersion: process.versions.node,
      untilStopped: async () => {},
    },
    argv,
  );
  return { code, ...text };
}
