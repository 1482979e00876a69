import { AnalyticsError } from "../errors.ts";

/** The hint that points to a command's help. */
export const seeHelp = (command: string | undefined) =>
  `See analytics-mcp ${command === undefined ? "" : `${command} `}--help.`;

const KEY_OPTION = /^(--(api[-_]?)?(key|token|secret)|-k$)/i;

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
