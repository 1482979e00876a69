import { nameHour } from "../operations/days.ts";
import { nameWeekday } from "../operations/period.ts";
import type { Column, View } from "../operations/view.ts";
import { cleanRows } from "./clean-rows.ts";
import { cleanCell, guardFormula } from "./clean-text.ts";
import { describePoints, isPoints } from "./points.ts";

export interface TsvOptions {
  /** For a model: no columns that are only for programs, and texts that can be sent back as they are. */
  forReaders?: boolean;
}

/**
 * Lists of rows as one table of tab-separated values with a header line: raw numbers, an empty cell for null. Text is
 * cleaned, so it has no tabs or line breaks, and a cell cannot forge a row. For programs, formulas are
 * guarded as in CSV.
 */
export function formatTsv(
  columns: readonly Column[],
  lists: readonly View["rows"][],
  { forReaders = false }: TsvOptions = {},
): string {
  // A reader may send a value back, as it is; it opens no spreadsheet.
  const guard: typeof guardFormula = forReaders
    ? (_, text) => text
    : (kind, text) => guardQuote(guardFormula(kind, text));
  const shown = columns.filter((column) => !(forReaders && column.machine === true));
  return [
    shown.map((column) => (column.key === "label" && forReaders ? column.label : column.key)),
    ...lists
      .flatMap((rows) => cleanRows(rows))
      .map((row) =>
        shown.map((column) => {
          const { key, kind } = column;
          const cell = row[key] ?? null;
          if (forReaders && typeof cell === "number" && isPoints(column, row)) return describePoints(cell);
          if (typeof cell !== "string") return String(cell ?? "");
          const text = cleanCell(column, cell);
          return guard(kind, forReaders ? showTime(kind, text) : text);
        }),
      ),
  ]
    .map((line) => line.join("\t"))
    .join("\n");
}

/** A day or an hour as a reader sees it. */
function showTime(kind: Column["kind"], text: string): string {
  if (kind === "day") return `${text} ${nameWeekday(text).slice(0, 3)}`;
  return kind === "hour" ? nameHour(text) : text;
}

/** A spreadsheet takes text from a quote on to the next one for one cell, and runs a formula in it. */
const guardQuote = (text: string) => (text.startsWith('"') ? `'${text}` : text);
