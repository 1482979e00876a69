import type { Answer } from "./question.ts";

// How an assistant reads an answer: only from its content and general knowledge of the calendar.

type Series = Answer<"get_timeseries">;
type Breakdown = Answer<"get_breakdown">;
type Dated = { period: { from: string; to: string }; receipt: { notes: string[] } };

export const shift = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** The Monday of this week, from the weekday in the receipt's notes. */
export function mondayOf({ period, receipt }: Dated): string {
  const said = receipt.notes.map((note) => /^Today, (\w+day), is incomplete/.exec(note)).find(Boolean);
  const weekday = WEEKDAYS.indexOf(said?.[1] ?? "");
  if (weekday === -1) throw new Error("No note says which day it is.");
  return shift(period.to, -weekday);
}

/** The sum of the days `from` to `to`. */
export function sumDays({ period, points }: Series, from: string, to: string) {
  if (from < period.from || to > period.to) throw new Error(`The series lacks days of ${from} to ${to}.`);
  const own = points.filter(({ date }) => date >= from && date <= to);
  return {
    visitors: own.reduce((sum, { visitors }) => sum + visitors, 0),
    pageviews: own.reduce((sum, { pageviews }) => sum + pageviews, 0),
  };
}

export const sumThisWeek = (series: Series) => sumDays(series, mondayOf(series), series.period.to);

/** A whole week, Monday to Sunday: 1 is last week, 2 the one before. */
export function sumWeek(series: Series, weeksAgo: number) {
  const monday = shift(mondayOf(series), -7 * weeksAgo);
  return sumDays(series, monday, shift(monday, 6));
}

export const sumThisMonth = (series: Series) =>
  sumDays(series, `${series.period.to.slice(0, 7)}-01`, series.period.to);

export function sumLastMonth(series: Series) {
  const last = shift(`${series.period.to.slice(0, 7)}-01`, -1);
  return sumDays(series, `${last.slice(0, 7)}-01`, last);
}

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
