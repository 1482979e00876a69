import { z } from "zod";

/**
 * What the fixtures say. Days are counted from the dataset's anchor, the Monday of the week in which the
 * server started: -13 is the Tuesday of the week before last.
 */
const weight = z.number().min(0);

const source = z.strictObject({
  channel: z.string(),
  referrer: z.string().nullable().default(null),
  /** The referrer for people. */
  label: z.string().optional(),
  utm: z
    .strictObject({
      source: z.string().nullable().default(null),
      medium: z.string().nullable().default(null),
      campaign: z.string().nullable().default(null),
      term: z.string().nullable().default(null),
      content: z.string().nullable().default(null),
    })
    .prefault({}),
});

const place = z.strictObject({
  country: z.string().length(2).nullable(),
  region: z.string().nullable(),
  region_label: z.string().optional(),
  /** GeoNames id. */
  city: z.string().nullable(),
  city_label: z.string().optional(),
  language: z.string().nullable(),
});

const technology = z.strictObject({ device: z.string(), browser: z.string(), operating_system: z.string() });

const siteProfile = z.strictObject({
  id: z.string().regex(/^site_[0-9a-z]+$/),
  domain: z.string(),
  name: z.string(),
  timezone: z.string(),
  /** Days before the anchor on which the site was added; null where nothing was ever recorded. */
  data_since: z.int().nullable(),
  added: z.int(),
  hostnames: z.record(z.string(), weight),
  /** Visitors on an average day at the anchor. */
  visitors: weight,
  /** Share of `visitors` a year earlier. */
  growth_from: weight.default(1),
  /** Monday to Sunday, 1 is average. */
  weekdays: z.array(weight).length(7),
  /** By hour of the site's day. */
  hours: z.array(weight).length(24),
  pages_per_visit: z.number().min(1),
  pages: z.array(
    z.strictObject({
      path: z.string().startsWith("/"),
      entry: weight,
      view: weight,
      /** First and last day on which the page exists. */
      from: z.int().optional(),
      until: z.int().optional(),
    }),
  ),
  /** Weight at the anchor, or that and the share of it a year earlier. */
  sources: z.record(z.string(), z.union([weight, z.strictObject({ weight, from: weight })])),
  places: z.record(z.string(), weight),
  technologies: z.record(z.string(), weight),
  /** Chance that a visit raises the event. */
  events: z.record(z.string(), z.number().min(0).max(1)),
  story: z
    .array(
      z.strictObject({
        name: z.string(),
        from: z.int(),
        days: z.int().min(1),
        /** The day's visitors are multiplied by this. */
        factor: weight.optional(),
        /** Visitors more a day, all from one source and to one page. */
        extra: z.strictObject({ visitors: weight, source: z.string(), path: z.string() }).optional(),
      }),
    )
    .default([]),
});

const organization = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** SHA-256 of each key, in hexadecimal: the keys themselves are kept nowhere. */
  keys: z.array(z.strictObject({ id: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
  sites: z.array(z.string()),
});

export const fixtures = z.strictObject({
  organizations: z.array(organization),
  sites: z.array(siteProfile),
  sources: z.record(z.string(), source),
  places: z.record(z.string(), place),
  technologies: z.record(z.string(), technology),
});

export type Fixtures = z.output<typeof fixtures>;
export type SiteProfile = z.output<typeof siteProfile>;
export type Source = z.output<typeof source>;
export type Place = z.output<typeof place>;
export type Technology = z.output<typeof technology>;
