import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { NOW } from "./api.ts";
import { buildEnvironment, execFile, execFileSync } from "./child-process.js";
import { findProgram } from "./processes.ts";

export const TMUX = findProgram("tmux");

/** A real terminal of a size (tmux), in which the built program runs on the tests' clock. */
export function openTerminal(width: number, height: number) {
  const socket = `test-${randomUUID()}`;
  // One home for all calls: the first starts the server, whose environment the shell inherits.
  const env = buildEnvironment();
  const tmux = (...args: string[]) =>
    execFileSync(TMUX ?? "tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8", env });
  const waitFor = (signal: string) =>
    execFile(TMUX ?? "tmux", ["-L", socket, "-f", "/dev/null", "wait-for", signal], { env });
  const environment = { TEST_NOW: String(NOW), LC_ALL: "C.UTF-8", TERM: "xterm-256color" };
  tmux(
    "new-session",
    "-d",
    "-x",
    String(width),
    "-y",
    String(height),
    ...Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    "sh",
  );
  const program = `node --import ${resolve("test/support/fixed-clock.js")} ${resolve("bin/analytics-mcp.js")}`;
  tmux(
    "send-keys",
    `PS1=; stty -echo; alias analytics-mcp='${program}'; tmux -L ${socket} wait-for -S ready`,
    "Enter",
  );
  // Until then the terminal shows what is typed.
  tmux("wait-for", "ready");
  const read = () =>
    tmux("capture-pane", "-p", "-S", "-")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n");

  return {
    tmux,
    read,
    /** What the terminal shows of a command when it has ended. */
    run: async (command: string): Promise<string> => {
      const end = `end-${randomUUID()}`;
      const signal = `tmux -L ${socket} wait-for -S ${end}`;
      tmux(
        "send-keys",
        `clear; tmux -L ${socket} clear-history; ${command}; echo ${end}; ${signal}`,
        "Enter",
      );
      await waitFor(end);
      // What was written before the signal may be drawn a moment after it.
      for (;;) {
        const text = read();
        const at = text.indexOf(`\n${end}`);
        if (at !== -1) return text.slice(0, at);
        await new Promise((wake) => setTimeout(wake, 10));
      }
    },
    close: () => void tmux("kill-server"),
  };
}
