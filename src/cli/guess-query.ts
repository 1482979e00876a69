import { findOtherList } from "../operations/dimension-names.ts";
import { isPeriod } from "../operations/period-words.ts";

/* What an unknown word or option is probably meant for. Loaded after a mistake alone: nearly every start has none. */

/** What is asked for, without the command that has it: days, or a number. */
export function suggestQuery(word: string): string {
  if (isPeriod(word)) return `Did you mean analytics-mcp stats --period ${word}? `;
  const command = findOtherList(word) ?? OTHER_COMMANDS.find(([pattern]) => pattern.test(word))?.[1];
  return command === undefined ? "" : `Did you mean analytics-mcp ${command}? `;
}

/** What people call commands. */
const OTHER_COMMANDS: readonly [RegExp, string][] = [
  [/^(?:visitors?|visits?|page-?views?|views|totals?|summary)$/, "stats"],
  [/^(?:top|dashboard)$/, "overview"],
  [/^(?:now|live|online)$/, "realtime"],
  [/^(?:trend|history|daily)$/, "timeseries"],
  [/^(?:goals?|funnels?)$/, "conversions"],
];

/** What an unknown option is meant for, where it names days or an order; otherwise an empty text. */
export function suggestOption(name: string, known: readonly string[]): string {
  const word = name.slice("--".length);
  if (known.includes("--period") && isPeriod(word)) return `Did you mean --period ${word}?`;
  if (/^(?:sort|order)(?:-?by)?$/.test(word) && known.includes("--limit"))
    return "Lists are ranked, the most first: --limit shows more of them.";
  return "";
}
