import * as z from "zod";

/** What Umami answers, as far as it is read. A sum is a number or its digits, which depends on the database. */
const count = z
  .union([z.int(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .pipe(z.int().nonnegative());

/** Milliseconds since 1970. ClickHouse writes times of UTC without saying so. */
const instant = z
  .string()
  .transform((text) => Date.parse(/^[\d-]{10} [\d:.]+$/.test(text) ? `${text.replace(" ", "T")}Z` : text))
  .refine((time) => !Number.isNaN(time), "is not a time");

export const websites = z.object({
  data: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      domain: z.string().nullish(),
      createdAt: instant,
      resetAt: instant.nullish(),
    }),
  ),
  count,
});

export type Website = z.output<typeof websites>["data"][number];

export const teams = z.object({ data: z.array(z.object({ id: z.uuid() })), count });

/** Without data it is null, or 1970 in ClickHouse. */
export const dateRange = z.object({
  startDate: instant.nullable().transform((time) => (time === null || time <= 0 ? null : time)),
});

/** By day or hour: `2026-11-20 00:00:00` in the timezone that was asked for. */
const time = z.string().regex(/^\d{4}-\d\d-\d\d[ T]\d\d:00:00/);

export const pageviews = z.object({
  pageviews: z.array(z.object({ x: time, y: count })),
  sessions: z.array(z.object({ x: time, y: count })),
});

export const eventSeries = z.array(z.object({ t: time, y: count }));

export const stats = z.object({ visitors: count, pageviews: count });

/** The rows of a dimension. Cities and regions have their country. */
export const expanded = z.array(
  z.object({
    name: z.string(),
    country: z.string().nullish(),
    pageviews: count,
    visitors: count,
  }),
);

export type ExpandedRow = z.output<typeof expanded>[number];

export const active = z.object({ visitors: count });

/** Of all hits, page views and events. */
export const sessionStats = z.object({ visitors: z.object({ value: count }) });

export const me = z.object({ user: z.object({ id: z.string() }) });
