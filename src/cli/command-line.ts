import type { Command, Option } from "commander";
import { readOptionName } from "./usage-error.ts";

/** A command line, read as commander reads it, even if it has errors or is not complete. */
export interface CommandLine {
  /** The innermost command that is named. */
  command: Command;
  /** The first word that is neither an option nor an option's value: the command, or a mistyped one. */
  commandWord: string | undefined;
  /** The first unknown option before that word, and the words after the option. Absent after `--help`. */
  unknownOption: { name: string; rest: readonly string[] } | undefined;
  /** The places of the command's operands so far. */
  operands: number[];
  /** The option that expects a value next. */
  pendingOption: Option | undefined;
  /** The options so far by their long names, and their values as the command gets them. */
  given: Set<string>;
  flags: Record<string, unknown>;
  /** Whether `--` was given: nothing after it is an option. */
  optionsEnded: boolean;
}

/** Reads a command line that commander would refuse: for completion, and to check the command's name. */
export function readCommandLine(program: Command, words: readonly string[]): CommandLine {
  const line: CommandLine = {
    command: program,
    commandWord: undefined,
    unknownOption: undefined,
    operands: [],
    pendingOption: undefined,
    given: new Set(),
    flags: {},
    optionsEnded: false,
  };
  for (const [index, word] of words.entries()) {
    const { pendingOption, optionsEnded } = line;
    if (pendingOption && (pendingOption.required || !word.startsWith("-"))) {
      line.flags[pendingOption.attributeName()] = word;
      line.pendingOption = undefined;
    } else if (word === "--" && !optionsEnded) {
      line.optionsEnded = true;
      line.pendingOption = undefined;
    } else if (word.startsWith("-") && word !== "-" && !optionsEnded) {
      readOption(line, word, words.slice(index + 1));
    } else readOperand(line, word, index);
  }
  return line;
}

function readOption(line: CommandLine, word: string, rest: readonly string[]): void {
  const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const option = findOption(line.command, name);
  const isHelp = name === "--help" || name === "-h";
  const mayBeUnknown = isHelp || line.given.has("--help") || line.commandWord !== undefined;
  if (!option && !mayBeUnknown) line.unknownOption ??= { name: readOptionName(word), rest };
  line.given.add(isHelp ? "--help" : (option?.long ?? name));
  line.pendingOption = option && takesValue(option) && value === undefined ? option : undefined;
  if (option) line.flags[option.attributeName()] = value ?? !option.negate;
}

function readOperand(line: CommandLine, word: string, index: number): void {
  if (!line.optionsEnded) line.commandWord ??= word;
  const isFirst = line.operands.length === 0;
  const next = isFirst ? line.command.commands.find((subcommand) => subcommand.name() === word) : undefined;
  if (next) line.command = next;
  else line.operands.push(index);
}

/** Finds an option of a command or of its parents. */
export function findOption(command: Command | null, name: string): Option | undefined {
  if (command === null) return undefined;
  return (
    command.options.find((option) => option.long === name || option.short === name) ??
    findOption(command.parent, name)
  );
}

export const takesValue = (option: Option): boolean => option.required || option.optional;
