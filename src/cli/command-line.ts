import type { Command, Option } from "commander";

/** Where the cursor is on a command line that is being written. */
export interface Place {
  command: Command;
  /** Words of the command that are neither options nor their values. */
  operands: number;
  /** The option whose value comes next. */
  taking: Option | undefined;
  /** The options given so far, by their long names, and their values as the command would get them. */
  given: ReadonlySet<string>;
  flags: Readonly<Record<string, unknown>>;
  /** Behind `--` nothing is an option. */
  isEnded: boolean;
}

/** Reads the whole words before the cursor as commander would, but with patience for what is wrong in them. */
export function readPlace(program: Command, words: readonly string[]): Place {
  let command = program;
  let operands = 0;
  let taking: Option | undefined;
  let isEnded = false;
  const given = new Set<string>();
  const flags: Record<string, unknown> = {};

  for (const word of words) {
    if (taking && (taking.required || !word.startsWith("-"))) {
      flags[taking.attributeName()] = word;
      taking = undefined;
    } else if (word === "--" && !isEnded) {
      isEnded = true;
      taking = undefined;
    } else if (word.startsWith("-") && word !== "-" && !isEnded) {
      const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const option = findOption(command, name);
      given.add(option?.long ?? name);
      taking = option && takesValue(option) && value === undefined ? option : undefined;
      if (option) flags[option.attributeName()] = value ?? !option.negate;
    } else {
      const next = operands === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next) command = next;
      else operands += 1;
    }
  }
  return { command, operands, taking, given, flags, isEnded };
}

/** An option of a command or of those above it. */
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
