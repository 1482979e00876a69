import { AnalyticsError } from "../../errors.ts";
import { notesOf, type View } from "../../operations/view.ts";
import { hasLookalikes, NUMBER_NOTE } from "../../render/clean-rows.ts";
import { cleanText, formatJson } from "../../render/clean-text.ts";
import { formatCsv } from "../../render/csv.ts";
import { formatPage } from "../../render/terminal-page.ts";
import { paint } from "../../render/terminal-screen.ts";
import { formatTsv } from "../../render/tsv.ts";
import type { Answer } from "../../reports/queries.ts";
import type { Io } from "../io.ts";
import { chooseFields } from "./choose-fields.ts";
import { type Format, wrapAside, writeAside, writeData } from "./streams.ts";
import { readScreen } from "./terminal.ts";

/**
 * Prints an answer; no other code of a command writes data to stdout. A page at a terminal, tab-separated values in a pipe,
 * JSON or CSV if asked for. Notes go to stderr.
 */
export async function printAnswer(io: Io, answer: Answer, format: Format): Promise<void> {
  if (format.json && format.csv) {
    throw new AnalyticsError("usage", "Use --json or --csv, not both.");
  }
  const views = chooseViews(answer, format);
  if (format.json) return writeData(io, formatJson(chooseJson(answer, views, format), 2));
  const screen = readScreen(io, "stderr", format);
  const isPage = io.stdout.isTTY && !format.csv;
  await writeData(
    io,
    isPage ? formatPage(views, readScreen(io, "stdout", format)) : formatData(views, format),
  );
  // A blank line, so that notes at a terminal do not look like rows.
  if (io.stdout.isTTY && io.stderr.isTTY) await writeAside(io, "");
  const notes = answer.views.flatMap(notesOf);
  if (views.some(({ rows }) => hasLookalikes(rows))) notes.push(NUMBER_NOTE);
  for (const note of notes) {
    await writeAside(io, paint(screen, "dim", wrapAside(io, cleanText(note, 400))));
  }
}

/** The views with the fields that were asked for. Throws AnalyticsError `usage` for an unknown field. */
export function chooseViews({ views }: Answer, { fields }: Format): View[] {
  return fields === undefined ? views : chooseFields(views, fields);
}

/** Formats views for programs, each with a header line. */
export function formatData(views: View[], { csv }: Format): string {
  const tables = nameTables(views);
  return tables.map((view) => (csv ? formatCsv(view) : formatTsv(view))).join("\n\n");
}

/** The tables of an answer; if there are several, each row names its table. */
function nameTables(views: View[]): View[] {
  const tables = views.filter((view) => view.columns.length > 0);
  if (tables.length < 2) return tables;
  // An empty one of several lists is left out, as on a page; a header stays, so that the output is never empty.
  const filled = tables.filter(({ rows }) => rows.length > 0);
  return (filled.length > 0 ? filled : tables.slice(0, 1)).map((view) => ({
    ...view,
    columns: [{ key: "table", label: "table", kind: "text" }, ...view.columns],
    rows: view.rows.map((row) => ({ table: view.name ?? null, ...row })),
  }));
}

/** The whole answer; with `--fields`, the rows of the tables that have them. */
function chooseJson({ result }: Answer, views: View[], { fields }: Format): unknown {
  if (fields === undefined) return result;
  return nameTables(views).flatMap(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map(({ key }) => [key, row[key] ?? null]))),
  );
}
