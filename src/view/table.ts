import { html, type Tree } from "../mcp/chart/elements.ts";
import type { Cell, View } from "../operations/view.ts";
import { cleanRows } from "../render/clean-rows.ts";
import { cleanText } from "../render/clean-text.ts";
import { createCellFormat, isNumeric } from "../render/table-cells.ts";
import type { Screen } from "../render/terminal-screen.ts";

/** The attributes of the link of a row; undefined if it leads nowhere. */
export type LinkOf = (row: Record<string, Cell>) => Record<string, string> | undefined;

/** Of the shades of a table's counts. */
const STEPS = 5;

/**
 * An answer's tables, with what people see in a terminal; the first text of a row is its link.
 *
 * @param isShaded Whether the largest counts of the table are to be seen at a glance.
 */
export function drawTable(
  { columns, rows, headline }: View,
  screen: Screen,
  linkOf: LinkOf,
  isShaded = false,
): Tree[] {
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
  const counts = rows.flatMap(Object.values).filter((cell) => typeof cell === "number");
  const most = isShaded ? Math.max(...counts) : 0;
  const shade = (at: number, cell: Cell | undefined) => {
    const step = most > 0 && typeof cell === "number" ? Math.ceil((STEPS * cell) / most) : 0;
    return step > 0 ? { class: `n s${step}` } : kind(at);
  };
  const body = cleaned.map((row, index) => {
    const link = linkOf(rows[index] ?? {});
    const cells = shown.map((column, at) => {
      const text = html("bdi", format(column, row).trim());
      return html(
        at === 0 ? "th" : "td",
        { ...(at === 0 && { scope: "row" }), ...shade(at, row[column.key]) },
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
      html(
        "table",
        { class: isShaded ? "full shaded" : "full" },
        html("thead", html("tr", ...head)),
        html("tbody", ...body),
      ),
    ),
  ];
}
