import type { Option } from "commander";
import { TIMEZONES_VARIABLE } from "../config/services.ts";
import { findDimension, findOtherList, listOtherNames } from "../operations/dimension-names.ts";
import { dimensions } from "../operations/dimensions.ts";
import { isPeriod } from "../operations/period-words.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import { normalizeSite } from "../operations/site-name.ts";
import { findInterval } from "../reports/profile.ts";
import { findNearest } from "../suggest.ts";

/* What an unknown word or option is probably meant for. Loaded after a mistake alone: nearly every start has none. */

/** What is asked for, without the command that has it: days, or a number. */
export function suggestQuery(word: string): string {
  if (isPeriod(word)) return `Did you mean analytics-mcp stats --period ${word}? `;
  const command = findOtherList(word) ?? OTHER_COMMANDS.find(([pattern]) => pattern.test(word))?.[1];
  if (command !== undefined) return `Did you mean analytics-mcp ${command}? `;
  const interval = findInterval(word);
  if (interval !== undefined) return `Did you mean analytics-mcp timeseries --by ${interval}? `;
  return suggestBreakdown(word) || suggestOverview(word);
}

const MAX_SITE_LENGTH = 60;

/** What to rank by, behind an option: in the first place it is understood. */
function suggestBreakdown(word: string): string {
  const dimension = findDimension(word.replace(/^top[-_]?/i, ""));
  return dimension === undefined ? "" : `Did you mean analytics-mcp breakdown ${dimension}? `;
}

/** The same for a word that is near the name of a list. Commands are nearer. */
export function suggestNearList(word: string): string {
  const near = findNearest(word, [...dimensions, ...listOtherNames(dimensions)]);
  return near === undefined ? "" : suggestBreakdown(near);
}

/** A site alone, or an address. */
function suggestOverview(word: string): string {
  const site = normalizeSite(word);
  const isSite = /^[\w-]+(\.[\w-]+)+$/.test(site) && site.length <= MAX_SITE_LENGTH;
  return isSite ? `Did you mean analytics-mcp overview ${site}? ` : "";
}

/** What people call commands. */
const OTHER_COMMANDS: readonly [RegExp, string][] = [
  [/^(?:visitors?|visits?|page-?views?|views|totals?|summary)$/, "stats"],
  [/^(?:top|dashboard)$/, "overview"],
  [/^(?:now|live|online)$/, "realtime"],
  [/^(?:(?:time-?)?series?|trends?|charts?|graphs?|history|daily)$/, "timeseries"],
  [/^(?:setup|set-up|init|install)$/, "login"],
  [/^(?:mcp|stdio|assistant)$/, "config"],
  [/^(?:when|heat-?map)$/, "timeseries --by week_hour"],
  [/^goals?$/, "conversions"],
  [/^(?:funnels?|steps?)$/, "conversions --step"],
  [/^(?:export|download|csv)$/, "timeseries --output csv"],
];

/** What `check` looks for. */
const RISE_OR_FALL = /^--(?:rise|increase|up|(drop|fall|decrease|down))$/;

/** Options of other programs, and what they are called here. */
const MEANT: readonly [RegExp, readonly string[]][] = [
  [/^(?:--(?:format|out|type|file|output-file)|-o)$/, ["--output"]],
  [/^--(?:by|group-?by|breakdown|dimension)$/, ["--by", "--dimension"]],
  [/^--(?:interval|granularity)$/, ["--by"]],
  [/^--(?:since|start|start-date|begin)$/, ["--from"]],
  [/^--(?:until|end|end-date)$/, ["--to"]],
  [/^(?:--(?:date|range|day|week|month|year)|-p)$/, ["--period"]],
  [RISE_OR_FALL, ["--change"]],
  [/^--(?:tz|time-zone)$/, ["--timezone"]],
  [/^-d$/, ["--days"]],
  [/^-f$/, ["--filter"]],
  [/^-s$/, ["--site"]],
  [/^(?:--(?:top|rows|count|max)|-n)$/, ["--limit", "--days"]],
];

/** The name of a file that answers could be written to, and their format. */
const FILE = /^[\w./-]{1,60}\.(csv|tsv|json|ndjson)$/;

/**
 * The option of this command that an unknown one means, as a question; otherwise an empty text.
 *
 * @param value What follows it.
 */
