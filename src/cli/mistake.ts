import type { CommanderError, Option } from "commander";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { suggest } from "../suggest.ts";
import { correctLine, findMeant, readValue } from "./guess-query.ts";
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
  isUnknownOption(error) ? explainUnknownOption(error, argv, command, known) : explainUsage(error, command);

function explainUsage({ message }: CommanderError, command: string | undefined): AnalyticsError {
  const [, text = "", guess = ""] = /^(?:error: )?(.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? [];
  const [rewritten] = REWRITTEN.flatMap(([form, rewrite]) => {
    const [, ...parts] = form.exec(text) ?? [];
    return parts.length === 0 ? [] : [rewrite(parts)];
  });
  const other = `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;
  return new AnalyticsError("usage", rewritten ?? other, {
    hint: [guess, seeHelp(command)].filter((sentence) => sentence !== "").join(" "),
  });
}

/** Whether commander reports an unknown option, or a word after `--` that looks like one. */
const isUnknownOption = ({ code, message }: CommanderError) =>
  code === "commander.unknownOption" || /unknown command '-./.test(message);

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
  const meant = findMeant(name, readValue(argv, word), known) || guess || suggest(name, all).trim();
  // A command to paste ends the hint.
  const next = correctLine(argv, word, meant, known) || seeHelp(command);
  return createUnknownOptionError(name, [meant, next].filter((sentence) => sentence !== "").join(" "));
}
