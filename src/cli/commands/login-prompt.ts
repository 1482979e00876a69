import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { AnalyticsError } from "../../errors.ts";
import { wrap } from "../../render/text-width.ts";
import type { Io } from "../io.ts";
import { wrapForStderr } from "../output/streams.ts";
import { readScreen } from "../output/terminal.ts";

export interface Field {
  label: string;
  /** Not shown as it is typed. */
  hidden?: boolean;
  /** Used for an empty line, and shown. */
  fallback?: string | undefined;
  /** Throws AnalyticsError if the text is not valid; the person is then asked again. */
  read(text: string): string;
}

/** Columns left for the answer beside its prompt; a longer prompt stands on lines of its own. */
const MIN_ANSWER_WIDTH = 30;

/**
 * Asks for one field after another at a terminal, on stderr. Throws AnalyticsError `cancelled` on Ctrl-C and Ctrl-D, after
 * restoring the terminal.
 */
export function askAtTerminal(io: Io, fields: readonly Field[]): Promise<string[]> {
  const { stdin, stderr } = io;
  let hidden = false;
  const screen = new Writable({
    write(chunk, _, done) {
      if (!hidden) stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: screen, terminal: true, historySize: 0 });
  return new Promise<string[]>((resolve, reject) => {
    const answers: string[] = [];
    // Runs within the event of a line, so that the second of two pasted lines is hidden in time.
    const ask = () => {
      const field = fields[answers.length];
      if (field === undefined) return resolve(answers);
      const prompt = writePrompt(io, field);
      if (field.hidden) stderr.write(prompt);
      hidden = field.hidden === true;
      lines.setPrompt(prompt);
      lines.prompt();
    };
    lines.on("line", (line) => {
      if (hidden) stderr.write("\n");
      hidden = false;
      const field = fields[answers.length];
      try {
        if (field) answers.push(field.read(line.trim() || (field.fallback ?? "")));
      } catch (error) {
        if (!(error instanceof AnalyticsError)) return reject(error);
        stderr.write(`${wrapForStderr(io, `${error.message} ${error.hint ?? ""}`.trim())}\n`);
      }
      ask();
    });
    const cancel = () => {
      if (answers.length === fields.length) return;
      stderr.write("\n");
      reject(new AnalyticsError("cancelled", "Cancelled: nothing was saved."));
    };
    lines.once("SIGINT", cancel).once("close", cancel);
    ask();
  }).finally(() => lines.close());
}

/** The prompt's last line, which the answer follows. The lines before it are written: readline cannot wrap words. */
function writePrompt(io: Io, field: Field): string {
  const prompt = `${field.label}${describe(field)}: `;
  const { width } = readScreen(io, "stderr", {});
  if (prompt.length + (field.hidden ? 0 : MIN_ANSWER_WIDTH) <= width) return prompt;
  io.stderr.write(`${wrap(prompt.trimEnd(), width)}\n`);
  return "> ";
}

function describe({ hidden, fallback }: Field): string {
  if (hidden) return " (not shown as you type)";
  return fallback === undefined ? "" : ` (Enter for ${fallback})`;
}
