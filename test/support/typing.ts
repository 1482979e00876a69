import { once } from "node:events";
import { spawn } from "./child-process.js";
import { findProgram } from "./processes.ts";

/** Gives a program a terminal of its own; part of every Debian (bsdutils). */
export const SCRIPT = process.platform === "linux" ? findProgram("script") : undefined;

/** A shell command at a terminal: what its screen shows, and keys to press. */
export function startAtTerminal(command: string, env: Record<string, string>) {
  const child = spawn(SCRIPT ?? "", ["-qec", command, "/dev/null"], {
    env: { TERM: "xterm", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  child.stdout.on("data", (chunk) => {
    screen += chunk;
  });
  return {
    press: (keys: string) => child.stdin.write(keys),
    /** Waits until the screen has shown the text. */
    until: async (text: string) => {
      while (!screen.includes(text)) await once(child.stdout, "data");
    },
    /** Everything that the screen has shown, once the command has ended. */
    end: async () => {
      await once(child, "close");
      return screen;
    },
  };
}
