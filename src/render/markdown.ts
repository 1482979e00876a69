import { beginRowsWithData } from "../operations/rows-before.ts";
import type { Cell, Column, View } from "../operations/view.ts";
import { cleanRows } from "./clean-rows.ts";
import { cleanText } from "./clean-text.ts";
import { createCellFormat, isNumeric } from "./table-cells.ts";
import { formatSeries, formatSparkline } from "./terminal-chart.ts";
import type { Screen } from "./terminal-screen.ts";

/** Views as tables of GitHub Flavored Markdown, for people: with local numbers, without the columns for programs. */
export function formatMarkdown(views: readonly View[], screen: Screen): string {
  // Lines are not cut: Markdown has no width.
  const page = { ...screen, width: Number.POSITIVE_INFINITY, color: false };
  return views
    .flatMap((view) => formatView(beginRowsWithData(view), page))
    .filter((part) => part !== "")
    .join("\n\n");
}

function formatView(view: View, screen: Screen): string[] {
  const { headline, series, rows, columns } = view;
  if (columns.length === 0 && series) {
    const drawn = screen.pictures
      ? formatSparkline(series, screen, 1).join("  ")
      : formatSeries(series, screen);
    return [escapeMarkdown(drawn)];
  }
  const title = headline === "" ? "" : `**${escapeMarkdown(cleanText(headline, 1_000))}**`;
  if (rows.length === 0) return view.beside ? [] : [title];
  return [title, formatMarkdownTable(view, screen).join("\n")];
}

/** A view's table, line by line: two lines of header, then the rows. */
function formatMarkdownTable(view: View, screen: Screen): string[] {
  const format = createCellFormat(screen);
  const columns = view.columns.filter(({ machine }) => machine !== true);
  const formatCell = (column: Column, row: Record<string, Cell>) => {
    const text = format(column, row).trim();
    const isFromVisitors = column.untrusted === true && row.value !== null && row[column.key] !== null;
    // In code, a backslash cannot be escaped, so a pipe after one would end the cell.
    return isFromVisitors && !text.includes("\\|") ? quoteCode(text) : escapeMarkdown(text);
  };
  return [
    columns.map(({ label }) => escapeMarkdown(label)),
    columns.map((column) => (isNumeric(column) ? "---:" : "---")),
    ...cleanRows(view.rows).map((row) => columns.map((column) => formatCell(column, row))),
  ].map((cells) => `| ${cells.join(" | ")} |`);
}

/**
 * Escapes text so that it stays text: no link, image, emphasis, HTML or cell. A mention is looked for after backslashes are
 * gone, so that only a character behind the @ prevents it.
 */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[\\`*_[\]<>|~#!&]|:(?=\/\/)|(?<=\bwww)\./g, "\\$&").replaceAll("@", "@\u200b");

/**
 * Text of visitors as code, where neither links nor mentions work. The fence is longer than any run of backticks in it; a
 * table splits at pipes even there, but not at `\|`.
 */
function quoteCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${space}${text.replaceAll("|", "\\|")}${space}${fence}`;
}
