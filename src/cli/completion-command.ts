import { readFileSync } from "node:fs";
import { Argument, Command } from "commander";
import { listProfiles } from "../config/profiles.ts";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { suggest } from "../render/suggest.ts";
import type { Io } from "./io.ts";
import { writeData } from "./output.ts";
import { refuseOptionAsWord } from "./unknown-option.ts";
import { seeHelp } from "./usage-error.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** `analytics-mcp completion`: the script that makes a shell ask this program for candidates. */
export function createCompletionCommand(io: Io): Command {
  return new Command("completion")
    .description(
      "Print the script for completion in bash, zsh or fish: of commands, options, their values, and your sites.",
    )
    .addArgument(
      new Argument("<shell>", "the shell that you use")
        .choices(SHELLS)
        // What is none of them is refused below, in this program's words.
        .argParser(String),
    )
    .addHelpText("after", () => SHELLS.map((shell) => `\n${readIntroduction(shell)}`).join("\n"))
    .action((word: string) => writeData(io, readScript(chooseShell(word)).trimEnd()));
}

function chooseShell(word: string): Shell {
  refuseOptionAsWord(word, "completion");
  const shell = SHELLS.find((each) => each === word);
  if (shell !== undefined) return shell;
  throw new AnalyticsError("usage", `completion knows bash, zsh and fish, not ${quoteWord(word)}.`, {
    hint: `${suggest(word, SHELLS)}${seeHelp("completion")}`,
  });
}

/** The comment at a script's head, which says how to install it. */
function readIntroduction(shell: Shell): string {
  const lines = readScript(shell).split("\n");
  const comment = lines.slice(0, lines.indexOf("")).filter((line) => line.startsWith("# "));
  return comment.map((line) => line.slice(2)).join("\n");
}

/** The build copies the folder beside its own files, so this holds from `src/cli/` and from `dist/`. */
const readScript = (shell: Shell) =>
  readFileSync(new URL(`./completion/analytics-mcp.${shell}`, import.meta.url), "utf8");

/**
 * Answers a shell's script: a line for each candidate, its description behind a tab, or `:files`. Whatever fails,
 * nobody asked for an answer in the middle of a word: there are no candidates then.
 */
export async function printCandidates(io: Io, program: Command, words: readonly string[]): Promise<void> {
  try {
    const { findCandidates } = await import("./candidates.ts");
    const found = await findCandidates(program, words, {
      site: async (flags) => (await import("./known-sites.ts")).readSiteCandidates(io, flags),
      profile: async () => listProfiles(io.environment).map((value) => ({ value, description: "" })),
      rules: async () => (await import("../conform/conform.ts")).listNames(),
    });
    if (found === "files") await writeData(io, ":files");
    else if (found.length > 0) {
      await writeData(io, found.map(({ value, description }) => `${value}\t${description}`).join("\n"));
    }
  } catch {}
}
