import * as z from "zod";

/*
 * The rows of answers. ClickHouse writes numbers of 64 bits as text or as numbers, depending on its version.
 */

const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(0));
const flag = z.union([z.boolean(), count.transform(Boolean)]);
const date = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .refine((text) => !Number.isNaN(Date.parse(text)));
const text = z
  .string()
  .nullable()
  .transform((value) => value ?? "");

export const siteRow = z.object({
  domain: text,
  /** The site's id in a table that has ids. */
  site_key: z.string().max(2_000).optional(),
  zone: z.string(),
  zones: count,
  first_day: date,
  last_day: date,
  lacking: z.array(z.string()).optional(),
});

export type SiteRow = z.output<typeof siteRow>;

/** Only an export knows its scanners, and beside how many visitors, and by which version of the rules it was counted. */
export const dayRow = z.object({
  date,
  visitor_count: count.default(0),
  view_count: count,
  scanner_count: count.default(0),
  loads: count,
  expected_views: count,
  oldest_definition: count.default(0),
  newest_definition: count.default(0),
});
export type DayRow = z.output<typeof dayRow>;

export const dateRow = z.object({ date });

const visitCounts = { visit_count: count, bounce_count: count, second_count: count };

/** A day with sums, and the run that counted them: 64 bits in decimal. */
export const summedDayRow = dayRow.extend({
  event_count: count,
  ...visitCounts,
  run_text: z.string().regex(/^\d{1,20}$/),
});

export type SummedDayRow = z.output<typeof summedDayRow>;

/** A day's totals over what a filter keeps. */
export const totalsRow = z.object({
  date,
  visitor_count: count,
  view_count: count,
  event_count: count,
  ...visitCounts,
});

export type TotalsRow = z.output<typeof totalsRow>;

/** The totals of an hour, which begins so many seconds since 1970. */
export const hourRow = z.object({
  hour_start: count,
  visitor_count: count,
  view_count: count,
  ...visitCounts,
});

const someVisitCounts = z.object(visitCounts).partial();
export type VisitRow = z.output<typeof someVisitCounts>;

/** An empty value stands for none. Single hits have no visits. */
export const valueRow = z.object({
  value: text,
  visitor_count: count,
  hit_count: count,
  ...someVisitCounts.shape,
});

/** All visits, and by step those that took it in order, and those that have such a hit. */
export const stepsRow = z.object({ visit_count: count, reached: z.array(count), met: z.array(count) });

export const crawlerRow = z.object({
  value: text,
  request_count: count,
  page_count: count,
  error_count: count,
  last_seen: count,
});

/** A path that people asked for in vain, after a mark; an empty text for the totals. With its first referrers. */
export const notFoundRow = z.object({
  value: text,
  request_count: count,
  visitor_count: count,
  folded_count: count,
  pages: z.array(z.string()),
  page_counts: z.array(count),
});

export const excludedRow = z.object({ bot_count: count, scan_count: count });

export const visitorRow = z.object({ visitor_count: count });
/** A day, counted by hand. */
export const handRow = z.object({ date, view_count: count, visitor_count: count });
export const viewRow = z.object({ view_count: count });
export const existsRow = z.object({ is_there: flag });

/** How many rows a span has, and how many of them meet each condition of a page view. */
export const conditionRow = z.object({
  row_count: count,
  met: z.array(count),
});

export const settingRow = z.object({ name: z.string(), value: z.string() });
export type SettingRow = z.output<typeof settingRow>;

export const engineRow = z.object({ engine: z.string().max(200), definition: z.string().max(20_000) });

export const columnRow = z.object({ name: z.string(), type: z.string() });
