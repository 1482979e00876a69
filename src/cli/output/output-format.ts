import { type Command, Option } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { suggest } from "../../suggest.ts";
import type { Io } from "../io.ts";
import type { Appearance } from "./terminal.ts";

export const outputFormats = ["table", "tsv", "csv", "json", "ndjson", "markdown"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** The options on output, as commander reads them. */
export interface OutputFlags extends Appearance {
  /** All values that were given. */
  output?: string[] | undefined;
  json?: boolean | undefined;
  csv?: boolean | undefined;
  fields?: string | undefined;
  quiet?: boolean | undefined;
  pager?: boolean | undefined;
}

/** How to print an answer: the options, with one format. */
export interface Output extends Appearance {
  format: OutputFormat;
  fields?: string | undefined;
  /** No notes; warnings remain. */
  quiet: boolean;
  /** At most three lines of notes for people; other notes are a part of the answer. */
  brief?: boolean | undefined;
  /** Whether a long page may be shown in a pager. */
  pager: boolean;
}

/** `--output`, for a command whose answer is tables. */
export function createFormatOption(piped = "tsv"): Option {
  return (
    new Option("--output <format>", `${outputFormats.join(", ")} (default: table; in a pipe, ${piped})`)
      .choices(outputFormats)
      // Other values are refused when the option is read, with a suggestion.
      .argParser((value: string, earlier: string[] = []) => [...earlier, value])
  );
}

export const QUIET = "no notes, only warnings about the numbers";

/** Adds all options on output. */
export const addOutputOptions = (command: Command, fields: string): Command =>
  command
    .addOption(createFormatOption())
    .option("--json", "short for --output json, the service's answer")
    .option("--csv", "short for --output csv")
    .option("--fields <names>", `only these columns, in this order, such as ${fields}`)
    .option("-q, --quiet", QUIET)
    .option("--no-pager", "do not show long answers in a pager (ANALYTICS_PAGER, PAGER)");

/**
 * Resolves the options to one format. Without one, people get tables: at a terminal, or where colours are asked for, since
 * programs have no use for them. Throws AnalyticsError `usage` for an unknown format, or for two.
 */
export function readOutput({ stdout }: Io, flags: OutputFlags): Output {
  const { json, csv, fields, color, plain, quiet = false, pager = false } = flags;
  const given = [
    ...(flags.output ?? []).map((name) => ({ format: readFormat(name), option: `--output ${name}` })),
    ...(json ? [{ format: "json" as const, option: "--json" }] : []),
    ...(csv ? [{ format: "csv" as const, option: "--csv" }] : []),
  ];
  const [first] = given;
  const other = given.find(({ format }) => format !== first?.format);
  if (first && other) {
    throw new AnalyticsError("usage", `Use ${first.option} or ${other.option}, not both.`, {
      hint: "An answer is printed in one format.",
    });
  }
  const format = first?.format ?? (stdout.isTTY || color === "always" ? "table" : "tsv");
  return { format, fields, color, plain, quiet, pager };
}

function readFormat(name: string): OutputFormat {
  const known = outputFormats.find((format) => format === (name === "md" ? "markdown" : name));
  if (known) return known;
  throw new AnalyticsError("usage", `--output cannot be ${quoteWord(name)}.`, {
    hint: `${suggest(name, outputFormats)}It can be ${outputFormats.join(", ")}.`,
  });
}

/** How to print a failure, read without commander: the command line itself may be what is wrong. */
export function readFailureFormat(words: readonly string[]): OutputFormat | undefined {
  if (words.includes("--json")) return "json";
  return (["json", "ndjson"] as const).find(
    (format) =>
      words.includes(`--output=${format}`) ||
      words.some((word, index) => word === "--output" && words[index + 1] === format),
  );
}
