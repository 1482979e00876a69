import { Argument, type Command, type Option } from "commander";
import { readMember } from "../../member.ts";
import { completeNames, findDimension } from "../../operations/dimension-names.ts";
import { cleanText } from "../../render/clean-text.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import { type CommandLine, findOption, readCommandLine, takesValue } from "../command-line.ts";

export interface Candidate {
  value: string;
  description: string;
}

/** What completes the word at the cursor. The shell itself completes files. */
export type Candidates = Candidate[] | "files";

/** Finds candidates that only a source or the settings know, by the value's name in help. */
export type Lookups = Readonly<Record<string, (flags: SourceFlags, current: string) => Promise<Candidate[]>>>;

/** Values that are files, by their names in help. */
const FILES = new Set(["file", "files", "folder", "store", "glob"]);
const MAX_DESCRIPTION_LENGTH = 80;

/**
 * Returns all candidates for the last word, which may be empty or incomplete; each shell filters in its own way. They come
 * from the program's commands, their options and the options' choices.
 */
export async function findCandidates(program: Command, words: readonly string[], lookups: Lookups) {
  const current = words.at(-1) ?? "";
  const place = readCommandLine(program, words.slice(0, -1));
  const [, attached = current] = /^--[^=]+=(.*)$/s.exec(current) ?? [];
  const find = (what: Option | Argument) => findValues(what, place, lookups, attached);
  const operands = place.operands.map((index) => words[index] ?? "");
  if (place.pendingOption?.required) return find(place.pendingOption);
  if (current.startsWith("-") && !place.optionsEnded) {
    const [, name] = /^(--[^=]+)=/.exec(current) ?? [];
    if (name === undefined) return listOptions(place);
    const option = findOption(place.command, name);
    return option && takesValue(option) ? find(option) : [];
  }
  const values = place.pendingOption
    ? await find(place.pendingOption)
    : await findArgument(place, operands, find);
  if (values === "files") return values;
  const all = [...listCommands(place), ...values];
  // A command without operands continues with options.
  return all.length === 0 && current === "" && !place.optionsEnded ? listOptions(place) : all;
}

/** Values of the next word that is no option. A list's name may stand before or behind the site: `breakdown countries`. */
async function findArgument(
  { command, given }: CommandLine,
  operands: readonly string[],
  find: (what: Option | Argument) => Promise<Candidates>,
): Promise<Candidates> {
  const option = command.options.find(({ long }) => long === "--dimension");
  const mayList = option !== undefined && !given.has("--dimension");
  const named = mayList ? operands.find(findDimension) : undefined;
  const lists = mayList && named === undefined ? await find(option) : [];
  const last = command.registeredArguments.at(-1);
  const place = operands.length - (named === undefined ? 0 : 1);
  const argument = command.registeredArguments[place] ?? (last?.variadic ? last : undefined);
  if (argument === undefined || given.has(`--${argument.name()}`)) return lists;
  // Without candidates, such as offline, options follow.
  const values = await find(argument).catch(() => []);
  return lists === "files" || values === "files" ? values : [...values, ...lists];
}

async function findValues(
  what: Option | Argument,
  { flags }: CommandLine,
  lookups: Lookups,
  current: string,
): Promise<Candidates> {
  if (what.argChoices)
    return completeNames(what.argChoices, current).map((value) => ({ value, description: "" }));
  const name = what instanceof Argument ? what.name() : (/[<[]([\w-]+)/.exec(what.flags)?.[1] ?? "");
  if (FILES.has(name)) return "files";
  return (await readMember(lookups, name)?.(flags, current)) ?? [];
}

function listCommands({ command, operands, pendingOption }: CommandLine): Candidate[] {
  if (operands.length > 0 || pendingOption) return [];
  return command
    .createHelp()
    .visibleCommands(command)
    .map((subcommand) => ({
      value: subcommand.name(),
      description: describe(subcommand.summary() || subcommand.description()),
    }));
}

/** The options in the command's help, except those that were given and cannot repeat. */
function listOptions({ command, given }: CommandLine): Candidate[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap((option) => {
    const name = option.long ?? option.short ?? "";
    if (given.has(name) && !option.variadic && !isRepeatable(option)) return [];
    return [{ value: name, description: describe(option.description) }];
  });
}

/** Conditions may be given several times, and without `<condition...>`, which would take the words after it. */
const isRepeatable = ({ flags }: Option) => flags.endsWith("<condition>");

/** The first sentence. */
function describe(text: string): string {
  const [first = ""] = text.split(/(?<=\.) (?=[A-Z])/);
  return cleanText(first, MAX_DESCRIPTION_LENGTH);
}
