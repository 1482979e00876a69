import { AnalyticsError } from "../errors.ts";
import type { Operation, ResultOf } from "../operations/operation.ts";
import { cleanText, formatJson } from "../render/clean.ts";
import { formatTable } from "../render/table.ts";
import { formatTsv } from "../render/tsv.ts";
import { type ExitCode, exitCodeOf } from "./exit-codes.ts";
import type { Io } from "./io.ts";

export interface Format {
  json?: boolean | undefined;
}

/**
 * The one writer of stdout for commands: data alone goes there. A table with its headline at a terminal,
 * tab-separated values in a pipe, JSON when asked; notes go to stderr.
 */
export async function printResult<O extends Operation>(
  io: Io,
  operation: O,
  params: Record<string, unknown>,
  result: ResultOf<O>,
  { json }: Format,
): Promise<void> {
  if (json) return write(io.stdout, formatJson(result, 2));
  const view = operation.view(result, params);
  await write(
    io.stdout,
    io.stdout.isTTY ? `${cleanText(view.headline)}\n\n${formatTable(view)}` : formatTsv(view),
  );
  for (const note of view.notes) await write(io.stderr, cleanText(note, 400));
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
