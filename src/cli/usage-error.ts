import type { CommanderError } from "commander";
import { AnalyticsError, quoteWord } from "../errors.ts";

/** Commander's sentences, and what this program says in their place. */
const SENTENCES: [RegExp, (parts: string[]) => string][] = [
  [
    /^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s,
    ([name, value, choices]) => `${name} must be one of ${choices}, not ${quoteWord(value ?? "")}.`,
  ],
  [
    /^option '(?:-\w, )?(--[\w-]+).*?' argument '.*' is invalid\. (must .*)$/s,
    ([name, why]) => `${name} ${why}`,
  ],
  [/^option '(?:-\w, )?(--[\w-]+).*' argument missing$/, ([name]) => `${name} needs a value.`],
  [/^missing required argument '(.*)'$/, ([name]) => `<${name}> is missing.`],
];

/** Where a mistake in a command's words is looked up. */
export const seeHelp = (command: string | undefined) =>
  `See analytics-mcp ${command === undefined ? "" : `${command} `}--help.`;

/** What commander has to say of a command, as a failure like all others. */
export function explainUsage({ message }: CommanderError, command: string | undefined): AnalyticsError {
  const [, text = "", guess = ""] = /^(?:error: )?(.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? [];
  const said = SENTENCES.flatMap(([form, say]) => {
    const [, ...parts] = form.exec(text) ?? [];
    return parts.length === 0 ? [] : [say(parts)];
  });
  const other = `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;
  return new AnalyticsError("usage", said[0] ?? other, {
    hint: [guess, seeHelp(command)].filter((each) => each !== "").join(" "),
  });
}
