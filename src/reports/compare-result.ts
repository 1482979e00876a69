import * as z from "zod";
import { count, filterEcho, siteRef, timestamp } from "../operations/fields.ts";
import { missingLists } from "./missing-lists.ts";
import { change, coverage, perDay, totalsChange, totalsPerDay, window } from "./report-fields.ts";

const bounds = () => z.object({ least: count, most: count });
const changeBounds = () => z.object({ least: z.int(), most: z.int() });
const rateBounds = () => z.object({ least: z.number(), most: z.number() });

/** The result of a comparison of two periods. */
export const comparisonResult = () =>
  z.object({
    site: siteRef,
    ...filterEcho(),
    timezone: z.string().optional(),
    as_of: timestamp,
    current: window(),
    previous: window(),
    change: z.object(totalsChange()),
    ...totalsPerDay,
    small_sample: z.boolean(),
    /** Where a service with an API of its own means something else than the contract. */
    near: z.array(z.string()).optional(),
    missing: missingLists(),
    ...coverage,
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
            per_day: perDay().optional(),
            bounds: z
              .object({
                current: bounds(),
                previous: bounds(),
                change: changeBounds().optional(),
                per_day: z
                  .object({ current: rateBounds(), previous: rateBounds(), change: rateBounds() })
                  .optional(),
              })
              .optional(),
          }),
        ),
        /** How many others may have changed, and by how many visitors at most: in all, or per day. */
        more: z.object({ count, most: count.optional(), most_per_day: z.number().optional() }),
      }),
    ),
  });

export type Comparison = z.output<ReturnType<typeof comparisonResult>>;
