import * as z from "zod";
import {
  count,
  DEFAULT_HOUR_DAYS,
  date,
  filterParams,
  MAX_HOUR_DAYS,
  timestamp,
  visitCounts,
} from "../operations/fields.ts";
import { timeseries } from "../operations/index.ts";
import { periodParam } from "../operations/period-words.ts";
import { seriesAnswer } from "../operations/series-fields.ts";
import { compactVisits, withParam } from "./operation-query.ts";
import { defineQuery } from "./query.ts";

const { name, summary, tool, shell, list } = timeseries;

/** The series by hour, day, week or month. The contract has hours and days; days are added up to weeks and months here. */
export const series = defineQuery({
  name,
  summary,
  tool,
  shell,
  ...(list && { list }),
  params: () =>
    timeseries.params.extend({
      period: periodParam(),
      ...filterParams(),
      with: withParam(),
      interval: z
        .enum(["hour", "day", "week", "month"])
        .optional()
        .describe(
          `Length of a point (default: day). Weeks (from Monday) and months are days, added up. Hours are for at most ${MAX_HOUR_DAYS} days (default: ${DEFAULT_HOUR_DAYS}).`,
        ),
    }),
  // A point has `date`, `time`, or the first and the last of its days.
  result: () =>
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
    ),
  reply: async (...asked) => (await import("./series-answer.ts")).askSeries(...asked),
  compact: (result, params) => compactVisits(timeseries, result, params?.with),
});
