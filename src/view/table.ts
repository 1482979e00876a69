import { html, type Tree } from "../mcp/chart/elements.ts";
import type { Cell, View } from "../operations/view.ts";
import { cleanRows } from "../render/clean-rows.ts";
import { cleanText } from "../render/clean-text.ts";
import { createCellFormat, isNumeric } from "../render/table-cells.ts";
import type { Screen } from "../render/terminal-screen.ts";

/** The attributes of the link of a row; undefined if it leads nowhere. */
export type LinkOf = (row: Record<string, Cell>) => Record<string, string> | undefined;

/** An answer's tables, with what people see in a terminal; the first text of a row is its link. */
export function drawTable({ columns, rows, headline }: View, screen: Screen, linkOf: LinkOf): Tree[] {
  const format = createCellFormat(screen);
  const shown = columns.filter(({ machine }) => !machine);
  const cleaned = cleanRows(rows);
  const kind = (index: number) => {
    const column = shown[index];
    return column !== undefined && isNumeric(column) ? { class: "n" } : {};
  };
  const head = shown.map(({ label }, index) =>
    html("th", { scope: "col", ...kind(index) }, cleanText(label)),
  );
  const body = cleaned.map((row, index) => {
    const link = linkOf(rows[index] ?? {});
    const cells = shown.map((column, at) => {
      const text = html("bdi", format(column, row).trim());
      return html(
        at === 0 ? "th" : "td",
        { ...(at === 0 && { scope: "row" }), ...kind(at) },
        at === 0 && link ? html("a", link, text) : text,
      );
    });
    return html("tr", ...cells);
  });
  if (shown.length === 0) return [];
  return [
    ...(headline === "" ? [] : [html("h2", cleanText(headline, 1_000))]),
    html(
      "div",
      { class: "wide", tabindex: 0, role: "region", "aria-label": cleanText(headline, 200) || "Table" },
      html("table.full", html("thead", html("tr", ...head)), html("tbody", ...body)),
    ),
  ];
}
