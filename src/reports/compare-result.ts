import * as z from "zod";
import { count, siteRef, timestamp } from "../operations/fields.ts";
import { change, changesPerDay, dataStart, window } from "./report-fields.ts";

const bounds = () => z.object({ least: count, most: count });
const changeBounds = () => z.object({ least: z.number(), most: z.number() });

/** The result of a comparison of two periods. */
export const comparisonResult = () =>
  z.object({
    site: siteRef,
    timezone: z.string(),
    as_of: timestamp,
    current: window(),
    previous: window(),
    change: z.object({ visitors: change(), pageviews: change() }),
    ...changesPerDay,
    small_sample: z.boolean(),
    ...dataStart,
    dimensions: z.array(
      z.object({
        dimension: z.string(),
        /** How far each count may be off, because visits arrived between the calls. */
        drift: count,
        cut_off: z.boolean(),
        movers: z.array(
          z.object({
            value: z.string().nullable(),
            label: z.string(),
            current: count.nullable(),
            previous: count.nullable(),
            change: change().nullable(),
            bounds: z.object({ current: bounds(), previous: bounds(), change: changeBounds() }).optional(),
          }),
        ),
        more: z.object({ count, most: count }),
      }),
    ),
  });

export type Comparison = z.output<ReturnType<typeof comparisonResult>>;
