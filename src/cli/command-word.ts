import type { Command } from "commander";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { suggest } from "../suggest.ts";
import { readCommandLine } from "./command-line.ts";
import { commandList } from "./commands/command-list.ts";
import { seeHelp } from "./usage-error.ts";

/**
 * Refuses a mistyped command before commander complains about the options after it. Throws AnalyticsError `usage`. An
 * unknown option before the command is refused without its value: the value would be taken for the command, and may be
 * a key.
 *
 * @param load Loads a command by its name.
 * @returns The command's name.
 */
export async function checkCommandWord(
  program: Command,
  argv: readonly string[],
  load: (name: string) => Promise<Command>,
): Promise<string | undefined> {
  const { commandWord, unknownOption, given } = readCommandLine(program, argv);
  if (unknownOption) {
    const { createMisplacedOptionError } = await import("./mistake.ts");
    throw await createMisplacedOptionError(program, argv, unknownOption, load);
  }
  await assertKnownCommand(program, commandWord);
  if (commandWord !== undefined && given.has("--stdio")) {
    throw new AnalyticsError(
      "usage",
      `--stdio starts the MCP server and cannot be combined with ${commandWord}.`,
      {
        hint: `Leave out --stdio, or ${commandWord}.`,
      },
    );
  }
  return commandWord;
}

async function assertKnownCommand(program: Command, word: string | undefined): Promise<void> {
  if (word === undefined || isCommand(program, word)) return;
  const { suggestNearList, suggestQuery } = await import("./guess-query.ts");
  const names = program.commands.map((command) => command.name());
  const asking = commandList.filter(({ group }) => group === "Ask:").map(({ name }) => name);
  const guess =
    suggestQuery(word) || suggest(word, names) || suggestOption(program, word) || suggestNearList(word);
  throw new AnalyticsError("usage", `There is no command ${quoteWord(word)}.`, {
    hint:
      guess === ""
        ? `To ask: ${asking.join(", ")}. All commands: analytics-mcp help`
        : `${guess}${seeHelp(undefined)}`,
  });
}

/** Other programs have commands for what is an option here, such as `version`. */
function suggestOption({ options }: Command, word: string): string {
  const option = options.find(({ long }) => long === `--${word}`);
  return option === undefined ? "" : `Did you mean ${option.long}? `;
}

const isCommand = (program: Command, word: string): boolean =>
  program.commands.some((command) => command.name() === word);
