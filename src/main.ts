import manifest from "../package.json" with { type: "json" };
import { run } from "./cli/program.ts";

/** Wires the real process; everything below gets it as an argument. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}

const { stdout, stderr, env, argv, versions } = process;
const io = {
  // Opened where it is read: few commands do.
  get stdin() {
    return process.stdin;
  },
  stdout,
  stderr,
  environment: env,
  clock: Date.now,
  version: manifest.version,
  nodeVersion: versions.node,
  untilStopped,
};

// A reader that leaves early (`| head`) ends the program quietly.
stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(0);
  stderr.write(`error: standard output cannot be written: ${code}\n`);
  process.exit(1);
});
// Whoever does not listen to notes gets the data, and the exit code, all the same.
stderr.on("error", () => {});

void run(io, argv.slice(2)).then((code) => process.exit(code));
