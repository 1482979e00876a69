import * as z from "zod";
import { isWrittenByVisitors } from "../operations/dimensions.ts";
import { count, date } from "../operations/fields.ts";
import { once } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";

// Fields and columns that several reports share.

export const window = once(() =>
  z.object({ from: date, to: date, days: count, visitors: count, pageviews: count }),
);
export const change = once(() => z.object({ absolute: z.number(), percent: z.number().nullable() }));

/** Whether two windows are comparable (`data-start.ts`). */
export const dataStart = {
  comparable: z.boolean(),
  data_since: date.nullable().optional(),
};

export const changeColumns: View["columns"] = [
  { key: "current", label: "current", kind: "count" },
  { key: "previous", label: "previous", kind: "count" },
  { key: "change", label: "change", kind: "change" },
  { key: "percent", label: "percent", kind: "percent_change" },
];

/** The columns that name a row. */
export function nameColumns(dimension: string, label = dimension): View["columns"] {
  return [
    { key: "value", label: "value", kind: "text", machine: true },
    {
      ...{ key: "label", label, kind: "text" },
      ...(isWrittenByVisitors(dimension) && { untrusted: true }),
    },
  ];
}

/** Leaves out the values that are equal to their labels, to save a model tokens. */
export function compactNames<T extends { value: string | null; label: string }>(rows: readonly T[]) {
  return rows.map(({ value, ...rest }) => (value === rest.label ? rest : { value, ...rest }));
}
