import * as z from "zod";
import {
  askedDaysParam,
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
import { isProfile, SERIES_INTERVALS } from "./profile.ts";
import { defineQuery } from "./query.ts";
import { visitRates } from "./report-fields.ts";

const { name, summary, tool, shell, list } = timeseries;

/** The series by hour, day, week or month, or when people come. The contract has hours and days; days are added up to weeks and months here. */
export const series = defineQuery({
  name,
  summary,
  tool,
  shell,
  ...(list && { list }),
  params: () =>
    timeseries.params.extend({
      days: askedDaysParam,
      period: periodParam(),
      ...filterParams(),
      with: withParam(),
      interval: z
        .enum(SERIES_INTERVALS)
        .optional()
        .describe(
          `Length of a point (default: day). Weeks (from Monday) and months are days, added up. Hours are for at most ${MAX_HOUR_DAYS} days (default: ${DEFAULT_HOUR_DAYS}). weekday, hour_of_day and week_hour (both) are averages of complete days (default: four weeks).`,
        ),
    }),
  // A point has `date`, `time`, the first and the last of its days, or the slot that it is the average of.
  result: () =>
    seriesAnswer(
      z.object({
        date: date.optional(),
        weekday: z.string().optional(),
        time: timestamp.optional(),
        hour: count.optional(),
        from: date.optional(),
        to: date.optional(),
        days: count.optional(),
        visitors: z.number().nullable(),
        pageviews: z.number(),
        ...visitRates,
        ...visitCounts(),
        visits: z.number().optional(),
        partial: z.boolean().optional(),
        missing: z.literal(true).optional(),
      }),
    ).extend({ highest: z.object({}).optional(), lowest: z.object({}).optional() }),
  reply: async (call, { interval, ...params }, options) => {
    if (isProfile(interval)) {
      const { askProfile } = await import("./profile-answer.ts");
      return askProfile(call, interval, params, options);
    }
    const { askSeries } = await import("./series-answer.ts");
    return askSeries(call, { interval, ...params }, options);
  },
  compact: (result, params) => compactVisits(timeseries, result, params?.with),
});
