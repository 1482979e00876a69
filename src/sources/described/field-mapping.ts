import * as z from "zod";
import { dimensions } from "../../operations/dimensions.ts";
import { once } from "../../operations/schemas.ts";
import { isPointer } from "./json-pointer.ts";

/*
 * What is known about a service's answers, as plain data: where each field is, as JSON Pointers (RFC 6901). In a table, `list`
 * points to the table and the others into one of its rows. The person's own file has the same form and needs only what has to
 * be chosen; a field that is null there is none that the service has.
 */

const pointer = () =>
  z
    .string()
    .max(500)
    .refine(isPointer, 'must be a JSON Pointer, such as "/data/visitors"')
    .nullable()
    .optional();

/** No answer does without this one. */
const needed = () => pointer().refine((place) => place !== null, "cannot be null: it is always needed");

const MAX_NAME_LENGTH = 100;

const rowFields = () =>
  z.strictObject({
    list: needed(),
    value: needed(),
    label: pointer(),
    visitors: pointer(),
    pageviews: pointer(),
    events: pointer(),
    count: pointer(),
    total_rows: pointer(),
  });

export const fieldMapping = once(() =>
  z
    .strictObject({
      /** What requests send as `site`. */
      site: z.enum(["id", "domain", "name"]),
      /** What the service calls a dimension. */
      dimensions: z.partialRecord(z.enum(dimensions), z.string().min(1).max(MAX_NAME_LENGTH)),
      sites: z.strictObject({
        list: needed(),
        id: pointer(),
        domain: pointer(),
        name: pointer(),
        timezone: pointer(),
        created_at: pointer(),
      }),
      stats: z.strictObject({ visitors: needed(), pageviews: needed(), events: pointer() }),
      timeseries: z.strictObject({
        list: needed(),
        date: needed(),
        visitors: needed(),
        pageviews: needed(),
      }),
      breakdown: rowFields(),
      /** What is elsewhere in the rows of a dimension. */
      breakdowns: z.partialRecord(z.enum(dimensions), rowFields()),
      realtime: z.strictObject({ visitors: pointer() }),
    })
    .partial(),
);

export type FieldMapping = z.output<ReturnType<typeof fieldMapping>>;

/** Where a field was found, and by what. */
export interface Found {
  pointer: string;
  by: "mapping" | "name" | "description" | "shape";
}

/** Where the fields of one operation's answer are; a field that is not there is absent. */
export type Reading = Record<string, Found>;

export const keepFound = (fields: Record<string, Found | undefined | null>): Reading =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, found]) => (found ? [[name, found]] : [])));

/** What was learned about a service. */
export const learned = once(() =>
  z.strictObject({
    site: z.enum(["id", "domain", "name"]).optional(),
    dimensions: z.partialRecord(z.enum(dimensions), z.string()),
    sites: z.array(
      z.strictObject({
        id: z.string(),
        domain: z.string(),
        name: z.string(),
        timezone: z.string().optional(),
        created_at: z.string().optional(),
      }),
    ),
    /** What a site's totals name where the list of sites has no timezone, by the site's id; null if they name none. */
    timezones: z.record(z.string(), z.string().nullable()),
    /** By the name of the operation; of a breakdown, with its dimension. */
    readings: z.record(
      z.string(),
      z.record(
        z.string(),
        z.strictObject({ pointer: z.string(), by: z.enum(["mapping", "name", "description", "shape"]) }),
      ),
    ),
    /** What the description says about parameters, by path and name. */
    parameters: z.record(
      z.string(),
      z.record(
        z.string(),
        z.strictObject({
          allowed: z.array(z.union([z.string(), z.number()])).optional(),
          minimum: z.number().optional(),
          maximum: z.number().optional(),
          isRequired: z.literal(true).optional(),
          text: z.string(),
        }),
      ),
    ),
    /** What it says about fields, by path and pointer. */
    texts: z.record(z.string(), z.record(z.string(), z.string())),
    /** The parameters that it lists for the list of sites. */
    paging: z.array(z.string()),
    /** Whether there is a description. */
    isDescribed: z.boolean(),
  }),
);

export type Learned = z.output<ReturnType<typeof learned>>;
export type ServiceSite = Learned["sites"][number];
