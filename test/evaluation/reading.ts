import type { Answer } from "./question.ts";

// How an assistant reads an answer: only from its content and general knowledge of the calendar.

type Series = Answer<"get_timeseries">;
type Breakdown = Answer<"get_breakdown">;
type Dated = { period: { from: string; to: string }; receipt: { notes: string[] } };

/** The complete days. */
export const completeDays = ({ points }: Series) => points.filter((point) => point.partial !== true);

/** The row of a value: zeros if a complete list lacks it, an error if the limit may have cut it off. */
export function findRow({ rows, truncated }: Breakdown, value: string | null) {
  const row = rows.find((each) => each.value === value);
  if (row) return { visitors: row.visitors, hits: row.pageviews ?? row.events, percentage: row.percentage };
  if (truncated) throw new Error(`${value} may be among the rows that were cut off.`);
  return { visitors: 0, hits: 0, percentage: 0 };
}

export const nameOf = (row: { value: string | null; label?: string } | undefined) => row?.label ?? row?.value;

/** The note of the receipt about something, to pass it on. */
export const noteOn = ({ receipt }: Pick<Dated, "receipt">, words: RegExp) =>
  receipt.notes.find((note) => words.test(note)) ?? null;
