import { statSync } from "node:fs";
import { AnalyticsError, createSwallowedError, quoteIfNeeded } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { findDimension } from "../../operations/dimension-names.ts";
import { parameterSchemas } from "../../operations/json-schema.ts";
import { readParams } from "../../operations/parameters.ts";
import { assertNotDaysAndPeriod } from "../../operations/period-words.ts";
import { flagOf } from "../../operations/shell-command.ts";
import { type QueryOptions, usesDefaultDays } from "../../reports/default-days.ts";
import { findInterval } from "../../reports/profile.ts";
import type { Query } from "../../reports/query.ts";
import { splitSite } from "../../sources/named-sites.ts";
import type { ShellCommand } from "./command.ts";
import type { GivenWords } from "./query-errors.ts";

interface QueryInput {
  params: Record<string, unknown>;
  options: QueryOptions;
  /** Whether nobody said what to rank by. */
  ranksByDefault: boolean;
  /**
   * Throws an error on these parameters as the command line should show it.
   *
   * @param source The options that chose the source.
   */
  fail: (error: unknown, source?: readonly string[], defaultSite?: string) => Promise<never>;
}

export const takesPeriod = ({ params }: Query) => "period" in params.shape;
const takesDimension = ({ params }: Query) => "dimension" in params.shape;
/** What people expect of a list that they do not name. A tool asks a model to say what it means. */
export const DEFAULT_DIMENSION = "pages";
export const needsDimension = ({ params }: Query) =>
  params.shape.dimension !== undefined && !params.shape.dimension.safeParse(undefined).success;
export const takesSite = ({ params }: Query) => "site" in params.shape;

/** Parameters whose values have further names. */
const OTHER_WORDS = [
  ["dimension", findDimension],
  ["by", findDimension],
  ["interval", findInterval],
] as const;

/**
 * Reads a query's parameters from its options, and the site from the first word. Throws AnalyticsError.
 *
 * @param own Options of the command that are no parameters.
 */
export async function readQueryInput(
  query: Query,
  command: ShellCommand,
  flags: Record<string, unknown>,
  own?: Record<string, unknown>,
): Promise<QueryInput> {
  const names = [...parameterSchemas(query.params).keys()];
  const texts = new Map(
    names.flatMap((name) => {
      const given = readMember(flags, flagOf(name));
      return given === undefined ? [] : [[name, given as string[]]];
    }),
  );
  for (const [name, find] of OTHER_WORDS) {
    // Any other text as it was given, for the message that refuses it.
    const words = texts.get(name)?.map((text) => find(text) ?? text);
    if (words !== undefined) texts.set(name, words);
  }
  assertNoSwallowedOptions(command, new Map([...texts, ["output", (flags.output ?? []) as string[]]]));
  // `--site example.com=7` names what the data calls 7; the question is about example.com.
  const named = texts.get("site");
  if (named !== undefined)
    texts.set(
      "site",
      named.map((text) => splitSite(text).site),
    );
  const given = { texts, words: command.args, command, own };
  await readWords(query, command, texts);
  const dates = takesPeriod(query) ? readDates(flags, texts) : undefined;
  const fail = async (error: unknown, source?: readonly string[], defaultSite?: string) => {
    const { explainParameters } = await import("./query-errors.ts");
    throw explainParameters(query, error, { ...given, dates, source, defaultSite });
  };
  try {
    const ranksByDefault = needsDimension(query) && !texts.has("dimension");
    const asked = ranksByDefault ? new Map([...texts, ["dimension", [DEFAULT_DIMENSION]]]) : texts;
    const params = readParams(query.params, asked);
    const isGiven = (name: string) => texts.has(name);
    assertNotDaysAndPeriod(isGiven);
    return { params, ranksByDefault, options: { usesDefaultDays: usesDefaultDays(isGiven) }, fail };
  } catch (error) {
    return fail(error);
  }
}

/** `--site --days 7`: commander takes the next option for the value. */
function assertNoSwallowedOptions(command: ShellCommand, texts: GivenWords["texts"]): void {
  const known = [...command.options, ...(command.parent?.options ?? [])].map(({ long }) => long);
  for (const [name, values] of texts) {
    const option = values.find((value) => known.includes(value));
    if (option !== undefined) throw createSwallowedError(`--${flagOf(name)}`, `<${name}>`, option);
  }
}

/** Reads the words that are no options: the site, and what to rank by. */
async function readWords(query: Query, command: ShellCommand, texts: Map<string, string[]>): Promise<void> {
  const words = command.args;
  const ranked = takesDimension(query) && !texts.has("dimension") ? words.find(findDimension) : undefined;
  const dimension = ranked && findDimension(ranked);
  if (dimension !== undefined) texts.set("dimension", [dimension]);
  const others = words.filter((each) => each !== ranked);
  const [word] = others;
  if (word === undefined) return;
  const file = others.find(isPathOfFile);
  if (file !== undefined) {
    const { createFileError } = await import("./query-errors.ts");
    throw createFileError(query, file);
  }
  if (texts.has("site") || others.length > 1) {
    const { createStrayWordsError } = await import("./query-errors.ts");
    throw createStrayWordsError(query, command, texts, others);
  }
  texts.set("site", [word]);
}

/** Whether a word is the path of a file that exists. A site may have the name of a file in this folder. */
const isPathOfFile = (word: string): boolean =>
  /[/\\]|\.(?:log|gz)$/.test(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true;

/** Reads `--from` and `--to` as a period, and returns them as given. */
function readDates({ from, to }: { from?: string; to?: string }, texts: Map<string, string[]>) {
  if (from === undefined && to === undefined) return undefined;
  const other = ["period", "days"].find((name) => texts.has(name));
  if (other !== undefined) throw new AnalyticsError("usage", `Use --from and --to, or --${other}, not both.`);
  if (from === undefined) {
    throw new AnalyticsError("usage", "--to needs --from.", {
      hint: "For example: --from 2026-11-01 --to 2026-11-15",
    });
  }
  texts.set("period", [`${from}/${to ?? "today"}`]);
  return `--from ${quoteIfNeeded(from)}${to === undefined ? "" : ` --to ${quoteIfNeeded(to)}`}`;
}
