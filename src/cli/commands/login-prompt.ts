import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { AnalyticsError } from "../../errors.ts";
import { wrap } from "../../render/text-width.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import { readScreen } from "../output/terminal.ts";

export interface Field {
  label: string;
  /** Not shown as it is typed. */
  hidden?: boolean;
  /** Used for an empty line, and shown unless the answer is hidden. */
  fallback?: string | undefined;
  /** What the fallback of a hidden answer is, if it is not the saved one. */
  kept?: string;
  /** Throws AnalyticsError if the text is not valid; the person is then asked again. */
  read(text: string): string;
}

/** Columns left for the answer beside its prompt; a longer prompt stands on lines of its own. */
const MIN_ANSWER_WIDTH = 30;

/** Asks a question until its answer will do. Rejects with AnalyticsError `cancelled` if the person leaves. */
export type Ask = (field: Field) => Promise<string>;

/**
 * Does work that asks questions at a terminal, on stderr. Between the first question and the end, nothing that is typed or pasted is
 * shown except answers to questions that are not `hidden`. Throws AnalyticsError `cancelled` on Ctrl-C and Ctrl-D, also between
 * questions, after restoring the terminal.
 */
export async function withPrompts<Result>(
  io: Io,
  work: (ask: Ask) => Promise<Result>,
  outcome = "nothing was saved",
): Promise<Result> {
  let session: Session | undefined;
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(new AnalyticsError("cancelled", `Cancelled: ${outcome}.`));
  });
  // Nobody waits for it if the work ends first.
  left.catch(() => {});
  const ask: Ask = async (field) => {
    session ??= openSession(io, leave);
    for (;;) {
      const line = await session.ask(field);
      try {
        return field.read(line.trim() || (field.fallback ?? ""));
      } catch (error) {
        if (!(error instanceof AnalyticsError)) throw error;
        session.forgetAhead();
        await printProblem(io, error);
      }
    }
  };
  try {
    return await Promise.race([work(ask), left]);
  } finally {
    session?.close();
  }
}

export async function askYesOrNo(ask: Ask, question: string, fallback: "yes" | "no"): Promise<boolean> {
  const read = (text: string) => {
    if (/^(?:y|yes|n|no)$/i.test(text)) return text.toLowerCase();
    throw new AnalyticsError("usage", "What you typed is neither yes nor no.");
  };
  return (await ask({ label: `${question}: yes or no`, fallback, read })).startsWith("y");
}

/** Says what was wrong with an answer, before the question is asked again. */
export const printProblem = (io: Io, { message, hint = "" }: AnalyticsError) =>
  printNote(io, `${message} ${hint}`.trim());

interface Session {
  ask(field: Field): Promise<string>;
  /** Forgets what was typed ahead: it was meant for other questions. */
  forgetAhead(): void;
  close(): void;
}

function openSession(io: Io, leave: () => void): Session {
  const { stdin, stderr } = io;
  let isShown = false;
  const screen = new Writable({
    write(chunk, _, done) {
      if (isShown) stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: screen, terminal: true, historySize: 0 });
  const ahead: string[] = [];
  let take: ((line: string) => void) | undefined;
  // Runs within the event of a line, so that the second of two pasted lines is hidden in time.
  lines.on("line", (line) => {
    if (take === undefined) ahead.push(line);
    else take(line);
  });
  const cancel = () => {
    stderr.write("\n");
    leave();
  };
  lines.once("SIGINT", cancel).once("close", cancel);
  return {
    ask: (field) =>
      new Promise((resolve) => {
        const prompt = writePrompt(io, field);
        const known = ahead.shift();
        if (known !== undefined || field.hidden) stderr.write(known === undefined ? prompt : `${prompt}\n`);
        if (known !== undefined) return resolve(known);
        take = (line) => {
          take = undefined;
          if (!isShown) stderr.write("\n");
          isShown = false;
          resolve(line);
        };
        // What was typed before a question that is shown may be a part of a key.
        if (!field.hidden) lines.write(null, { ctrl: true, name: "u" });
        isShown = field.hidden !== true;
        lines.setPrompt(prompt);
        lines.prompt(true);
      }),
    forgetAhead: () => ahead.splice(0),
    close: () => {
      lines.off("SIGINT", cancel).off("close", cancel);
      lines.close();
    },
  };
}

/** The prompt's last line, which the answer follows. The lines before it are written: readline cannot wrap words. */
function writePrompt(io: Io, field: Field): string {
  const prompt = `${field.label}${describe(field)}: `;
  const { width } = readScreen(io, "stderr", {});
  if (prompt.length + (field.hidden ? 0 : MIN_ANSWER_WIDTH) <= width) return prompt;
  io.stderr.write(`${wrap(prompt.trimEnd(), width)}\n`);
  return "> ";
}

function describe({ hidden, fallback, kept = "the saved one" }: Field): string {
  if (hidden) return ` (not shown as you type${fallback === undefined ? "" : `; Enter keeps ${kept}`})`;
  return fallback === undefined ? "" : ` (Enter for ${fallback})`;
}
