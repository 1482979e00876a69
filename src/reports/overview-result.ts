import * as z from "zod";
import { count, date, filterEcho, siteRef, timestamp } from "../operations/fields.ts";
import { period } from "../operations/period.ts";
import { warnings } from "../operations/warning.ts";
import { comparedTotals } from "./compared-totals.ts";
import { visitRates } from "./report-fields.ts";

/** The result of an overview of a site. */
export const overviewResult = () =>
  z.object({
    site: siteRef,
    ...filterEcho(),
    period,
    visitors: count,
    pageviews: count,
    events: count,
    ...visitRates,
    comparison: comparedTotals().nullable(),
    today: z.object({
      date,
      visitors: count,
      pageviews: count,
      /** The page views of today's finished hours, and of yesterday's until the same time. Visitors of hours do not add up. */
      hours: z.object({ until: z.string(), pageviews: count, yesterday: count }).optional(),
    }),
    active_now: count,
    trend: z.object({
      from: date,
      visitors: z.array(count),
      pageviews: z.array(count).optional(),
      visits: z.array(count).optional(),
      partial: z.boolean(),
      /** Of a single day. */
      hours: z
        .object({
          times: z.array(timestamp),
          visitors: z.array(count),
          pageviews: z.array(count).optional(),
          visits: z.array(count).optional(),
        })
        .optional(),
      previous: z
        .object({
          from: date,
          visitors: z.array(count),
          pageviews: z.array(count),
          visits: z.array(count).optional(),
        })
        .optional(),
    }),
    top: z.array(
      z.object({
        dimension: z.string(),
        rows: z.array(
          z.object({
            value: z.string().nullable(),
            label: z.string(),
            visitors: count,
            visitors_at_most: count.optional(),
            percentage: z.number(),
          }),
        ),
      }),
    ),
    warnings,
  });

/** The result of a report. On days that are over it has neither today nor this moment. */
export const reportResult = () => overviewResult().partial({ today: true, active_now: true });
export type ReportedOverview = z.output<ReturnType<typeof reportResult>>;

export type Overview = z.output<ReturnType<typeof overviewResult>>;
