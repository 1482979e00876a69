import type { Command } from "commander";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { suggest } from "../render/suggest.ts";
import { readCommandLine } from "./command-line.ts";
import { refuseUnknownOption, seeHelp } from "./usage-error.ts";

/**
 * Refuses a mistyped command before commander complains about the options after it. Throws AnalyticsError `usage`. An
 * unknown option before the command is refused without its value: the value would be taken for the command, and may be
 * a key.
 *
 * @returns The command's name.
 */
export function checkCommandWord(program: Command, argv: readonly string[]): string | undefined {
  const { commandWord, unknownOption } = readCommandLine(program, argv);
  if (unknownOption) throw refuseOption(program, unknownOption.name, unknownOption.rest);
  refuseUnknownCommand(program, commandWord);
  return commandWord;
}

function refuseOption(program: Command, name: string, rest: readonly string[]): AnalyticsError {
  const command = program.commands.find(
    (each) => each.name() === rest.find((word) => isCommand(program, word)),
  );
  if (command?.options.some(({ long }) => long === name)) {
    return new AnalyticsError(
      "usage",
      `${name} comes after the command: analytics-mcp ${command.name()} ${name} …`,
      { hint: seeHelp(command.name()) },
    );
  }
  const known = program.options.flatMap(({ long }) => long ?? []);
  // Any letter is one typo away from any other, so for short options only case is forgiven: -v suggests -V.
  const short = program.options.flatMap((each) => each.short ?? []).filter((each) => isSame(each, name));
  return refuseUnknownOption(name, `${suggest(name, short.concat(known))}${seeHelp(undefined)}`);
}

function refuseUnknownCommand(program: Command, word: string | undefined): void {
  if (word === undefined || isCommand(program, word)) return;
  const names = program.commands.map((command) => command.name());
  throw new AnalyticsError("usage", `There is no command ${quoteWord(word)}.`, {
    hint: `${suggest(word, names) || suggestOption(program, word)}The commands are ${names.join(", ")}. ${seeHelp(undefined)}`,
  });
}

/** Other programs have commands for what is an option here, such as `version`. */
function suggestOption({ options }: Command, word: string): string {
  const option = options.find(({ long }) => long === `--${word}`);
  return option === undefined ? "" : `Did you mean ${option.long}? `;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function isCommand(program: Command, word: string): boolean {
  return program.commands.some((command) => command.name() === word);
}
