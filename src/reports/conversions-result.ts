import * as z from "zod";
import { count, filterEcho, siteRef } from "../operations/fields.ts";
import { answerPeriod } from "../operations/period.ts";
import { listExtent } from "../operations/ranked-list.ts";
import { warnings } from "../operations/warning.ts";

const range = () => z.object({ least: z.number(), most: z.number() });

const conversion = () => ({
  visitors: count.nullable(),
  converted: count.nullable(),
  conversion_rate: z.number().nullable(),
  bounds: z.object({ visitors: range(), converted: range(), conversion_rate: range() }).optional(),
});

/** The result of `conversions`; without `by`, it has no rows. */
export const conversionsResult = () =>
  z.object({
    site: siteRef,
    period: answerPeriod,
    ...filterEcho(),
    goal: z.string(),
    by: z.string().optional(),
    ...conversion(),
    small_sample: z.boolean(),
    rows: z
      .array(
        z.object({
          value: z.string().nullable(),
          label: z.string(),
          other: z.literal(true).optional(),
          ...conversion(),
        }),
      )
      .optional(),
    limit: listExtent.limit.optional(),
    total_rows: listExtent.total_rows.optional(),
    truncated: listExtent.truncated.optional(),
    warnings,
  });

export type Conversions = z.output<ReturnType<typeof conversionsResult>>;
