import { list } from "isbot";
import { NO_PAGE_PATTERNS } from "../logs/counting/page-path.ts";

/*
 * The rules for access logs, for a table that has only raw requests, in the syntax of RE2, which ClickHouse uses: it has no
 * lookarounds.
 */

/** isbot's patterns with lookarounds, and near equivalents without. */
const WITHOUT_LOOKAROUND: Readonly<Record<string, string>> = {
  "(?:^|[^g])news(?!sapphire)": "(?:^|[^g])news(?:$|[^s]|s(?:$|[^a]))",
  "(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))":
    "(?:^|[^/]|(?:^|[^el])/)google(?:$|[^wa/ ]|w(?:$|[^v])|a(?:$|[^p])|/(?:$|[^g])| (?:$|[^p]))",
  "(?<! cu)bots?(?:\\b|_)": "(?:^|[^u]|(?:^|[^c])u|(?:^|[^ ])cu)bots?(?:\\b|_)",
  "(?<!cam)scan": "(?:^|[^m]|(?:^|[^a])m|(?:^|[^c])am)scan",
  "(?<!lib)http": "(?:^|[^b]|(?:^|[^i])b|(?:^|[^l])ib)http",
  "java(?!;)": "java(?:$|[^;])",
};

/** User agents of bots. */
export const BOT_PATTERN = `(?i)${list.map((pattern) => WITHOUT_LOOKAROUND[pattern] ?? pattern).join("|")}`;

/** Paths that are not pages. */
export const NO_PAGE_PATTERN = `(?i)${NO_PAGE_PATTERNS.join("|")}`;
