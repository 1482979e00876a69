import * as z from "zod";
import { isWrittenByVisitors, nameCodes } from "../operations/dimensions.ts";
import { count, date } from "../operations/fields.ts";
import { type Note, note } from "../operations/note.ts";
import { once } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";
import type { Measure, Window } from "./windows.ts";

// Fields and columns that several reports share.

export const window = once(() =>
  z.object({
    from: date,
    to: date,
    days: count,
    days_with_data: count.optional(),
    visitors: count,
    pageviews: count,
  }),
);
export const change = once(() => z.object({ absolute: z.int().nullable(), percent: z.number().nullable() }));
export const perDay = once(() =>
  z.object({
    current: z.number(),
    previous: z.number(),
    change: z.number(),
    percent: z.number().nullable(),
  }),
);

/** The averages per day, where periods differ in length or in days with data. */
export const totalsPerDay = {
  per_day: z.object({ visitors: perDay(), pageviews: perDay() }).optional(),
};

/** Whether two windows are comparable (`coverage.ts`). */
export const coverage = {
  comparable: z.boolean(),
  data_since: date.nullable().optional(),
  data_until: date.optional(),
  incomplete: z.string().optional(),
};

/** The changes of the totals of two windows. */
export function measureTotals(measure: Measure, current: Counts, previous: Counts) {
  const perDay = {
    visitors: measure.perDay(current.visitors, previous.visitors),
    pageviews: measure.perDay(current.pageviews, previous.pageviews),
  };
  const { visitors, pageviews } = perDay;
  return {
    change: {
      visitors: measure.change(current.visitors, previous.visitors),
      pageviews: measure.change(current.pageviews, previous.pageviews),
    },
    ...(visitors && pageviews && { per_day: { visitors, pageviews } }),
  };
}

type Counts = Pick<Window, "visitors" | "pageviews">;
type Totals = ReturnType<typeof measureTotals>;

/** The columns of a comparison. */
export const changeColumns: View["columns"] = [
  { key: "current", label: "current", kind: "count" },
  { key: "previous", label: "previous", kind: "count" },
  { key: "change", label: "change", kind: "change" },
  { key: "percent", label: "percent", kind: "percent_change" },
];

/** The columns of values compared by their averages per day; programs also get the counts. */
export const averageColumns: View["columns"] = [
  ...changeColumns.slice(0, 3).map((column) => ({ ...column, machine: true as const })),
  { key: "current_per_day", label: "current a day", kind: "count" },
  { key: "previous_per_day", label: "previous a day", kind: "count" },
  { key: "change_per_day", label: "change a day", kind: "change" },
  { key: "change_per_day_percent", label: "percent", kind: "percent_change" },
];

/** The rows of two windows: the sums with their change and, where they have them, the averages per day. */
export function listTotals(
  current: Counts,
  previous: (Counts & { days_with_data?: number | undefined }) | undefined,
  { change, per_day }: { change?: Totals["change"] | undefined; per_day?: Totals["per_day"] | undefined },
) {
  const measures = ["visitors", "pageviews"] as const;
  const hasData = previous?.days_with_data !== 0;
  return {
    sums: measures.map((name) => ({
      label: MEASURE_NAMES[name],
      current: current[name],
      previous: hasData ? (previous?.[name] ?? null) : null,
      change: change?.[name].absolute ?? null,
      percent: change?.[name].percent ?? null,
    })),
    averages: measures.flatMap((name) =>
      per_day ? [{ label: `${MEASURE_NAMES[name]} a day`, ...per_day[name] }] : [],
    ),
  };
}

export const MEASURE_NAMES = { visitors: "visitors", pageviews: "page views", events: "events" };

/** Explains why there are averages per day, if not because days lack data. */
export function noteLengths(current: { days: number }, previous: { days: number }): Note[] {
  if (current.days === previous.days) return [];
  return [
    note`The periods have ${current.days} and ${previous.days} days, so percentages are of averages per day.`,
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
