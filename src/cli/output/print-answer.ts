import { AnalyticsError } from "../../errors.ts";
import type { Answer } from "../../insights/question.ts";
import type { View } from "../../operations/view.ts";
import { cleanText, formatJson } from "../../render/clean-text.ts";
import { formatCsv } from "../../render/csv.ts";
import { formatPage } from "../../render/terminal-page.ts";
import { paint } from "../../render/terminal-screen.ts";
import { formatTsv } from "../../render/tsv.ts";
import type { Io } from "../io.ts";
import { chooseFields } from "./choose-fields.ts";
import { type Format, wrapAside, writeAside, writeData } from "./streams.ts";
import { readScreen } from "./terminal.ts";

/**
 * The one writer of stdout for commands: data alone goes there. Pages for people at a terminal, tab-separated values
 * in a pipe, JSON or CSV when asked; notes go to stderr.
 */
export async function printAnswer(io: Io, answer: Answer, format: Format): Promise<void> {
  if (format.json && format.csv) {
    throw new AnalyticsError("usage", "--json and --csv exclude each other.");
  }
  const views = chooseViews(answer, format);
  if (format.json) return writeData(io, formatJson(chooseJson(answer, views, format), 2));
  const notes = readScreen(io, "stderr", format);
  const isPage = io.stdout.isTTY && !format.csv;
  await writeData(
    io,
    isPage ? formatPage(views, readScreen(io, "stdout", format)) : formatData(views, format),
  );
  // At a terminal the notes stand below the page: set off, so as not to look like rows.
  if (io.stdout.isTTY && io.stderr.isTTY) await writeAside(io, "");
  for (const note of answer.views.flatMap((view) => view.notes)) {
    await writeAside(io, paint(notes, "dim", wrapAside(io, cleanText(note, 400))));
  }
}

/** The views that are asked for. Throws AnalyticsError `usage` for a field that there is not. */
export function chooseViews({ views }: Answer, { fields }: Format): View[] {
  return fields === undefined ? views : chooseFields(views, fields);
}

/** Views for programs, a header line over each. */
export function formatData(views: View[], { csv }: Format): string {
  const tables = nameTables(views);
  return tables.map((view) => (csv ? formatCsv(view) : formatTsv(view))).join("\n\n");
}

/** The tables of an answer; where there are several, each row says of which it is. */
function nameTables(views: View[]): View[] {
  const tables = views.filter((view) => view.columns.length > 0);
  if (tables.length < 2) return tables;
  return tables.map((view) => ({
    ...view,
    columns: [{ key: "table", label: "table", kind: "text" }, ...view.columns],
    rows: view.rows.map((row) => ({ table: view.name ?? null, ...row })),
  }));
}

/** The service's answer; with `--fields` the rows of the tables that have them. */
function chooseJson({ result }: Answer, views: View[], { fields }: Format): unknown {
  if (fields === undefined) return result;
  return nameTables(views).flatMap(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map(({ key }) => [key, row[key] ?? null]))),
  );
}
