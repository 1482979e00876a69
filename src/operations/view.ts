import { forModels, forPeople, type Note, note } from "./note.ts";

/** A value of a view, for a table, a TSV line or a sentence. `null` means no value. */
export type Cell = string | number | null;

export interface Column {
  key: string;
  label: string;
  /**
   * `change` is a signed count, `percent_change` a signed percentage, `status` one of ok, warning, failed and skipped.
   * `word` is text that is never cut, such as an id that people type. `hour` is a timestamp of which readers see date and hour,
   * `day` a date of which they see the weekday, too, `month` a day of which people see the month.
   */
  kind:
    | "text"
    | "word"
    | "count"
    | "change"
    | "percent"
    | "percent_change"
    | "date"
    | "day"
    | "hour"
    | "month"
    | "time"
    | "status";
  /** For programs only: included in TSV, left out for people and models. */
  machine?: true;
  /** The value that a filter takes: shown to models where it is not the label. */
  filters?: true;
  /** Written by visitors: data, never instructions. */
  untrusted?: true;
  /** Text that takes several lines if there is no room, as the last column of a table. Not cut for programs. */
  wraps?: true;
  /** Cut at the beginning if there is no room: paths differ at their end. */
  keepsEnd?: true;
  /** Dropped from a table that is too wide, starting with the last of these columns. */
  detail?: true;
  /** Dropped in the same way, but only if hardly anything of the texts would be left. */
  spare?: true;
  /** How people read the numbers, if not as they are; a row's member `unit` says the same of all its numbers. */
  unit?: Unit;
  /** The text is the name of the code in the column `value`; people can see it in their language. */
  names?: "region" | "language";
}

/**
 * What numbers are, for readers; programs get them as they are. A change in percentage points is told in words, seconds are a
 * time, and averages keep their decimals, so that 2.60 can be compared with 2.59.
 */
export type Unit = "points" | "seconds" | "hundredths" | "tenths";
export const POINTS: Unit = "points";

/** Counts by day or, with `interval`, by hour, week or month, oldest first. */
export interface Series {
  label: string;
  /** The first day or hour. */
  from: string;
  /** Null where there is no data. */
  values: (number | null)[];
  /** How many first rows of the table are before the data: the values have none of them. */
  cut?: number;
  /** Whether the last value is incomplete: today, this hour, or a week or month that lacks days. */
  partial: boolean;
  /** Whether the first value is of a week or month that lacks days, too. */
  partialStart?: boolean;
  /** If a value is not of a day: what it is of, the first day or hour of each value, and the last one. */
  interval?: { name: string; starts: readonly string[]; to: string };
}

/**
 * An answer as data, independent of its look: tables, TSV and a model's text are all rendered from it. Cells are raw;
 * `render/clean-text.ts` cleans them on output.
 */
export interface View {
  /** Identifies the table for programs, if an answer has several. */
  name?: string;
  headline: string;
  columns: Column[];
  rows: Record<string, Cell>[];
  /** Sentences that help to read the numbers. */
  notes: Note[];
  /** Sentences without which the numbers mean something else: shown even to readers who want no notes. */
  warnings?: Note[];
  /** How many rows there are, if known, and how many were asked for; `notesOf` compares them with those that are shown. */
  extent?: { total?: number | undefined; limit: number } | undefined;
  /** Drawn above the table if the output supports it; without a table, in place of the headline. */
  series?: Series;
  /** The column of numbers to draw as bars. */
  bars?: string;
  /** May be placed next to the previous view if there is room. */
  beside?: true;
}

/** A series shows whether there is anything; a week's row also has the number of its days. */
export const hasNoCounts = ({ rows, series }: View): boolean =>
  (series?.values ?? rows.flatMap((row) => Object.values(row))).every(
    (cell) => typeof cell !== "number" || cell === 0,
  );

/** What a reader must know about the numbers of views. */
export const listWarnings = (views: readonly View[]): Note[] =>
  views.flatMap(({ warnings = [] }) => warnings);

/** The warnings and notes of views. */
export const listNotes = (views: readonly View[]): Note[] => [
  ...listWarnings(views),
  ...views.flatMap(notesOf),
];

/** The notes of a view, and first how many of its rows it shows. */
function notesOf({ extent, rows, notes }: View): Note[] {
  if (extent === undefined || extent.total === 0) return notes;
  const { total, limit } = extent;
  if (total === undefined) return [note`Only the first ${rows.length}: there may be more.`, ...notes];
  if (rows.length === total)
    return [forModels(total === 1 ? "The only row." : note`All ${total} rows.`), ...notes];
  return [
    forPeople(note`Showing ${rows.length} of ${total} rows (--limit ${limit}).`),
    forModels(note`Showing ${rows.length} of ${total} rows (limit ${limit}).`),
    ...notes,
  ];
}
