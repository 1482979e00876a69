import { Argument } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { suggest } from "../../suggest.ts";
import { type CompletionShell, completionShells, readCompletionScript } from "../completion-scripts.ts";
import { writeData } from "../output/streams.ts";
import { assertNotOption, seeHelp } from "../usage-error.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

/** `analytics-mcp completion`: prints the script by which a shell asks this program for candidates. */
export const command: CommandDefinition = {
  group: "Help:",
  summary: "Print the completion script for your shell",
  create: (io) =>
    new ShellCommand("completion")
      .withAccess(access.none)
      .withExamples(
        'eval "$(analytics-mcp completion bash)"',
        "analytics-mcp completion fish > ~/.config/fish/completions/analytics-mcp.fish",
      )
      .description(
        "Print the script by which bash, zsh, fish or PowerShell completes commands, options, their values and your sites.",
      )
      .addArgument(
        new Argument("<shell>", "the shell that you use")
          .choices(completionShells)
          // Other words are refused below, with a suggestion.
          .argParser(String),
      )
      .addHelpText("after", () => completionShells.map((shell) => `\n${readIntroduction(shell)}`).join("\n"))
      .action((word: string) => writeData(io, readCompletionScript(chooseShell(word)).trimEnd())),
};

function chooseShell(word: string): CompletionShell {
  assertNotOption(word, "completion");
  const shell = completionShells.find((name) => name === word);
  if (shell !== undefined) return shell;
  throw new AnalyticsError(
    "usage",
    `completion supports bash, zsh, fish and powershell, not ${quoteWord(word)}.`,
    {
      hint: `${suggest(word, completionShells)}${seeHelp("completion")}`,
    },
  );
}

/** The comment at the top of a script, which explains how to install it. */
function readIntroduction(shell: CompletionShell): string {
  const lines = readCompletionScript(shell).split("\n");
  const comment = lines.slice(0, lines.indexOf("")).filter((line) => line.startsWith("# "));
  return comment.map((line) => line.slice(2)).join("\n");
}
