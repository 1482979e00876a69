import type { Command, CommanderError } from "commander";
import { AnalyticsError } from "../errors.ts";
import { suggest } from "../render/suggest.ts";

const KEY_OPTION = /^--(api[-_]?)?(key|token|secret)/i;

/**
 * Looked at before the command: an option that the program does not know takes no value, so that its value would
 * pass for the command, and may be a key. Throws AnalyticsError `usage`, without any value.
 */
export function refuseEarlyOption(program: Command, argv: readonly string[]): void {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    const name = nameOption(word);
    if (!/^-[^-]|^--./.test(word) || name === "--help" || name === "-h") return;
    const option = program.options.find(({ long, short }) => long === name || short === name);
    if (option === undefined) throw refuseOption(program, name, argv.slice(index + 1));
    if (option.required && !word.includes("=")) index++;
  }
}

function refuseOption(program: Command, name: string, rest: readonly string[]): AnalyticsError {
  const command = program.commands.find(
    (each) => each.name() === rest.find((word) => isCommand(program, word)),
  );
  if (command?.options.some(({ long }) => long === name)) {
    return new AnalyticsError(
      "usage",
      `${name} comes after the command: analytics-mcp ${command.name()} ${name} …`,
      { hint: `See analytics-mcp ${command.name()} --help.` },
    );
  }
  const known = program.options.flatMap(({ long }) => long ?? []);
  return refuse(name, `${suggest(name, known)}See --help.`);
}

const isCommand = (program: Command, word: string) =>
  program.commands.some((command) => command.name() === word);

/** What commander says of an option, without a value that was given to it. */
export function explainUnknownOption({ message }: CommanderError): AnalyticsError {
  const [, word = "", guess = ""] = /unknown option '([\s\S]*)'(?:\n\((.*)\))?$/.exec(message) ?? [];
  return refuse(nameOption(word), [guess, "See --help."].filter((each) => each !== "").join(" "));
}

/** Of `-kVALUE` and `--key=VALUE` what stands before the value. */
function nameOption(word: string): string {
  return (word.startsWith("--") ? word.split("=")[0] : word.slice(0, 2)) ?? "";
}

function refuse(name: string, hint: string): AnalyticsError {
  return new AnalyticsError("usage", `Unknown option ${name}.`, {
    hint: KEY_OPTION.test(name)
      ? "No option takes a key: use analytics-mcp login, --api-key-stdin or --api-key-file."
      : hint,
  });
}
