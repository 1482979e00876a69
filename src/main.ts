import manifest from "../package.json" with { type: "json" };
import type { Io } from "./cli/io.ts";
import { run } from "./cli/program.ts";
import { explainSystemError } from "./config/system-error.ts";

/** Resolves when the process is asked to stop. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}

const pause: Io["pause"] = async (milliseconds, signal) => {
  const { setTimeout: wait } = await import("node:timers/promises");
  await wait(milliseconds, undefined, signal && { signal }).catch(() => {});
};

/**
 * Shows text in a program at the terminal. Resolves when it ends, with false if it could not be started. Quitting before the
 * end of the text is no failure.
 */
const page: Io["page"] = async ([program = "", ...args], env, text) => {
  const { spawn } = await import("node:child_process");
  // Ctrl-C is for the pager: ending before it would leave it at the keyboard together with the shell.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  return new Promise<boolean>((resolve) => {
    const child = spawn(program, args, { env, stdio: ["pipe", "inherit", "inherit"] });
    child.once("error", () => resolve(false));
    child.once("close", () => resolve(true));
    child.stdin.on("error", () => {});
    child.stdin.end(`${text}\n`);
  }).finally(() => process.off("SIGINT", ignore));
};

// The real process is wired here; everything below gets it as an argument.
const { stdout, stderr, env, argv, platform, versions } = process;
const io = {
  // A getter, since few commands read stdin and opening it has effects.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  environment: env,
  clock: Date.now,
  pause,
  version: manifest.version,
  nodeVersion: versions.node,
  page,
  findLogs: async () => (await import("./config/found-logs.ts")).findLogs(platform),
  untilStopped,
};

// A reader that leaves early (`| head`) ends the program quietly.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  stderr.write(`error: Standard output cannot be written: ${explainSystemError(error)}.\n`);
  process.exit(1);
});
// A closed stderr loses the notes, but neither the data nor the exit code.
stderr.on("error", () => {});

void run(io, argv.slice(2)).then((code) => process.exit(code));