export function findMeant(name: string, value: string, options: readonly Option[]): string {
  const known = options.flatMap(({ long }) => long ?? []);
  if (name === "--filter") return "This command takes no filter.";
  if (name === "--site-timezones")
    return `Timezones are saved by analytics-mcp login --site-timezones, or set in ${TIMEZONES_VARIABLE}.`;
  const [, names = []] = MEANT.find(([pattern]) => pattern.test(name)) ?? [];
  const meant = names.find((option) => known.includes(option));
  if (meant !== undefined) return askIfOption(meant, { name, value }, known);
  if (names.includes("--by"))
    return "Did you mean analytics-mcp timeseries --by … or breakdown --dimension …?";
  const word = name.slice("--".length);
  // `sites --days 7`: it has a period alone.
  if (word === "days" && known.includes("--period"))
    return `Did you mean --period last_${Number(readNumber(value)) || 7}_days?`;
  if (known.includes("--output") && /^(?:csv|tsv|ndjson|markdown)$/.test(word))
    return `Did you mean --output ${word}?`;
  const interval = findInterval(word);
  if (interval !== undefined)
    return options.some(({ flags }) => flags === "--by <interval>")
      ? `Did you mean --by ${interval}?`
      : `Did you mean analytics-mcp timeseries --by ${interval}?`;
  if (known.includes("--period") && isPeriod(word)) return `Did you mean --period ${word}?`;
  if (/^(?:sort|order)(?:-?by)?$/.test(word) && known.includes("--limit"))
    return "Lists are ranked, the most first: --limit shows more of them.";
  const dimension = findDimension(word);
  if (dimension === undefined || !known.includes("--filter")) return "";
  return `Did you mean --filter ${word}=…?`;
}

function askIfOption(
  meant: string,
  { name, value }: Record<"name" | "value", string>,
  known: readonly string[],
): string {
  if (meant === "--change") {
    const sign = RISE_OR_FALL.exec(name)?.[1] === undefined ? "+" : "-";
    return `Did you mean --change ${sign}${readNumber(value.replace(/%$/, "")) ?? "50"}?`;
  }
  const [file, format] = meant === "--output" ? (FILE.exec(value) ?? []) : [];
  if (format !== undefined) return `To write a file, end the command with ${meant} ${format} > ${file}.`;
  const isDays = meant === "--period" && readNumber(value) !== undefined && known.includes("--days");
  return `Did you mean ${isDays ? "--days" : meant}?`;
}

const readNumber = (text: string) => (/^\d{1,3}$/.test(text) ? text : undefined);
const readPeriod = (text: string) => (isPeriod(text) ? text : undefined);
/** Values that can be repeated: none of them is a key. */
const READERS: ReadonlyMap<string, (text: string) => string | undefined> = new Map([
  ["--days", readNumber],
  ["--limit", readNumber],
  ["--period", readPeriod],
  ["--from", readPeriod],
  ["--to", readPeriod],
  ["--dimension", findDimension],
  ["--site", (text) => (suggestOverview(text) === "" ? undefined : text)],
  ["--by", findInterval],
  ["--output", (text) => (/^(?:table|tsv|csv|json|ndjson|markdown)$/.test(text) ? text : undefined)],
]);

/** The value of an option that is written as one word with it: `7` of `--day=7` and of `-d7`. */
const readInline = (word: string) => /^(?:--[^=]*=|-\w)(.+)$/s.exec(word)?.[1];

/** What follows an option, which may be the next word. */
export const readValue = (argv: readonly string[], word: string): string =>
  readInline(word) ?? argv[argv.indexOf(word) + 1] ?? "";

/**
 * The command line with what its unknown option means, to paste; an empty text where a word might be a key, or where it would still
 * be wrong.
 *
 * @param meant The question that names the option.
 */
export function correctLine(
  argv: readonly string[],
  unknown: string,
  meant: string,
  known: readonly Option[],
): string {
  const [, option = "", period] = /^Did you mean (--[\w-]+)(?: (\S+))?\?$/.exec(meant) ?? [];
  const at = argv.indexOf(unknown);
  const takesValue = (name: string) => known.some(({ long, required }) => long === name && required);
  const isKnown = (name: string) => known.some(({ long, short }) => long === name || short === name);
  if (at < 0 || !isKnown(option)) return "";
  const inline = readInline(unknown);
  const isAlone = period !== undefined || !takesValue(option);
  if (isAlone && inline !== undefined) return "";
  const value = period ?? (isAlone ? undefined : READERS.get(option)?.(readValue(argv, unknown)));
  if (!isAlone && value === undefined) return "";
  const rest = argv.slice(at + (isAlone || inline !== undefined ? 1 : 2));
  const others = [...argv.slice(0, at), ...rest];
  if (!canRepeat(others, known)) return "";
  const words = [...argv.slice(0, at), option, ...(value === undefined ? [] : [value]), ...rest];
  return ["analytics-mcp", ...words.map(quoteForShell)].join(" ");
}

/** Whether no word of a command line might be a key. */
export const canRepeat = (words: readonly string[], known: readonly Option[]): boolean =>
  words.every(
    (word, index) =>
      known.some(({ long, short }) => long === word || short === word) ||
      (known.some(({ long, required }) => long === words[index - 1] && required) && !/:\/\/|@/.test(word)) ||
      (index === 0 && /^[a-z-]+$/.test(word)) ||
      findDimension(word) !== undefined ||
      suggestOverview(word) !== "",
  );
