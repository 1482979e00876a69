import { areAddedUp } from "../operations/period.ts";
import { formatJson } from "../render/clean-text.ts";
import { cleanValue } from "../render/clean-value.ts";
import type { ReportedOverview } from "../reports/overview.ts";
import { drawNotFound } from "./chart/draw-not-found.ts";
import { drawOverview } from "./chart/draw-overview.ts";
import { drawNotes, html, type Tree } from "./chart/elements.ts";
import { createFormat, type Format } from "./chart/format.ts";
import { escapeMarkup, printMarkup } from "./chart/markup.ts";

/**
 * A report as a page of its own. It has its numbers without a script, which draws its trend in the width that it has; it loads nothing,
 * and its policy allows no other script.
 *
 * @param report An overview with its text as visitors wrote it, and notes on it; `empty` is shown in its place.
 * @param locale Of its numbers and days.
 */
export async function buildReportPage(
  title: string,
  {
    result,
    notes,
    empty,
  }: { result: ReportedOverview; notes: readonly string[]; empty?: string | undefined },
  locale: string,
): Promise<string> {
  const { reportPage } = await import("./chart-pages.ts");
  const report = cleanValue(result);
  const parts =
    empty === undefined
      ? drawReport(report, createFormat(locale))
      : [html("p", { class: "message", role: "status" }, empty)];
  const content = [...parts, drawNotes(notes)].map(printMarkup).join("\n");
  return (
    reportPage
      .replace("{{title}}", () => escapeMarkup(title))
      .replace("{{locale}}", () => locale)
      .replace("{{content}}", () => content)
      // Without "<", the numbers can neither end their element nor begin a comment.
      .replace('"{{trend}}"', () => formatJson(report.trend).replaceAll("<", "\\u003c"))
  );
}

const DAY_ROWS = 5;

function drawReport(report: ReportedOverview, format: Format): Tree[] {
  const { period, warnings, not_found } = report;
  // A report of a day fits on one page.
  const rows = period.days === 1 ? DAY_ROWS : undefined;
  const [head, ...parts] = drawOverview(report, format, rows);
  // The notes, where this is said at length, are at the end of a long page.
  const addsUp = period.days > 1 && areAddedUp(warnings);
  const definition = html("p.soft", "Visitors are daily unique visitors, added up.");
  return [
    ...(head ? [{ ...head, children: [...head.children, ...(addsUp ? [definition] : [])] }] : []),
    ...parts,
    ...(not_found ? drawNotFound(not_found, format, rows) : []),
  ];
}
