import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createHomeFolder, execFileSync, spawn } from "../support/child-process.js";
import type { RealClient } from "./clients.ts";
import type { ModelServer } from "./model-server.ts";

export const SERVER = resolve("bin/analytics-mcp.js");
const RECORDER = resolve("test/real-clients/recorder.js");
const TIME_LIMIT = 120_000;

/** One client in a home folder of its own, with a project in which `npx analytics-mcp` starts the built server. */
export interface Trial {
  home: string;
  model: ModelServer;
  /** Writes a file of the home folder. */
  put(path: string, text: string): void;
  /** `config <client> --write`. */
  write(): void;
  /** Puts the JSON that `config` prints where it says, together with other settings. */
  paste(others: object): void;
  /** The same for other formats: `others` comes first. */
  pasteText(others: string): void;
  /** Runs the shell command that `config` prints. */
  runPrintedCommand(name: string): void;
}

export interface Outcome {
  /** What the client printed. */
  output: string;
  /** The frames between client and server, as the recorder writes them. */
  recording: string;
  home: string;
}

export function findVersion(client: RealClient): string | undefined {
  const file = resolve(".cache", `client-${client.id}`, "node_modules", client.package, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

/** Sets the client up, asks it the question, and waits until it has ended. */
export async function runTrial(
  client: RealClient,
  model: ModelServer,
  service: Record<string, string>,
): Promise<Outcome> {
  const home = createHomeFolder();
  const project = join(home, "project");
  const recording = join(home, "frames.ndjson");
  const program = resolve(".cache", `client-${client.id}`, "node_modules", client.program);
  const command: [string, ...string[]] = program.endsWith(".js") ? [process.execPath, program] : [program];
  putScript(join(project, "node_modules/.bin/analytics-mcp"), [
    process.execPath,
    RECORDER,
    recording,
    SERVER,
  ]);

  const config = (...argv: string[]) =>
    execFileSync(process.execPath, [SERVER, "config", client.id, ...argv], {
      encoding: "utf8",
      env: { HOME: home },
      stdio: ["ignore", "pipe", "ignore"],
    });
  const printed = (): { path: string; content: string; command: string | null } =>
    JSON.parse(config("--json"));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(resolve(home, path)), { recursive: true });
    writeFileSync(resolve(home, path), text);
  };
  const trial: Trial = {
    home,
    model,
    put,
    write: () => void config("--write"),
    paste: (others) => {
      const { path, content } = printed();
      put(path, JSON.stringify({ ...others, ...JSON.parse(content) }));
    },
    pasteText: (others) => {
      const { path, content } = printed();
      put(path, `${others}${content}\n`);
    },
    runPrintedCommand: (name) => {
      putScript(join(home, "bin", name), command);
      const env = { HOME: home, PATH: `${join(home, "bin")}:${process.env.PATH}` };
      execFileSync("sh", ["-c", printed().command ?? "false"], { cwd: project, env, stdio: "pipe" });
    },
  };
  client.configure(trial);
  const [file, ...args] = [...command, ...client.argv(trial)];
  const env = { HOME: home, NO_COLOR: "1", ...service, ...client.env(trial) };
  const output = await run(file, args, env, project);
  return { output, home, recording: existsSync(recording) ? readFileSync(recording, "utf8") : "" };
}

function putScript(path: string, words: string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  chmodSync(path, 0o755);
}

/** What a program prints until it ends or its time is up. */
function run(file: string, args: string[], env: Record<string, string>, cwd: string): Promise<string> {
  return new Promise((settle) => {
    // A group of its own: clients start helpers that outlive them.
    const child = spawn(file, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        output += chunk;
      });
    }
    const kill = () => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // All of them have ended.
      }
    };
    const timer = setTimeout(() => {
      output += "\nIt did not end in time.";
      kill();
    }, TIME_LIMIT);
    child.on("exit", () => {
      clearTimeout(timer);
      kill();
      setTimeout(() => settle(output), 200);
    });
  });
}
