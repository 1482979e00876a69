import * as z from "zod";
import { count, date, filterEcho, siteRef, timestamp } from "../operations/fields.ts";
import { notFoundRow } from "../operations/not-found.ts";
import { answerPeriod } from "../operations/period.ts";
import { warnings } from "../operations/warning.ts";
import { comparedTotals } from "./compared-totals.ts";
import { missingLists } from "./missing-lists.ts";
import { visitRates } from "./report-fields.ts";

/** Null for a day of which there is no data. */
const counts = z.array(count.nullable());

/** The result of an overview of a site. */
export const overviewResult = () =>
  z.object({
    site: siteRef,
    ...filterEcho(),
    period: answerPeriod,
    visitors: count,
    pageviews: count,
    /** Absent where the service has none. */
    events: count.optional(),
    ...visitRates,
    comparison: comparedTotals().nullable(),
    /** Absent from a service whose days end yesterday. */
    today: z
      .object({
        date,
        visitors: count,
        pageviews: count,
        /** The page views of today's finished hours, and of yesterday's until the same time. Visitors of hours do not add up. */
        hours: z.object({ until: z.string(), pageviews: count, yesterday: count }).optional(),
      })
      .optional(),
    active_now: count,
    trend: z.object({
      from: date,
      visitors: counts,
      pageviews: counts.optional(),
      visits: counts.optional(),
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
          visitors: counts,
          pageviews: counts,
          visits: counts.optional(),
        })
        .optional(),
    }),
    top: z.array(
      z.object({
        dimension: z.string(),
        /** Set if the service does not say which days the list covers. */
        no_period: z.literal(true).optional(),
        rows: z.array(
          z.object({
            value: z.string().nullable(),
            label: z.string(),
            /** In the place of visitors, a service may have another count of a row, named or not. */
            visitors: count.optional(),
            pageviews: count.optional(),
            count: count.optional(),
            visitors_at_most: count.optional(),
            percentage: z.number().optional(),
          }),
        ),
      }),
    ),
    missing: missingLists(),
    warnings,
  });

/** The first dead links, which only a report has. */
const deadLinks = () => z.object({ requests: count, total_rows: count, rows: z.array(notFoundRow()) });

/** The result of a report. On days that are over it has neither today nor this moment. */
export const reportResult = () =>
  overviewResult().partial({ active_now: true }).extend({ not_found: deadLinks().optional() });
export type ReportedOverview = z.output<ReturnType<typeof reportResult>>;

export type Overview = z.output<ReturnType<typeof overviewResult>>;
