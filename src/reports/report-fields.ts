import * as z from "zod";
import { isWrittenByVisitors, nameCodes } from "../operations/dimensions.ts";
import { count, date } from "../operations/fields.ts";
import { type Note, note } from "../operations/note.ts";
import { once } from "../operations/schemas.ts";
import type { Cell, View } from "../operations/view.ts";
import type { Window } from "./windows.ts";

// Fields and columns that several reports share.

export const window = once(() =>
  z.object({ from: date, to: date, days: count, visitors: count, pageviews: count }),
);
export const change = once(() => z.object({ absolute: z.number(), percent: z.number().nullable() }));

/** Whether two windows are comparable (`data-start.ts`). */
export const dataStart = {
  comparable: z.boolean(),
  data_since: date.nullable().optional(),
  incomplete: z.string().optional(),
};

/** Whether changes are of totals or, between periods of different lengths, of averages per day. */
export const changesPerDay = {
  changes_per_day: z.literal(true).optional(),
};

/** Set where two periods differ in length, as `createMeasure` measures them. */
export const markPerDay = (a: { days: number }, b: { days: number }) =>
  a.days === b.days ? {} : { changes_per_day: true as const };

interface ChangeCells {
  current: Cell;
  previous: Cell;
  change: Cell;
  percent: Cell;
}

/** The columns of a comparison, and their values. A change of daily averages is labelled as such. */
export function createChangeColumns({
  changes_per_day: isPerDay = false,
}: {
  changes_per_day?: boolean | undefined;
}) {
  const [key, percentKey] = isPerDay ? ["change_per_day", "change_per_day_percent"] : ["change", "percent"];
  const columns: View["columns"] = [
    { key: "current", label: "current", kind: "count" },
    { key: "previous", label: "previous", kind: "count" },
    { key, label: isPerDay ? "change per day" : "change", kind: "change" },
    { key: percentKey, label: isPerDay ? "in percent" : "percent", kind: "percent_change" },
  ];
  const fill = ({ current, previous, change, percent }: ChangeCells) => ({
    current,
    previous,
    [key]: change,
    [percentKey]: percent,
  });
  return { columns, fill };
}

/** Explains changes of averages per day by the averages of the visitors. */
export function noteLengths(current: Window, previous: Window): Note[] {
  if (current.days === previous.days) return [];
  const perDay = ({ days, visitors }: Window) => Math.round((10 * visitors) / days) / 10;
  return [
    note`The periods have ${current.days} and ${previous.days} days, so changes are of averages per day: ${perDay(current)} visitors a day after ${perDay(previous)}.`,
  ];
}

/** The columns that name a row. */
export function nameColumns(dimension: string, label = dimension): View["columns"] {
  return [
    { key: "value", label: "value", kind: "text", machine: true },
    {
      key: "label",
      label,
      kind: "text",
      ...(isWrittenByVisitors(dimension) && { untrusted: true }),
      ...nameCodes(dimension),
    },
  ];
}

/** Leaves out the values that are equal to their labels, to save a model tokens. */
export function compactNames<T extends { value: string | null; label: string }>(rows: readonly T[]) {
  return rows.map(({ value, ...rest }) => (value === rest.label ? rest : { value, ...rest }));
}
