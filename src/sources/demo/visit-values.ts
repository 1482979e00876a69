import type { Dimension } from "../../operations/dimensions.ts";
import type { Hit, Visit } from "./visits.ts";

/** The dimensions with one value per hit. */
type HitDimension = "pages" | "events";

export const isHitDimension = (dimension: Dimension): dimension is HitDimension =>
  dimension === "pages" || dimension === "events";

export function pageViews(hits: Hit[]): Hit[] {
  return hits.filter(({ event }) => event === null);
}

/** The dimensions with one value per visit. */
export const valueOfVisit: Record<Exclude<Dimension, HitDimension>, (visit: Visit) => string | null> = {
  entry_pages: ({ hits }) => pageViews(hits).at(0)?.path ?? null,
  exit_pages: ({ hits }) => pageViews(hits).at(-1)?.path ?? null,
  hostnames: ({ hostname }) => hostname,
  referrers: ({ source }) => source.referrer,
  channels: ({ source }) => source.channel,
  utm_sources: ({ source }) => source.utm.source,
  utm_mediums: ({ source }) => source.utm.medium,
  utm_campaigns: ({ source }) => source.utm.campaign,
  utm_terms: ({ source }) => source.utm.term,
  utm_contents: ({ source }) => source.utm.content,
  countries: ({ place }) => place.country,
  regions: ({ place }) => place.region,
  cities: ({ place }) => place.city,
  languages: ({ place }) => place.language,
  devices: ({ technology }) => technology.device,
  browsers: ({ technology }) => technology.browser,
  operating_systems: ({ technology }) => technology.operating_system,
};
