import { PassThrough } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { run } from "../../src/cli/program.ts";
import type { FoundLogs } from "../../src/config/found-logs.ts";
import type { Environment } from "../../src/config/variables.ts";
import { NOW } from "./api.ts";
import { nameHomeFolder } from "./child-process.js";

export interface ShellOptions {
  environment?: Record<string, string>;
  isTTY?: boolean;
  /** Whether a person can type. */
  isTyped?: boolean;
  /** The terminal's width. */
  columns?: number;
  /** The terminal's height. */
  rows?: number;
  /** Resolves when the program is asked to stop; at once, where absent. */
  stop?: Promise<void>;
  /** What a pipe gives on standard input, or the pipe. */
  stdin?: string | PassThrough;
  /** When the pipe ends; at once, where absent. */
  stdinEnds?: Promise<void>;
  /** What a person types at a terminal: keys for each question, once stderr has shown a part of it after the keys before. */
  answers?: readonly (readonly [question: string, keys: string])[];
  /** Stands for a pager; without it, no program can be started. */
  page?: (command: readonly string[], environment: Environment, text: string) => boolean;
  clock?: () => number;
  /** The logs of a web server on the machine; none by default. */
  foundLogs?: readonly FoundLogs[];
  /** Gets the milliseconds of each pause, which is over at once. */
  onPause?: (milliseconds: number) => void;
  /** Get what the program writes, as it comes. */
  onStdout?: (text: string) => void;
  onStderr?: (text: string) => void;
}

/** Stops a watch after so many answers, and keeps how many milliseconds it wanted to pause after each. */
export function stopAfter(answers: number) {
  const pauses: number[] = [];
  let end = () => {};
  const stop = new Promise<void>((resolve) => {
    end = resolve;
  });
  const onPause = (milliseconds: number) => {
    if (pauses.push(milliseconds) === answers) end();
  };
  return { pauses, stop, onPause };
}

/** The program as a shell runs it, in this process and with an empty home: its exit code and what it wrote. */
export async function runShell(
  argv: string[],
  {
    environment = {},
    isTTY = false,
    isTyped = false,
    columns = 80,
    rows = 40,
    stop,
    stdin = "",
    stdinEnds,
    answers,
    clock,
    page,
    onPause,
    onStdout,
    onStderr,
    foundLogs = [],
  }: ShellOptions = {},
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const text = { stdout: "", stderr: "" };
  const isText = typeof stdin === "string";
  const input = isText ? new PassThrough() : stdin;
  if (isText) input.write(stdin);
  if (answers === undefined && isText) void Promise.resolve(stdinEnds).then(() => input.end());
  let shown = "";
  const [...left] = answers ?? [];
  stdout.on("data", (chunk) => {
    text.stdout += chunk;
    onStdout?.(String(chunk));
  });
  stderr.on("data", (chunk) => {
    text.stderr += chunk;
    shown += chunk;
    const [next] = left;
    if (next !== undefined && shown.includes(next[0])) {
      shown = "";
      left.shift();
      // After what is written with the question.
      setImmediate(() => input.write(next[1]));
    }
    onStderr?.(String(chunk));
  });
  const code = await run(
    {
      stdin: Object.assign(input, { isTTY: isTyped || answers !== undefined }),
      stdout: Object.assign(stdout, { isTTY, columns, rows }),
      stderr: Object.assign(stderr, { isTTY, columns, rows }),
      environment: { HOME: nameHomeFolder(), ...environment },
      clock: clock ?? (() => NOW),
      pause: async (milliseconds) => {
        onPause?.(milliseconds);
        await wait(1);
      },
      version: "1.2.3",
      nodeVersion: process.versions.node,
      page: async (command, env, paged) => page?.(command, env, paged) ?? false,
      findLogs: async () => foundLogs,
      untilStopped: async () => stop,
    },
    argv,
  );
  // As a terminal shows it: without what was erased, such as whom it waited for.
  return { code, ...text, stderr: text.stderr.split("\n").map(readShown).join("\n") };
}

const readShown = (line: string) => line.split("\r\u001b[K").at(-1) ?? "";
