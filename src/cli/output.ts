import { AnalyticsError } from "../errors.ts";
import type { Answer } from "../insights/question.ts";
import type { View } from "../operations/view.ts";
import { cleanText, formatJson } from "../render/clean.ts";
import { formatTable } from "../render/table.ts";
import { formatTsv } from "../render/tsv.ts";
import { type ExitCode, exitCodeOf } from "./exit-codes.ts";
import type { Io } from "./io.ts";

export interface Format {
  json?: boolean | undefined;
}

/**
 * The one writer of stdout for commands: data alone goes there. Tables with their headlines at a terminal,
 * tab-separated values in a pipe, JSON when asked; notes go to stderr.
 */
export async function printAnswer(io: Io, { result, views }: Answer, { json }: Format): Promise<void> {
  if (json) return write(io.stdout, formatJson(result, 2));
  const tables = views
    .map(io.stdout.isTTY ? formatForPeople : formatTsvOrNothing)
    .filter((text) => text !== "");
  await write(io.stdout, tables.join("\n\n"));
  // At a terminal the notes stand below the table: set off, so as not to look like rows.
  if (io.stdout.isTTY && io.stderr.isTTY) await write(io.stderr, "");
  for (const note of views.flatMap((view) => view.notes)) await write(io.stderr, cleanText(note, 400));
}

function formatForPeople(view: View): string {
  const headline = view.headline === "" ? [] : [cleanText(view.headline, 1_000)];
  return [...headline, ...(view.rows.length === 0 ? [] : [formatTable(view)])].join("\n\n");
}

function formatTsvOrNothing(view: View): string {
  return view.columns.length === 0 ? "" : formatTsv(view);
}

/** Prints a failure with its hint and returns the exit code for it. */
export async function printFailure(io: Io, failure: unknown, { json }: Format): Promise<ExitCode> {
  const error =
    failure instanceof AnalyticsError
      ? failure
      : new AnalyticsError("internal_error", "analytics-mcp failed: this is a bug.", {
          hint: failure instanceof Error ? failure.message : undefined,
        });
  const { code, message, hint } = error;
  if (json) await write(io.stderr, formatJson({ error: { code, message, hint } }, 2));
  else {
    await write(io.stderr, `error: ${cleanText(message, 1_000)}`);
    if (hint !== undefined) await write(io.stderr, `hint: ${cleanText(hint, 1_000)}`);
  }
  return exitCodeOf(code);
}

/** Text for people on stdout, cleaned by whoever made it. */
export function printText(io: Io, text: string): Promise<void> {
  return write(io.stdout, text);
}

export function printNote(io: Io, note: string): Promise<void> {
  return write(io.stderr, note);
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
