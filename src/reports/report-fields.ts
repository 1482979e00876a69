import * as z from "zod";
import { count, date } from "../operations/fields.ts";
import { once } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";
import { cleanText } from "../render/clean-text.ts";

// Fields and columns that several reports share.

export const window = once(() => z.object({ from: date, to: date, visitors: count, pageviews: count }));
export const change = once(() => z.object({ absolute: z.int(), percent: z.number().nullable() }));

export const changeColumns: View["columns"] = [
  { key: "current", label: "current", kind: "count" },
  { key: "previous", label: "previous", kind: "count" },
  { key: "change", label: "change", kind: "change" },
  { key: "percent", label: "percent", kind: "percent_change" },
];

/** Visitors can write labels of any length; an answer with several lists has room for short ones only. */
export const shortLabel = (label: string) => cleanText(label, 80);
