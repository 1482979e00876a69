import stringWidth from "string-width";
import type { Cell, Column, View } from "../operations/view.ts";
import { cleanText } from "./clean.ts";

const isNumeric = ({ kind }: Column) => kind !== "text" && kind !== "date" && kind !== "time";

/** A view as an aligned table for people: numbers to the right with grouped digits, machine columns left out. */
export function formatTable(view: View, locale = "en-US"): string {
  const numbers = new Intl.NumberFormat(locale);
  const columns = view.columns.filter((column) => column.machine !== true);
  const show = (column: Column, cell: Cell) => {
    if (cell === null) return "–";
    if (column.kind === "percent") return `${Number(cell).toFixed(1)} %`;
    if (typeof cell === "string") return cleanText(cell);
    return column.kind === "change" && cell > 0 ? `+${numbers.format(cell)}` : numbers.format(cell);
  };
  const lines = [
    columns.map((column) => column.label),
    ...view.rows.map((row) => columns.map((column) => show(column, row[column.key] ?? null))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => stringWidth(line[index] ?? ""))));
  return lines.map((line) => formatLine(line, columns, widths)).join("\n");
}

function formatLine(line: string[], columns: Column[], widths: number[]): string {
  const cells = columns.map((column, index) => {
    const text = line[index] ?? "";
    const padding = " ".repeat((widths[index] ?? 0) - stringWidth(text));
    return isNumeric(column) ? padding + text : text + padding;
  });
  return cells.join("  ").trimEnd();
}
