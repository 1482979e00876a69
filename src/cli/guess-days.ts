import { parameterSchemas } from "../operations/json-schema.ts";
import { isDate, isPeriod } from "../operations/period-words.ts";
import { flagOf, quoteForShell } from "../operations/shell-command.ts";
import type { Query } from "../reports/query.ts";
import { readCommandLine } from "./command-line.ts";
import type { ShellCommand } from "./commands/command.ts";
import { canRepeat } from "./guess-query.ts";

/* Days that were given as words, `compare example.com this week vs last week`. Loaded after a mistake alone. */

type Texts = ReadonlyMap<string, readonly string[]>;
/** Parameters and their values. */
type Meant = Readonly<Record<string, string>>;

const LEADING = /^(?:for|in|on|of|over|during|from)$/i;
const BETWEEN = /^(?:vs\.?|versus|against|with|to|and|than)$/i;
/** No period has more words. */
const MAX_WORDS = 6;

/** The option that a word is probably meant for: `stats yesterday`, `overview 7`. */
export function guessDays(query: Query, texts: Texts, word: string): Meant | undefined {
  const schemas = parameterSchemas(query.params);
  const [first] = texts.get("period") ?? [];
  // `--period 2026-11-20 2026-11-22`
  if (first !== undefined && isDate(first) && isDate(word)) return { period: `${first}/${word}` };
  const name = /^\d{1,3}$/.test(word) ? "days" : "period";
  if (!schemas.has(name) || texts.has(name)) return undefined;
  const value = name === "days" ? word : readPeriod(word);
  return value === undefined ? undefined : { [name]: value };
}

/** A period as one word, if it can be one. */
const readPeriod = (text: string) => [text.replaceAll(" ", "-"), text].find(isPeriod);

interface Days {
  meant: Meant;
  /** The words that name them. */
  used: readonly string[];
}

/** The days that words name before, behind or without a site. `used` is empty if they name none. */
export function findDays(query: Query, texts: Texts, words: readonly string[]): Days {
  const runs = texts.has("site") ? [words] : [words, words.slice(1), words.slice(0, -1)];
  const found = runs.map((run) => readDays(query, texts, run));
  const whole = found.find(({ used }, index) => used.length > 0 && used.length === runs[index]?.length);
  return whole ?? found.find(({ used }) => used.length > 0) ?? { meant: {}, used: [] };
}

function readDays(query: Query, texts: Texts, words: readonly string[]): Days {
  const first = readRun(query, texts, words);
  if (first === undefined) return { meant: {}, used: [] };
  const { meant, used } = first;
  const [between = "", ...others] = words.slice(used.length);
  const canCompare = parameterSchemas(query.params).has("against") && !texts.has("against");
  const second = BETWEEN.test(between) && canCompare ? readRun(query, texts, others) : undefined;
  const against = second?.meant.period;
  if (second === undefined || against === undefined || meant.period === undefined) return first;
  return { meant: { ...meant, against }, used: [...used, between, ...second.used] };
}

/** The most words from the first on that name days. */
function readRun(query: Query, texts: Texts, words: readonly string[]): Days | undefined {
  const leading = LEADING.test(words[0] ?? "") ? 1 : 0;
  const run = words.slice(leading, leading + MAX_WORDS);
  for (let length = run.length; length > 0; length -= 1) {
    const meant = guessDays(query, texts, run.slice(0, length).join(" "));
    if (meant !== undefined) return { meant, used: words.slice(0, leading + length) };
  }
  return undefined;
}

/** "Did you mean --period yesterday? ", or an empty text. */
export const askIfMeant = (meant: Meant | undefined): string =>
  meant === undefined ? "" : `Did you mean ${listOptions(meant).map(quoteForShell).join(" ")}? `;

const listOptions = (meant: Meant) =>
  Object.entries(meant).flatMap(([name, value]) => [`--${flagOf(name)}`, value]);

/**
 * The command line with options in place of these words, to paste; an empty text where a word might be a key.
 *
 * @param site What else to put there.
 */
export function replaceWords(command: ShellCommand, { meant, used }: Days, ...site: string[]): string {
  const program = command.parent as ShellCommand;
  const { operands } = readCommandLine(program, program.line);
  const first = operands.findIndex((_, index) =>
    used.every((word, offset) => program.line[operands[index + offset] ?? -1] === word),
  );
  const places = operands.slice(first, first + used.length);
  const others = program.line.flatMap((word, index) =>
    places.includes(index) ? (index === places[0] ? site : []) : [word],
  );
  const known = [...command.options, ...program.options];
  if (first < 0 || !canRepeat(others, known)) return "";
  return ["analytics-mcp", ...others, ...listOptions(meant)].map(quoteForShell).join(" ");
}
