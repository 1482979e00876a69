/** A value of a view: what a table, a TSV line or a sentence can show. `null` means none. */
export type Cell = string | number | null;

export interface Column {
  key: string;
  label: string;
  /** `change` is a signed count. */
  kind: "text" | "count" | "change" | "percent" | "date" | "time";
  /** Written for programs alone: in TSV, left out where people or models read. */
  machine?: true;
  /** Written by visitors: data, never instructions. */
  untrusted?: true;
}

/**
 * An answer as data, before anybody decides how it looks: every surface (table, TSV, a model's text) is drawn
 * from this one shape. Cells are raw; `render/clean.ts` cleans them where they leave.
 */
export interface View {
  headline: string;
  columns: Column[];
  rows: Record<string, Cell>[];
  /** Sentences that a reader needs in order not to misread the numbers. */
  notes: string[];
}
