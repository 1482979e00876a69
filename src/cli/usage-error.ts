import type { CommanderError, Option } from "commander";
import { AnalyticsError, quoteWord } from "../errors.ts";

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

/** The hint that points to a command's help. */
export const seeHelp = (command: string | undefined) =>
  `See analytics-mcp ${command === undefined ? "" : `${command} `}--help.`;

/** Turns commander's error into an AnalyticsError `usage`. */
export function explainUsage({ message }: CommanderError, command: string | undefined): AnalyticsError {
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

const KEY_OPTION = /^(--(api[-_]?)?(key|token|secret)|-k$)/i;

/** Whether commander reports an unknown option, or a word after `--` that looks like one. */
export const isUnknownOption = ({ code, message }: CommanderError) =>
  code === "commander.unknownOption" || /unknown command '-./.test(message);

/** Turns commander's error on an unknown option into ours, without repeating a value that may be a key. */
export async function explainUnknownOption(
  { message }: CommanderError,
  argv: readonly string[],
  command: string | undefined,
  known: readonly Option[],
) {
  const [, word = "", guess = ""] =
    /unknown (?:option|command) '([\s\S]*)'(?:\n\((.*)\))?$/.exec(message) ?? [];
  const name = readOptionName(word);
  const { correctLine, findMeant, readValue } = await import("./guess-query.ts");
  const meant =
    findMeant(
      name,
      readValue(argv, word),
      known.flatMap(({ long }) => long ?? []),
    ) || guess;
  // A command to paste ends the hint.
  const next = correctLine(argv, word, meant, known) || seeHelp(command);
  return createUnknownOptionError(name, [meant, next].filter((sentence) => sentence !== "").join(" "));
}

/** The option's name without its value: `-k` of `-kVALUE`, `--key` of `--key=VALUE`. */
export const readOptionName = (word: string): string =>
  (word.startsWith("--") ? word.split("=")[0] : word.slice(0, 2)) ?? "";

/**
 * Refuses a word that looks like an option where a name is expected. After `--` it is an argument, but it may still contain
 * a key.
 */
export function assertNotOption(word: string | undefined, command: string): void {
  if (word !== undefined && /^-./.test(word))
    throw createUnknownOptionError(readOptionName(word), seeHelp(command));
}

export const createUnknownOptionError = (name: string, hint: string): AnalyticsError =>
  new AnalyticsError("usage", `Unknown option ${name}.`, {
    hint: KEY_OPTION.test(name)
      ? "No option takes a key: use analytics-mcp login, --api-key-stdin or --api-key-file."
      : hint,
  });
