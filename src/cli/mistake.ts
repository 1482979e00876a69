import type { Command, CommanderError, Option } from "commander";
import { serviceNames } from "../config/services.ts";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { PERIOD_FORMS } from "../operations/period-words.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import { suggest } from "../suggest.ts";
import { commandList } from "./commands/command-list.ts";
import { canRepeat, correctLine, findMeant, readValue } from "./guess-query.ts";
import { createUnknownOptionError, readOptionName, seeHelp } from "./usage-error.ts";

/* What commander refuses, in this program's words. Loaded after a mistake alone. */

/** Commander's messages, and ours in their place. */
const REWRITTEN: [RegExp, (parts: string[]) => string][] = [
  [
    /^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s,
    ([name, value, choices]) => `${name} must be one of ${choices}, not ${quoteWord(value ?? "")}.`,
  ],
  [
    /^option '(?:-\w, )?(--[\w-]+).*?' argument '.*' is invalid\. (must .*)$/s,
    ([name, why]) => `${name} ${why}`,
  ],
  [
    /^option '(?:-\w, )?(--[\w-]+)(.*)' argument missing$/,
    ([name, value]) => `${name} needs a value: ${name}${value}.`,
  ],
  [/^missing required argument '(.*)'$/, ([name]) => `<${name}> is missing.`],
  [/^unknown command '(.*)'$/s, ([word]) => `There is no command ${quoteWord(word ?? "")}.`],
  [
    /^too many arguments(?: for '(.*)')?\. Expected (\d+) arguments? but got \d+\.$/,
    ([command = "analytics-mcp", count]) =>
      count === "0"
        ? `${command} takes only options.`
        : `${command} takes ${count === "1" ? "one argument" : `${count} arguments`} besides options.`,
  ],
];

/**
 * Turns commander's error into an AnalyticsError `usage`.
 *
 * @param known The options of the command and of the program.
 */
export const explainMistake = (
  error: CommanderError,
  argv: readonly string[],
  command: string | undefined,
  known: readonly Option[],
): AnalyticsError =>
  isUnknownOption(error)
    ? explainUnknownOption(error, argv, command, known)
    : explainUsage(error, argv, command);

function explainUsage(
  { message }: CommanderError,
  argv: readonly string[],
  command: string | undefined,
): AnalyticsError {
  const [, text = "", guess = ""] = /^(?:error: )?(.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? [];
  const [rewritten] = REWRITTEN.flatMap(([form, rewrite]) => {
    const [, ...parts] = form.exec(text) ?? [];
    return parts.length === 0 ? [] : [rewrite(parts)];
  });
  // `login matomo`
  const service = serviceNames.find((name) => argv.some((word) => word.toLowerCase() === name));
  const isBare = command === "login" && service !== undefined && !argv.includes("--service");
  const meant = isBare ? `Did you mean analytics-mcp login --service ${service}?` : guess;
  const other = `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;
  return new AnalyticsError("usage", rewritten ?? other, {
    hint: [meant, seeHelp(command)].filter((sentence) => sentence !== "").join(" "),
  });
}

/** Whether commander reports an unknown option, or a word after `--` that looks like one. */
const isUnknownOption = ({ code, message }: CommanderError) =>
  code === "commander.unknownOption" || /unknown command '-./.test(message);

/** Commands whose answers have visits without `--with visits`. */
const HAS_VISITS = /^(?:stats|overview|compare|report|view)$/;

/** Turns commander's error on an unknown option into ours, without repeating a value that may be a key. */
function explainUnknownOption(
  { message }: CommanderError,
  argv: readonly string[],
  command: string | undefined,
  known: readonly Option[],
) {
  const [, word = "", guess = ""] =
    /unknown (?:option|command) '([\s\S]*)'(?:\n\((.*)\))?$/.exec(message) ?? [];
  const name = readOptionName(word);
  // Commander knows the options alone that the help shows.
  const all = known.flatMap(({ long }) => long ?? []);
  const meant =
    (name === "--with" && HAS_VISITS.test(command ?? "") && `${command} has visits anyway.`) ||
    findMeant(name, readValue(argv, word), known) ||
    guess ||
    suggest(name, all).trim();
  // A command to paste ends the hint.
  const next = correctLine(argv, word, meant, known) || seeHelp(command);
  return createUnknownOptionError(name, [meant, next].filter((sentence) => sentence !== "").join(" "));
}

/** Refuses an unknown option before the command, or without one. */
export async function createMisplacedOptionError(
  program: Command,
  argv: readonly string[],
  { name, rest }: { name: string; rest: readonly string[] },
  load: (name: string) => Promise<Command>,
): Promise<AnalyticsError> {
  const named = program.commands.find((each) => rest.includes(each.name()));
  if (named !== undefined && hasOption(named, name))
    return new AnalyticsError(
      "usage",
      `${name} comes after the command: analytics-mcp ${named.name()} ${name} …`,
      { hint: seeHelp(named.name()) },
    );
  const owner = named === undefined ? await findOwner(load, name) : undefined;
  if (owner !== undefined) {
    const isWhole = canRepeat(argv, [...owner.options, ...program.options]);
    const words = isWhole ? argv.map(quoteForShell) : [name, "…"];
    const line = ["analytics-mcp", owner.name(), ...words].join(" ");
    return new AnalyticsError("usage", `${name} comes after a command.`, {
      hint: `Did you mean ${line}? ${seeHelp(owner.name())}`,
    });
  }
  // Any letter is one typo away from any other, so for a short option only the other case is suggested.
  const known = program.options.flatMap(({ short, long }) => [
    ...(long === undefined ? [] : [long]),
    ...(short !== undefined && isSame(short, name) ? [short] : []),
  ]);
  return createUnknownOptionError(name, `${suggest(name, known)}${seeHelp(undefined)}`);
}

/** The command that has an option: the overview, which is what no command shows, or else the first question. */
async function findOwner(
  load: (name: string) => Promise<Command>,
  name: string,
): Promise<Command | undefined> {
  const asking = commandList.filter(({ group }) => group === "Ask:").map((each) => each.name);
  for (const each of ["overview", ...asking]) {
    const command = await load(each);
    if (hasOption(command, name)) return command;
  }
  return undefined;
}

/**
 * What an option of the questions takes, as paragraphs, for `help filters`. Throws AnalyticsError `usage` if there is no such option.
 */
export async function explainTopic(
  name: string,
  program: Command,
  topics: readonly string[],
  load: (name: string) => Promise<Command>,
): Promise<string[]> {
  for (const word of [`--${name}`, `--${name.replace(/s$/, "")}`]) {
    const owner = await findOwner(load, word);
    const option = owner?.options.find(({ long }) => long === word);
    if (option === undefined) continue;
    const takes = word === "--period" ? `It can be ${PERIOD_FORMS}.` : option.description;
    return [option.flags, takes, seeHelp(owner?.name())];
  }
  const known = [...program.commands.map((command) => command.name()), ...topics];
  throw new AnalyticsError("usage", `There is no help on ${quoteWord(name)}.`, {
    hint: suggest(name, known).trim() || `There is help on ${known.join(", ")}.`,
  });
}

const hasOption = ({ options }: Command, name: string): boolean =>
  options.some(({ long, short }) => long === name || short === name);

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
