import type { View } from "../operations/view.ts";
import { cleanText } from "./clean-text.ts";

/**
 * A view as comma-separated values (RFC 4180, with the line ends of the shell): raw numbers, an empty cell for null.
 * A text that a spreadsheet would take for a formula gets an apostrophe before it, since visitors can write texts;
 * behind a semicolon as well, where spreadsheets of half the world begin a new cell.
 */
export function formatCsv({ columns, rows }: View): string {
  return [
    columns.map(({ key }) => key),
    ...rows.map((row) =>
      columns.map(({ key }) => {
        const cell = row[key] ?? null;
        return typeof cell === "string" ? quote(guard(cleanText(cell))) : String(cell ?? "");
      }),
    ),
  ]
    .map((cells) => cells.join(","))
    .join("\n");
}

const guard = (text: string) => text.replaceAll(/(^|;["'\s]*)(?=\s*[=+\-@＝＋－＠])/g, "$1'");
const quote = (text: string) => (/[",;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
