import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execFile, execFileSync } from "./child-process.js";
import { findProgram } from "./processes.ts";
import { TMUX } from "./terminal.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const isThere = (shell: Shell) => TMUX !== undefined && findProgram(shell) !== undefined;

/** Each shell's own file of settings, with the line that its script's introduction asks for. */
const settings: Record<Shell, { file: string; command: string[]; text: string }> = {
  bash: {
    file: ".bashrc",
    command: ["bash", "-i"],
    text: `PS1='$ '
bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'; bind 'set completion-query-items 0'
eval "$(analytics-mcp completion bash)"`,
  },
  zsh: {
    file: ".zshrc",
    command: ["zsh", "-d", "-i"],
    text: `PS1='$ '; LISTMAX=1000; unsetopt beep list_ambiguous always_last_prompt
autoload -Uz compinit && compinit -D
eval "$(analytics-mcp completion zsh)"`,
  },
  fish: {
    file: ".config/fish/config.fish",
    command: ["fish", "-i"],
    text: `function fish_prompt; echo '$ '; end
set -g fish_greeting; set -g fish_autosuggestion_enabled 0
analytics-mcp completion fish | source`,
  },
};

/** The home of somebody who has the built program and its completion, and nothing else. */
function createHome(shell: Shell, environment: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), `${shell}-`));
  const { file, text } = settings[shell];
  mkdirSync(join(home, ".config", "fish"), { recursive: true });
  // Without it, fish reads all manual pages of the machine when it starts, in the background.
  mkdirSync(join(home, ".local", "share", "fish", "generated_completions"), { recursive: true });
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, file), `${text}\n`);
  const program = `#!/bin/sh\nexec '${process.execPath}' '${resolve("bin/analytics-mcp.js")}' "$@"\n`;
  writeFileSync(join(home, "bin", "analytics-mcp"), program, { mode: 0o755 });
  const PATH = `${join(home, "bin")}:${process.env.PATH}`;
  return {
    home,
    variables: { PATH, HOME: home, LC_ALL: "C.UTF-8", TERM: "xterm-256color", ...environment },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A real shell in a real terminal (tmux), with completion set up as its script says. */
export async function openShell(shell: Shell, environment: Record<string, string> = {}) {
  const { home, variables, remove } = createHome(shell, environment);
  const socket = `test-${randomUUID()}`;
  const tmux = (...args: string[]) =>
    execFileSync(TMUX ?? "tmux", ["-L", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { HOME: home },
    });
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  tmux(
    "new-session",
    "-d",
    "-x",
    "150",
    "-y",
    "70",
    "-c",
    home,
    "env",
    "-i",
    ...assignments,
    ...settings[shell].command,
  );
  const read = () => tmux("capture-pane", "-p", "-J");
  /** Texts, and lists of keys by their names. */
  const type = (...parts: (string | string[])[]) =>
    tmux(
      ...parts.flatMap((part, index) => [
        ...(index === 0 ? [] : [";"]),
        "send-keys",
        // A semicolon at the end of an argument would end the command.
        ...(typeof part === "string" ? ["-l", part.replace(/;$/, "\\;")] : part),
      ]),
    );
  const waitFor = async (words: RegExp): Promise<string[]> => {
    for (;;) {
      const found = words.exec(read());
      if (found) return found;
      await new Promise((wake) => setTimeout(wake, 50));
    }
  };
  await waitFor(/^\$/m);

  /**
   * What the line has become when Tab was pressed at its end, and what the shell has shown until then. The shell reads on
   * when the completion has ended. The line is printed, and not run.
   */
  const press = async (line: string): Promise<{ line: string; shown: string }> => {
    const id = randomUUID();
    type(["C-l"], line, ["Tab", "C-a"], `echo '${id}' '`, ["C-e"], "'", ["Enter"]);
    const [, completed = ""] = await waitFor(new RegExp(`^${id} (.*)$`, "m"));
    return { line: completed.trimEnd(), shown: read() };
  };

  return {
    home,
    press,
    /** What is shown to choose from. The list of fish is gone with the next key, but it can be asked for. */
    list: async (line: string): Promise<string> => {
      if (shell !== "fish") return (await press(line)).shown;
      const quoted = `'${line.replace(/[\\']/g, "\\$&")}'`;
      const options = { env: variables, cwd: home };
      return (await execFile("fish", ["-c", `complete -C ${quoted}`], options)).stdout;
    },
    close: () => {
      // Killed, it writes no history into the folder that is about to go. Without its last shell, the server ends.
      process.kill(Number(tmux("display-message", "-p", "#{pane_pid}")), "SIGKILL");
      remove();
    },
  };
}
