import { formatNotes, type Note } from "../../operations/note.ts";
import { listNotes, listWarnings, type View } from "../../operations/view.ts";
import { hasLookalikes, NUMBER_NOTE } from "../../render/clean-rows.ts";
import { cleanText, formatJson } from "../../render/clean-text.ts";
import { paint, type Screen } from "../../render/terminal-screen.ts";
import type { Answer } from "../../reports/query.ts";
import type { Io } from "../io.ts";
import { type Output, type OutputFlags, readOutput } from "./output-format.ts";
import { wrapForStderr, writeData, writeToStderr } from "./streams.ts";
import { formatTable, listRows } from "./tables.ts";
import { readScreen } from "./terminal.ts";

/** Prints an answer on stdout, and its warnings and notes on stderr. */
export async function printAnswer(io: Io, given: Answer, output: Output): Promise<void> {
  const answer = { ...given, shown: await chooseViews(given, output) };
  const tables = await formatAnswer(io, answer, output);
  const text = output.format === "markdown" ? await addNotes(io, tables, answer, output) : tables;
  const lines = formatNoteLines(io, answer, output);
  // A table without rows is no line at all.
  const isEmpty = text === "" && output.format === "table";
  // A blank line, so that notes at a terminal do not look like rows.
  const hasGap = !isEmpty && lines.length > 0 && io.stdout.isTTY && io.stderr.isTTY;
  const notes = hasGap ? ["", ...lines] : lines;
  if (output.pager && io.stdout.isTTY) {
    const { pageAnswer } = await import("./pager.ts");
    if (await pageAnswer(io, text, notes, output)) return;
  }
  if (!isEmpty) await writeData(io, text);
  for (const line of notes) await writeToStderr(io, line);
}

/** Prints a table of this program's own; as JSON, the result. */
export const printTable = (
  io: Io,
  flags: OutputFlags,
  result: Record<string, unknown>,
  { columns, rows, notes = [] }: Pick<View, "columns" | "rows"> & Partial<Pick<View, "notes">>,
): Promise<void> =>
  printAnswer(
    io,
    { params: {}, result, views: [{ headline: "", columns, rows, notes }] },
    readOutput(io, flags),
  );

/** Markdown is for sharing, so what to know about the numbers is in it. */
async function addNotes(io: Io, tables: string, answer: Shown, output: Output): Promise<string> {
  const { escapeMarkdown } = await import("../../render/markdown.ts");
  const notes = formatSentences(answer, output, readScreen(io, "stdout", output));
  const list = notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n");
  return [tables, list].filter((part) => part !== "").join("\n\n");
}

/** An answer with the tables and columns that were asked for. */
type Shown = Answer & { shown: readonly View[] };

async function chooseViews({ views }: Answer, { fields }: Output): Promise<readonly View[]> {
  if (fields === undefined) return views;
  const { chooseFields } = await import("./choose-fields.ts");
  return chooseFields(views, fields);
}

/** An answer in the format and with the fields that were asked for. Throws AnalyticsError `usage` for an unknown field. */
export async function formatAnswer(io: Io, answer: Answer | Shown, output: Output): Promise<string> {
  const { format, fields } = output;
  const views = "shown" in answer ? answer.shown : await chooseViews(answer, output);
  switch (format) {
    case "json":
      return formatJson(fields === undefined ? answer.result : listRows(views, fields), 2);
    case "ndjson":
      return listRows(views, fields)
        .map((row) => formatJson(row))
        .join("\n");
    case "csv":
    case "tsv":
      return formatTable(views, format, fields);
    case "table": {
      const { formatPage } = await import("../../render/terminal-page.ts");
      return answer.empty ?? formatPage(views, readScreen(io, "stdout", output));
    }
    case "markdown": {
      const { escapeMarkdown, formatMarkdown } = await import("../../render/markdown.ts");
      if (answer.empty !== undefined) return escapeMarkdown(answer.empty);
      return formatMarkdown(views, readScreen(io, "stdout", output));
    }
  }
}

/** In lines of a terminal: more notes would bury the answer. */
const MAX_NOTE_LINES = 4;

/** Warnings, and notes unless they are unwanted, as lines for stderr. Markdown has them itself. */
function formatNoteLines(io: Io, answer: Shown, output: Output): string[] {
  if (output.format === "json" || output.format === "markdown") return [];
  const screen = readScreen(io, "stderr", output);
  const all = formatSentences(answer, output, screen).map((sentence) => wrapForStderr(io, sentence));
  const warnings = formatNotes(chooseNotes(answer, { ...output, quiet: true }), "shell").length;
  const isWhole = output.brief !== true || io.stderr.isTTY !== true || answer.empty !== undefined;
  const shown = isWhole ? all : [...all.slice(0, warnings), ...shorten(all.slice(warnings))];
  const titles = readTitles(answer, output).map((text) => wrapForStderr(io, text));
  return [...titles, ...shown]
    .flatMap((lines) => lines.split("\n"))
    .map((line) => paint(screen, "dim", line));
}

/**
 * What rows for programs have no room for: the title of the answer, which has the site and the days, and the headings of lists of
 * other days.
 */
function readTitles({ result, views, empty }: Answer, { format, quiet }: Output): string[] {
  const isTable = format === "tsv" || format === "csv";
  if (!(isTable || format === "ndjson") || empty !== undefined || !("site" in result)) return [];
  const titles = views.filter(({ name }, index) => (index === 0 ? isTable && !quiet : name === "lists"));
  return titles.filter(({ headline }) => headline !== "").map(({ headline }) => cleanText(headline, 1_000));
}

/** The notes that fit, and how to see the others. */
function shorten(notes: readonly string[]): string[] {
  const count = (some: readonly string[]) => some.join("\n").split("\n").length;
  if (count(notes) <= MAX_NOTE_LINES) return [...notes];
  const shown = ["More notes: --explain"];
  for (const note of notes) if (count([note, ...shown]) <= MAX_NOTE_LINES) shown.splice(-1, 0, note);
  return shown;
}

function formatSentences(answer: Shown, output: Output, { locale }: Screen): string[] {
  const numbers = new Intl.NumberFormat(locale);
  const sentences = formatNotes(chooseNotes(answer, output), "shell", (value) => numbers.format(value));
  return sentences.map((sentence) => cleanText(sentence, 400));
}

function chooseNotes({ views, shown, empty }: Shown, { format, quiet }: Output): Note[] {
  // A page already has that sentence.
  if (empty !== undefined) return format === "table" || format === "markdown" ? [] : [empty];
  const isNumbered = shown.some(({ rows }) => hasLookalikes(rows));
  const warnings = [...(isNumbered ? [NUMBER_NOTE] : []), ...listWarnings(views)];
  return quiet ? warnings : [...warnings, ...listNotes(views).slice(listWarnings(views).length)];
}
