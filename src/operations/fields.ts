import * as z from "zod";

// Fields and parameters that several operations share, with their descriptions.

export const MAX_DAYS = 365;
/** How many days a series of hours can have. */
export const MAX_HOUR_DAYS = 100;
/** How many it has if a query names none: yesterday and today. */
export const DEFAULT_HOUR_DAYS = 2;

export const count = z.int().min(0);
export const date = z.iso.date();
export const timestamp = z.iso.datetime({ offset: true });

export const siteParam = z.string().min(1).max(253).describe("Site id or domain, such as example.com.");

/** How many days a question is about that names none: whole weeks, so that it has each weekday as often. */
export const DEFAULT_DAYS = 28;

const daysUntilToday = (standard: number) =>
  z
    .int()
    .min(1)
    .max(MAX_DAYS)
    .default(standard)
    .describe(
      "Days in the site's timezone, including today: 1 is today so far, 7 is today and the six days before.",
    );

/** Of the contract, which has a default of its own. */
export const daysParam = daysUntilToday(30);
/** Of what people and assistants ask. */
export const askedDaysParam = daysUntilToday(DEFAULT_DAYS);

/** Any span of days, instead of `days`. */
export const spanParams = () => ({
  from: date
    .optional()
    .describe("First day of the span, in the site's timezone; use it with `to`, instead of `days`."),
  to: date.optional().describe("Last day of the span (included), not in the future."),
});

/** Conditions that choose what is counted. */
export const filterParams = () => ({
  filter: z
    .array(z.string().min(1))
    .max(10)
    .optional()
    .describe(
      "Count only what meets this condition, such as countries=DE, pages=/blog/* or visit:pages!=/pricing. Repeatable: all must hold.",
    ),
});

/** What an answer says about its filter. */
export const filterEcho = () => ({
  filter: z
    .array(z.string())
    .optional()
    .describe("The conditions in their canonical form; absent if everything is counted."),
});

/** The visits of an answer, if the service knows them. All add up over days. */
export const visitCounts = () => ({
  visits: count.optional().describe("Visits; under conditions on hits, those with such a hit."),
  bounces: count.optional().describe("Visits with exactly one hit."),
  visit_seconds: count
    .optional()
    .describe("Sum over the visits of the time from the first hit to the last, in seconds."),
});

export const siteRef = z
  .object({
    id: z.string().describe("Stable identifier of the site."),
    domain: z.string().describe("Domain of the site, without scheme and www."),
  })
  .describe("The site of this answer.");
