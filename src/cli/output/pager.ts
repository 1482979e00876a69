import type { Environment } from "../../config/variables.ts";
import { measure } from "../../render/text-width.ts";
import type { Io } from "../io.ts";
import type { Output } from "./output-format.ts";
import { printNote } from "./streams.ts";

/** Shows an answer with its notes in the pager, as gh does, if it is longer than the screen. Returns whether it did. */
export async function pageAnswer(io: Io, text: string, notes: readonly string[], { quiet }: Output) {
  const { environment, stdout, stderr } = io;
  const pager = readPager(environment);
  // Notes that go elsewhere are printed there, after the page.
  const page = stderr.isTTY ? [text, ...notes].join("\n") : text;
  if (pager === undefined || isOnOneScreen(page, stdout)) return false;
  const { LESS = "FRX", LV = "-c" } = environment;
  if (!(await io.page(pager.words, { ...environment, LESS, LV }, page))) {
    const what = `names a program that cannot be started: ${pager.words[0]}`;
    if (!quiet) await printNote(io, `warning: ${pager.variable} ${what}`);
    return false;
  }
  if (!stderr.isTTY) for (const line of notes) await printNote(io, line);
  return true;
}

/** The pager that the environment names, if any: an empty value and `cat` mean none. */
function readPager({ ANALYTICS_PAGER, PAGER, TERM }: Environment) {
  const variable = ANALYTICS_PAGER === undefined ? "PAGER" : "ANALYTICS_PAGER";
  const words = splitCommand(ANALYTICS_PAGER ?? PAGER ?? "");
  if (TERM === "dumb" || words.length === 0 || (words.length === 1 && words[0] === "cat")) return undefined;
  return { variable, words };
}

/** Splits a command at spaces outside quotes. A backslash only escapes what would split or quote: it is also part of Windows paths. */
function splitCommand(command: string): string[] {
  const words = command.match(/(?:\\[\s"'\\]|"(?:\\["\\]|[^"])*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /\\([\s"'\\])|"((?:\\["\\]|[^"])*)"|'([^']*)'/g,
      (_, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replace(/\\(["\\])/g, "$1") ?? single ?? "",
    ),
  );
}

/** Whether a page leaves a line for the prompt. */
function isOnOneScreen(page: string, { rows = Number.POSITIVE_INFINITY, columns = 80 }: Io["stdout"]) {
  const heights = page.split("\n").map((line) => Math.max(1, Math.ceil(measure(line) / columns)));
  return heights.reduce((sum, height) => sum + height, 0) < rows;
}
