import type { Command } from "commander";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { suggest } from "../render/suggest.ts";
import { readCommandLine } from "./command-line.ts";
import { refuseUnknownOption, seeHelp } from "./usage-error.ts";

/**
 * Refuses a word that is no command, before commander blames the options behind it. Throws AnalyticsError `usage`, without
 * any value, for an option before the command that the program does not know: it takes no value, so its value would
 * pass for the command, and may be a key.
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
  // One letter is near any other, so that of short options case alone is forgiven: -v is meant for -V.
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

/** What is an option here is a command of other programs: `version`. */
function suggestOption({ options }: Command, word: string): string {
  const option = options.find(({ long }) => long === `--${word}`);
  return option === undefined ? "" : `Did you mean ${option.long}? `;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function isCommand(program: Command, word: string): boolean {
  return program.commands.some((command) => command.name() === word);
}
