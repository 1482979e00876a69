import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import type { SiteLog } from "./site-log.ts";

/** What each dimension is read from. Every line has an address and a request, but only a database knows the place of an address. */
const SOURCES: Readonly<Record<Dimension, keyof SiteLog["fields"] | "place" | "request">> = {
  pages: "request",
  entry_pages: "request",
  exit_pages: "request",
  hostnames: "host",
  referrers: "referrer",
  channels: "referrer",
  utm_sources: "request",
  utm_mediums: "request",
  utm_campaigns: "request",
  utm_terms: "request",
  utm_contents: "request",
  countries: "place",
  regions: "place",
  cities: "place",
  languages: "language",
  devices: "agent",
  browsers: "agent",
  operating_systems: "agent",
  events: "request",
};

/** The dimensions that most page views record. An answer about the others would be nulls that look like a result. */
export const listRecorded = ({ fields, places }: SiteLog): Dimension[] =>
  dimensions.filter((dimension) => {
    const source = SOURCES[dimension];
    if (source === "request") return true;
    if (source === "place") return places.has(dimension);
    return fields[source].present > fields[source].absent;
  });

/** Whether a dimension is about places, which logs do not have. */
export const isOfPlace = (dimension: Dimension): boolean => SOURCES[dimension] === "place";

/** The dimensions that are not recorded. */
export function listUnrecorded(log: SiteLog): Dimension[] {
  const recorded = new Set(listRecorded(log));
  return dimensions.filter((dimension) => !recorded.has(dimension));
}
