import { AnalyticsError, readErrorCode } from "../../errors.ts";
import { cleanText, formatJson } from "../../render/clean-text.ts";
import { paint } from "../../render/terminal-screen.ts";
import { wrap } from "../../render/text-width.ts";
import { type ExitCode, exitCodeOf } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import type { OutputFormat } from "./output-format.ts";
import { readScreen } from "./terminal.ts";

/** Prints a failure with its hint, as JSON if that was asked for, and returns its exit code. */
export async function printFailure(io: Io, failure: unknown, format?: OutputFormat): Promise<ExitCode> {
  const error =
    failure instanceof AnalyticsError
      ? failure
      : new AnalyticsError("internal_error", "analytics-mcp failed: this is a bug.", {
          hint: failure instanceof Error ? failure.message : undefined,
        });
  const { code, message, hint } = error;
  if (format === "json" || format === "ndjson") {
    const indent = format === "json" ? 2 : undefined;
    await writeToStderr(io, formatJson({ error: { code, message, hint } }, indent));
  } else {
    const screen = readScreen(io, "stderr", {});
    const lines = [
      ["error:", cleanText(message, 1_000)] as const,
      ...(hint?.split("\n").map((line) => ["hint:", cleanText(line, 1_000)] as const) ?? []),
    ];
    for (const [word, text] of lines) {
      const [first = "", ...rest] = wrapForStderr(io, `${word} ${text}`, "  ").split("\n");
      const painted = paint(screen, word === "error:" ? "red" : "cyan", word) + first.slice(word.length);
      await writeToStderr(io, [painted, ...rest].join("\n"));
    }
  }
  return exitCodeOf(code);
}

/** Writes to stdout, which carries data only. */
export const writeData = (io: Io, text: string): Promise<void> => write(io.stdout, text);

/** Prints a note on stderr, wrapped at a terminal. An indented note is a command or path to copy and is not wrapped. */
export function printNote(io: Io, note: string): Promise<void> {
  const indent = note.startsWith("- ") ? "  " : undefined;
  return writeToStderr(io, note.startsWith(" ") ? note : wrapForStderr(io, note, indent));
}

/** Wraps text to the terminal's width; elsewhere it stays on one line. */
export function wrapForStderr(io: Io, text: string, indent?: string): string {
  const width = io.stderr.isTTY ? readScreen(io, "stderr", {}).width : Number.POSITIVE_INFINITY;
  return wrap(text, width, indent);
}

/** Writes to stderr; a closed stderr is not a failure. */
export const writeToStderr = (io: Io, text: string): Promise<void> => write(io.stderr, text).catch(() => {});

/** Waits for commander's own output, so that a full disk is noticed before the exit. */
export const flushData = ({ stdout }: Io): Promise<void> =>
  new Promise((resolve) => stdout.write("", () => resolve()));

/** Resolves when the text is written, so that an exit cannot cut it off. A reader that left early is not an error. */
const write = (stream: Io["stdout"], text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(`${text}\n`, (error) => {
      if (error && readErrorCode(error) !== "EPIPE") reject(error);
      else resolve();
    });
  });
