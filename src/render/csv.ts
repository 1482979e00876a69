import type { Column, View } from "../operations/view.ts";
import { cleanRows } from "./clean-rows.ts";
import { cleanCell, guardFormula } from "./clean-text.ts";

/**
 * Lists of rows as one table of comma-separated values (RFC 4180, but with line feeds as the shell has them): raw numbers,
 * an empty cell for null. Visitors can write texts, so formulas are guarded.
 */
export const formatCsv = (columns: readonly Column[], lists: readonly View["rows"][]): string =>
  [
    columns.map(({ key }) => key),
    ...lists
      .flatMap((rows) => cleanRows(rows))
      .map((row) =>
        columns.map((column) => {
          const cell = row[column.key] ?? null;
          return typeof cell === "string"
            ? quoteCell(guardFormula(column.kind, cleanCell(column, cell)))
            : String(cell ?? "");
        }),
      ),
  ]
    .map((cells) => cells.join(","))
    .join("\n");

const quoteCell = (text: string) => (/[",;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
