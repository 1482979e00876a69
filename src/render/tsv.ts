import type { Column, View } from "../operations/view.ts";
import { cleanRows } from "./clean-rows.ts";
import { cleanText, guardFormula } from "./clean-text.ts";

export interface TsvOptions {
  /** Leave out the columns that are only for programs. */
  forReaders?: boolean;
}

/**
 * Lists of rows as one table of tab-separated values with a header line: raw numbers, an empty cell for null. Text is
 * cleaned, so it has no tabs or line breaks, and a cell cannot forge a row. A formula is guarded as in CSV.
 */
export function formatTsv(
  columns: readonly Column[],
  lists: readonly View["rows"][],
  { forReaders = false }: TsvOptions = {},
): string {
  const shown = columns.filter((column) => !(forReaders && column.machine === true));
  return [
    shown.map((column) => (column.key === "label" && forReaders ? column.label : column.key)),
    ...lists
      .flatMap((rows) => cleanRows(rows))
      .map((row) =>
        shown.map(({ key, kind }) => {
          const cell = row[key] ?? null;
          return typeof cell === "string" ? guardFormula(kind, cleanText(cell)) : String(cell ?? "");
        }),
      ),
  ]
    .map((line) => line.join("\t"))
    .join("\n");
}
