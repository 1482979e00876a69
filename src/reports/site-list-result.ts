import * as z from "zod";
import { count, date } from "../operations/fields.ts";
import { sites } from "../operations/index.ts";
import { warnings } from "../operations/warning.ts";
import { comparedTotals } from "./compared-totals.ts";

/** What a site has beside its name if the query names a period; absent if the site was not counted. */
const numbers = () => ({
  visitors: count.optional(),
  pageviews: count.optional(),
  /** The complete days of the period; today so far if it has none. */
  period: z.object({ from: date, to: date, days: count, partial: z.boolean() }).optional(),
  /** Null if there is nothing before to compare with. */
  comparison: comparedTotals().nullable().optional(),
  warnings,
});

/** The result of a list of sites. */
export const siteListResult = () => {
  const { as_of, sites: list } = sites.answer.shape;
  return z.object({ as_of, sites: z.array(list.element.extend(numbers())), warnings });
};

export type SiteList = z.output<ReturnType<typeof siteListResult>>;
