import * as z from "zod";

// Fields and parameters that several operations share, with their descriptions.

export const MAX_DAYS = 365;

export const count = z.int().min(0);
export const date = z.iso.date();
export const timestamp = z.iso.datetime({ offset: true });

export const siteParam = z.string().min(1).max(253).describe("Site id or domain, such as example.com.");

export const daysParam = z
  .int()
  .min(1)
  .max(MAX_DAYS)
  .default(30)
  .describe(
    "Days in the site's timezone, including today: 1 is today so far, 7 is today and the six days before.",
  );

/** Any span of days, instead of `days`. */
export const spanParams = () => ({
  from: date
    .optional()
    .describe("First day of the span, in the site's timezone; use it with `to`, instead of `days`."),
  to: date.optional().describe("Last day of the span (included), not in the future."),
});

export const siteRef = z
  .object({
    id: z.string().describe("Stable identifier of the site."),
    domain: z.string().describe("Domain of the site, without scheme and www."),
  })
  .describe("The site of this answer.");
