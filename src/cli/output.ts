import { AnalyticsError } from "../errors.ts";
import type { Answer } from "../insights/question.ts";
import type { View } from "../operations/view.ts";
import { cleanText, formatJson } from "../render/clean.ts";
import { formatCsv } from "../render/csv.ts";
import { formatPage } from "../render/page.ts";
import { paint } from "../render/screen.ts";
import { formatTsv } from "../render/tsv.ts";
import { wrap } from "../render/width.ts";
import { type ExitCode, exitCodeOf } from "./exit-codes.ts";
import { chooseFields } from "./fields.ts";
import type { Io } from "./io.ts";
import { type Appearance, readScreen } from "./screen.ts";

export interface Format extends Appearance {
  json?: boolean | undefined;
  csv?: boolean | undefined;
  fields?: string | undefined;
}

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

/** Prints a failure with its hint and returns the exit code for it. */
export async function printFailure(io: Io, failure: unknown, format: Format): Promise<ExitCode> {
  const error =
    failure instanceof AnalyticsError
      ? failure
      : new AnalyticsError("internal_error", "analytics-mcp failed: this is a bug.", {
          hint: failure instanceof Error ? failure.message : undefined,
        });
  const { code, message, hint } = error;
  if (format.json) await writeAside(io, formatJson({ error: { code, message, hint } }, 2));
  else {
    const screen = readScreen(io, "stderr", { ...format, color: undefined });
    const lines = [
      ["error:", cleanText(message, 1_000)] as const,
      ...(hint === undefined ? [] : [["hint:", cleanText(hint, 1_000)] as const]),
    ];
    for (const [word, text] of lines) {
      const [first = "", ...rest] = wrapAside(io, `${word} ${text}`, "  ").split("\n");
      const painted = paint(screen, word === "error:" ? "red" : "cyan", word) + first.slice(word.length);
      await writeAside(io, [painted, ...rest].join("\n"));
    }
  }
  return exitCodeOf(code);
}

/** Writes to stdout, where data alone goes. */
export function writeData(io: Io, text: string): Promise<void> {
  return write(io.stdout, text);
}

/** Wrapped at a terminal; what stands indented is a command or a path to copy, and stays whole. */
export function printNote(io: Io, note: string): Promise<void> {
  return writeAside(io, note.startsWith(" ") ? note : wrapAside(io, note));
}

/** For people in lines as wide as their terminal, for programs in one. */
function wrapAside(io: Io, text: string, indent?: string): string {
  const width = io.stderr.isTTY ? readScreen(io, "stderr", {}).width : Number.POSITIVE_INFINITY;
  return wrap(text, width, indent);
}

/** Where nobody listens to notes, that is no failure of what was asked. */
const writeAside = (io: Io, text: string): Promise<void> => write(io.stderr, text).catch(() => {});

/** Waits for what commander has written of itself, so that a full disk is seen before the exit. */
export function flushData({ stdout }: Io): Promise<void> {
  return new Promise((resolve) => stdout.write("", () => resolve()));
}

/** Waits until the text is written, so that an exit cannot cut it off; a reader that left early is no error. */
function write(stream: Io["stdout"], text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(`${text}\n`, (error) => {
      if (error && !("code" in error && error.code === "EPIPE")) reject(error);
      else resolve();
    });
  });
}
