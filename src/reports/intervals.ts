import * as z from "zod";
import { count, date, MAX_HOUR_DAYS, timestamp, visitCounts } from "../operations/fields.ts";
import { seriesAnswer } from "../operations/series-fields.ts";

/** How long a point of a series can be. The contract has hours and days; days are added up to weeks and months here. */
const intervals = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof intervals)[number];

/** Yesterday and today. */
export const DEFAULT_HOUR_DAYS = 2;

export const intervalParam = () =>
  z
    .enum(intervals)
    .optional()
    .describe(
      `Length of a point (default: day). Weeks (from Monday) and months are days, added up. Hours are for at most ${MAX_HOUR_DAYS} days (default: ${DEFAULT_HOUR_DAYS}).`,
    );

/** The answer by any interval: a point has `date`, `time`, or the first and the last of its days. */
export const anySeriesResult = () =>
  seriesAnswer(
    z.object({
      date: date.optional(),
      time: timestamp.optional(),
      from: date.optional(),
      to: date.optional(),
      days: count.optional(),
      visitors: count,
      pageviews: count,
      ...visitCounts(),
      partial: z.boolean().optional(),
      missing: z.literal(true).optional(),
    }),
  );
