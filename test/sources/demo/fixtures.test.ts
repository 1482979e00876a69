import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { crawlers } from "../../../src/sources/crawler-list.ts";

const weight = z.number().min(0);

const source = z.strictObject({
  channel: z.string(),
  referrer: z.string().optional(),
  /** The referrer for people. */
  label: z.string().optional(),
  utm: z
    .strictObject({
      source: z.string().optional(),
      medium: z.string().optional(),
      campaign: z.string().optional(),
      term: z.string().optional(),
      content: z.string().optional(),
    })
    .optional(),
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
  /** How many days before the anchor the site was added; null if nothing was ever recorded. */
  data_since: z.int().nullable(),
  added: z.int(),
  hostnames: z.record(z.string(), weight),
  /** Visitors on an average day at the anchor. */
  visitors: weight,
  /** Share of `visitors` a year earlier. */
  growth_from: weight.optional(),
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
        /** Additional visitors per day, all from one source to one page. */
        extra: z.strictObject({ visitors: weight, source: z.string(), path: z.string() }).optional(),
      }),
    )
    .optional(),
});

const crawler = z.strictObject({
  /** Requests on an average day, to a site of 900 visitors. */
  requests: weight,
  /** Share of them a year earlier. */
  from: weight.optional(),
  errors: z.number().min(0).max(1),
});

const deadLink = z.strictObject({
  path: z.string().startsWith("/"),
  /** People who ask for it on an average day. */
  requests: weight,
  from: z.int().optional(),
  until: z.int().optional(),
  /** Weights by the page that led there; empty if there is none. */
  referrers: z.record(z.string(), weight),
});

const organization = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** SHA-256 of each key, in hexadecimal: the keys themselves are not stored. */
  keys: z.array(z.strictObject({ id: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
  sites: z.array(z.string()),
});

const fixtures = z.strictObject({
  organizations: z.array(organization),
  sites: z.array(siteProfile),
  sources: z.record(z.string(), source),
  places: z.record(z.string(), place),
  technologies: z.record(z.string(), technology),
  crawlers: z.partialRecord(z.enum(crawlers.map(({ value }) => value)), crawler),
  "dead-links": z.record(
    z.string(),
    z.strictObject({
      scanners: z.number().min(0),
      links: z.array(deadLink),
      failing: z.array(deadLink).optional(),
    }),
  ),
});

const read = (name: string) => JSON.parse(readFileSync(`fixtures/${name}.json`, "utf8"));

it("the files match the fixtures' types exactly", () => {
  const sites = ["example", "docs", "shop", "news", "parked", "globex"].map((name) => read(`sites/${name}`));
  const parts = ["organizations", "sources", "places", "technologies", "crawlers", "dead-links"].map(
    (name) => [name, read(name)],
  );
  const all = { ...Object.fromEntries(parts), sites };
  expect(fixtures.parse(all)).toEqual(all);
});
