import { findDimension, findOtherList } from "../operations/dimension-names.ts";
import { isPeriod } from "../operations/period-words.ts";
import { normalizeSite } from "../operations/site-name.ts";

/* What an unknown word or option is probably meant for. Loaded after a mistake alone: nearly every start has none. */

/** What is asked for, without the command that has it: days, or a number. */
export function suggestQuery(word: string): string {
  if (isPeriod(word)) return `Did you mean analytics-mcp stats --period ${word}? `;
  const command = findOtherList(word) ?? OTHER_COMMANDS.find(([pattern]) => pattern.test(word))?.[1];
  if (command !== undefined) return `Did you mean analytics-mcp ${command}? `;
  return suggestBreakdown(word) || suggestOverview(word);
}

const MAX_SITE_LENGTH = 60;

/** What to rank by, behind an option: in the first place it is understood. */
function suggestBreakdown(word: string): string {
  const dimension = findDimension(word);
  return dimension === undefined ? "" : `Did you mean analytics-mcp breakdown ${dimension}? `;
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
  [/^(?:trend|history|daily)$/, "timeseries"],
  [/^(?:goals?|funnels?)$/, "conversions"],
];

/** Options of other programs, and what they are called here. */
const MEANT: readonly [RegExp, readonly string[]][] = [
  [/^--(?:format|out|type)$/, ["--output"]],
  [/^--(?:by|group-?by|breakdown)$/, ["--by", "--dimension"]],
  [/^--(?:interval|granularity)$/, ["--by"]],
  [/^--(?:since|start|start-date|begin)$/, ["--from"]],
  [/^--(?:until|end|end-date)$/, ["--to"]],
  [/^(?:--(?:date|range|day|week|month|year)|-p)$/, ["--period"]],
  [/^-d$/, ["--days"]],
  [/^-f$/, ["--filter"]],
  [/^-n$/, ["--limit"]],
];

/** The option of this command that an unknown one means, as a question; otherwise an empty text. */
export function findMeant(name: string, known: readonly string[]): string {
  const [, options = []] = MEANT.find(([pattern]) => pattern.test(name)) ?? [];
  const meant = options.find((option) => known.includes(option));
  if (meant !== undefined) return `Did you mean ${meant}?`;
  if (options.includes("--by"))
    return "Did you mean analytics-mcp timeseries --by … or breakdown --dimension …?";
  const word = name.slice("--".length);
  if (known.includes("--period") && isPeriod(word)) return `Did you mean --period ${word}?`;
  if (/^(?:sort|order)(?:-?by)?$/.test(word) && known.includes("--limit"))
    return "Lists are ranked, the most first: --limit shows more of them.";
  const dimension = findDimension(word);
  if (dimension === undefined || !known.includes("--filter")) return "";
  return `Did you mean --filter ${word}=…?`;
}
