import { statSync } from "node:fs";
import { dirname } from "node:path";
import { AnalyticsError, quoteWord } from "../errors.ts";

/**
 * Refuses `--logs access.log*` without quotes, which the shell has expanded: the second file would be taken for the site,
 * and the answer would be about the first file alone. Throws AnalyticsError `usage`.
 */
export function assertQuotedPattern(words: readonly string[]): void {
  const at = words.indexOf("--logs");
  const [first, second] = at < 0 ? [] : words.slice(at + 1);
  if (first === undefined || second === undefined || second.startsWith("-")) return;
  const isPath = second.includes("/") || dirname(first) === dirname(second);
  if (!isPath || !isFile(first) || !isFile(second)) return;
  throw new AnalyticsError(
    "usage",
    `--logs takes one pattern, so ${quoteWord(second)} is one word too many.`,
    {
      hint: "Quote the pattern, or the shell expands it: --logs '/var/log/nginx/access.log*'. For several, repeat --logs.",
    },
  );
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
