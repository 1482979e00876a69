import type { NextQuestion } from "../errors.ts";

/** Who reads an answer: people on a page, people in a shell, who know its commands and options too, or models. */
export type Reader = "people" | "shell" | "models";

/** A sentence about an answer. Its numbers are separate from its text, so that each reader gets them as in the table. */
export type Note = string | Sentence;

interface Sentence {
  readonly parts: readonly (string | number)[];
  /** Absent if the sentence is right for everybody. */
  readonly reader?: Reader;
  /** What a shell shows as a command, with the options of its source, and a model as the call of a tool. Nobody else sees it. */
  readonly next?: NextQuestion;
}

/** Builds a sentence from text, counts and other sentences: `note\`${total} rows\``. */
export function note(texts: TemplateStringsArray, ...values: (string | number | Sentence)[]): Sentence {
  return {
    parts: texts.flatMap((text, index) => {
      const value = values[index] ?? "";
      return typeof value === "object" ? [text, ...value.parts] : [text, value];
    }),
  };
}

/** A count with its unit, as a part of a sentence: `1 request`, `2 requests`. */
export const countUnits = (count: number, unit: string): Sentence =>
  note`${count} ${count === 1 ? unit : `${unit}s`}`;

export const forPeople = (text: Note): Sentence => address(text, "people");
/** For people who know the options. */
export const forShell = (text: Note): Sentence => address(text, "shell");
export const forModels = (text: Note): Sentence => address(text, "models");

export const propose = (next: NextQuestion): Sentence => ({ parts: [], next });

export const findNext = (note: Note): NextQuestion | undefined =>
  typeof note === "string" ? undefined : note.next;

const address = (text: Note, reader: Reader): Sentence => ({
  parts: typeof text === "string" ? [text] : text.parts,
  reader,
});

/**
 * The notes that are for a reader, as text.
 *
 * @param formatNumber How this reader's numbers are written.
 */
export function formatNotes(
  notes: readonly Note[],
  reader: Reader,
  formatNumber: (value: number) => string = String,
): string[] {
  return notes.flatMap((note) => {
    if (typeof note === "string") return [note];
    if (note.next !== undefined) return [];
    const isForShell = reader === "shell" && note.reader === "people";
    if (note.reader !== undefined && note.reader !== reader && !isForShell) return [];
    return [note.parts.map((part) => (typeof part === "number" ? formatNumber(part) : part)).join("")];
  });
}
