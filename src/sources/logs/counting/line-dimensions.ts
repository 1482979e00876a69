import type { Dimension } from "../../../operations/dimensions.ts";

/** The dimensions that say where a visit came from, and what its sender is. */
export const ORIGIN_DIMENSIONS = [
  "hostnames",
  "referrers",
  "channels",
  "utm_sources",
  "utm_mediums",
  "utm_campaigns",
  "utm_terms",
  "utm_contents",
  "languages",
] as const satisfies readonly Dimension[];
export const PROFILE_DIMENSIONS = [
  "countries",
  "regions",
  "cities",
  "devices",
  "browsers",
  "operating_systems",
] as const satisfies readonly Dimension[];

/** The values themselves. */
export type OriginValues = Readonly<Record<(typeof ORIGIN_DIMENSIONS)[number], string | null>>;
export type ProfileValues = Readonly<Record<(typeof PROFILE_DIMENSIONS)[number], string | null>>;

export const isOfOrigin = (
  dimension: keyof OriginValues | keyof ProfileValues,
): dimension is keyof OriginValues => (ORIGIN_DIMENSIONS as readonly string[]).includes(dimension);
