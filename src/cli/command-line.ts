import type { Command, Option } from "commander";
import { nameOption } from "./usage-error.ts";

/** A command line, read as commander reads it, but tolerating what is wrong or still missing. */
export interface CommandLine {
  /** The innermost command that is named. */
  command: Command;
  /** The first word that is neither an option nor an option's value: the command, or a mistyped one. */
  commandWord: string | undefined;
  /** The first unknown option before that word, and the words after the option. Absent after `--help`. */
  unknownOption: { name: string; rest: readonly string[] } | undefined;
  /** How many operands the command has so far. */
  operands: number;
  /** The option that expects a value next. */
  taking: Option | undefined;
  /** The options so far by their long names, and their values as the command gets them. */
  given: ReadonlySet<string>;
  flags: Readonly<Record<string, unknown>>;
  /** Whether `--` was given: nothing after it is an option. */
  isEnded: boolean;
}

/** The one reader besides commander; completion and the check of the command's name use it. */
export function readCommandLine(program: Command, words: readonly string[]): CommandLine {
  let command = program;
  let commandWord: string | undefined;
  let unknownOption: CommandLine["unknownOption"];
  let operands = 0;
  let taking: Option | undefined;
  let isEnded = false;
  const given = new Set<string>();
  const flags: Record<string, unknown> = {};

  for (const [index, word] of words.entries()) {
    if (taking && (taking.required || !word.startsWith("-"))) {
      flags[taking.attributeName()] = word;
      taking = undefined;
    } else if (word === "--" && !isEnded) {
      isEnded = true;
      taking = undefined;
    } else if (word.startsWith("-") && word !== "-" && !isEnded) {
      const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const option = findOption(command, name);
      const asksForHelp = given.has("--help") || isHelp(name);
      if (!option && !asksForHelp && commandWord === undefined) {
        unknownOption ??= { name: nameOption(word), rest: words.slice(index + 1) };
      }
      given.add(isHelp(name) ? "--help" : (option?.long ?? name));
      taking = option && takesValue(option) && value === undefined ? option : undefined;
      if (option) flags[option.attributeName()] = value ?? !option.negate;
    } else {
      if (!isEnded) commandWord ??= word;
      const next = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next) command = next;
      else operands += 1;
    }
  }
  return { command, commandWord, unknownOption, operands, taking, given, flags, isEnded };
}

const isHelp = (name: string) => name === "--help" || name === "-h";

/** Finds an option of a command or of its parents. */
export function findOption(command: Command | null, name: string): Option | undefined {
  if (command === null) return undefined;
  return (
    command.options.find((each) => each.long === name || each.short === name) ??
    findOption(command.parent, name)
  );
}

export function takesValue(option: Option): boolean {
  return option.required || option.optional;
}
