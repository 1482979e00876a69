import type { VisitDimension } from "../measure/hit-table.ts";
import type { Visit } from "./visits.ts";

export const valueOfVisit: Record<VisitDimension, (visit: Visit) => string | null> = {
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
