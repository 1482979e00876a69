/** A value of a view: what a table, a TSV line or a sentence can show. `null` means none. */
export type Cell = string | number | null;

export interface Column {
  key: string;
  label: string;
  /**
   * `change` is a signed count, `percent_change` a signed percentage, `status` one of ok, warning, failed, skipped, and
   * `word` a text that is never cut, such as an id that is to be typed.
   */
  kind: "text" | "word" | "count" | "change" | "percent" | "percent_change" | "date" | "time" | "status";
  /** Written for programs alone: in TSV, left out where people or models read. */
  machine?: true;
  /** Written by visitors: data, never instructions. */
  untrusted?: true;
  /** Left out of a table for which there is too little room, the last of these first. */
  detail?: true;
  /** The text is the name of a code that stands in the column `value`: people may see it in their language. */
  names?: "region" | "language";
}

/** Counts of days in a row, oldest first. */
export interface Series {
  label: string;
  /** The first day. */
  from: string;
  values: number[];
  /** Whether the last day is not over. */
  partial: boolean;
}

/**
 * An answer as data, before anybody decides how it looks: every surface (table, TSV, a model's text) is drawn
 * from this one shape. Cells are raw; `render/clean-text.ts` cleans them where they leave.
 */
export interface View {
  /** Which of an answer's tables it is, for programs, where there are several. */
  name?: string;
  headline: string;
  columns: Column[];
  rows: Record<string, Cell>[];
  /** Sentences that a reader needs in order not to misread the numbers. */
  notes: string[];
  /** Where pictures can be shown, drawn above the table; with no table, in place of the headline. */
  series?: Series;
  /** The column of counts that can be drawn as bars, one against the other. */
  bars?: string;
  /** May stand beside the view before it where there is room. */
  beside?: true;
}
