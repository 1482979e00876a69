import type { CommanderError } from "commander";
import { AnalyticsError } from "../errors.ts";
import { seeHelp } from "./usage-error.ts";

const KEY_OPTION = /^(--(api[-_]?)?(key|token|secret)|-k$)/i;

/** Whether commander has met an option that it does not know, or, behind `--`, what looks like one. */
export const isUnknownOption = ({ code, message }: CommanderError) =>
  code === "commander.unknownOption" || /unknown command '-./.test(message);

/** What commander says of a command's option, without a value that was given to it. */
export function explainUnknownOption(
  { message }: CommanderError,
  command: string | undefined,
): AnalyticsError {
  const [, word = "", guess = ""] =
    /unknown (?:option|command) '([\s\S]*)'(?:\n\((.*)\))?$/.exec(message) ?? [];
  return refuseUnknownOption(
    nameOption(word),
    [guess, seeHelp(command)].filter((each) => each !== "").join(" "),
  );
}

/** Of `-kVALUE` and `--key=VALUE` what stands before the value. */
export function nameOption(word: string): string {
  return (word.startsWith("--") ? word.split("=")[0] : word.slice(0, 2)) ?? "";
}

/**
 * Where a word of this program's is expected. Behind `--` what looks like an option is none, and its value may be a
 * key all the same: it is refused as an option would be.
 */
export function refuseOptionAsWord(word: string | undefined, command: string): void {
  if (word !== undefined && /^-./.test(word)) throw refuseUnknownOption(nameOption(word), seeHelp(command));
}

export function refuseUnknownOption(name: string, hint: string): AnalyticsError {
  return new AnalyticsError("usage", `Unknown option ${name}.`, {
    hint: KEY_OPTION.test(name)
      ? "No option takes a key: use analytics-mcp login, --api-key-stdin or --api-key-file."
      : hint,
  });
}
