import * as z from "zod";
import { count, date, filterEcho, siteRef, timestamp, visitCounts } from "./fields.ts";
import { answerPeriod, period } from "./period.ts";
import { type AtMost, countsAtMost, showCount } from "./ranges.ts";
import type { Cell, Column } from "./view.ts";
import { listVisitColumns, showVisits, type WithVisits } from "./visit-rates.ts";
import { warnings } from "./warning.ts";

const missingField = (unit: "day" | "hour") => ({
  missing: z
    .literal(true)
    .optional()
    .describe(
      `Set for ${unit === "day" ? "a day" : "an hour"} of which there is no data: its zeros are no counts.`,
    ),
});

export const dayPoint = () =>
  z.object({
    date: date.describe("The day, in the site's timezone."),
    visitors: count.describe("Unique visitors of the day."),
    pageviews: count.describe("Page views of the day."),
    ...visitCounts(),
    ...countsAtMost("visitors", "pageviews"),
    partial: z
      .boolean()
      .optional()
      .describe("true for today, which is incomplete; absent or false for other days."),
    ...missingField("day"),
  });

export const hourPoint = () =>
  z.object({
    time: timestamp.describe("The first instant of the hour, with the site's offset from UTC."),
    visitors: count.describe("Unique visitors of the hour. They do not add up to those of the day."),
    pageviews: count.describe("Page views of the hour."),
    ...visitCounts(),
    ...countsAtMost("visitors", "pageviews"),
    partial: z
      .boolean()
      .optional()
      .describe("true for the hour that is going on; absent or false for other hours."),
    ...missingField("hour"),
  });

/** A series of points of some kind. */
export const seriesResult = <P extends z.ZodType>(point: P) =>
  z.object({
    site: siteRef,
    period,
    ...filterEcho(),
    interval: z.string().describe("Length of a point: `day`, or `hour` if that was asked for."),
    points: z.array(point).describe("One point a day or an hour, oldest first."),
    warnings,
  });

/** The same from a service that does not say whose days they are. */
export const seriesAnswer = <P extends z.ZodType>(point: P) =>
  seriesResult(point).extend({ period: answerPeriod });

interface Point extends WithVisits, AtMost {
  visitors: number | null;
  pageviews: number;
  partial?: boolean | undefined;
  missing?: true | undefined;
}

/** The columns of points that `showPoint` shows, after those that say when they are. */
export const pointColumns = (points: readonly Point[]): Column[] => [
  { key: "visitors", label: "visitors", kind: "count" },
  { key: "pageviews", label: "page views", kind: "count" },
  { key: "partial", label: "partial", kind: "text", machine: true },
  ...listVisitColumns(points),
];

/** The counts of a point as a row. Zeros of days without data are no counts. */
export const showPoint = ({ partial, missing, ...counts }: Point): Record<string, Cell> => ({
  visitors: missing ? null : showCount(counts, "visitors"),
  pageviews: missing ? null : showCount(counts, "pageviews"),
  partial: partial ? "true" : null,
  ...(!missing && showVisits(counts)),
});
