import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import { isOfHit } from "../../measure/definition.ts";
import { columnOf, type VisitDimension } from "../../measure/hit-table.ts";

/** The dimensions that say where a visit came from. */
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
] as const satisfies readonly VisitDimension[];

type OriginDimension = (typeof ORIGIN_DIMENSIONS)[number];
type ProfileDimension = Exclude<VisitDimension, OriginDimension>;

/** The values themselves. */
export type OriginValues = Readonly<Record<OriginDimension, string | null>>;
export type ProfileValues = Readonly<Record<ProfileDimension, string | null>>;

export const isOfOrigin = (dimension: Dimension): dimension is OriginDimension =>
  ORIGIN_DIMENSIONS.some((known) => known === dimension);

/** Those that say what its sender is: all others of whole visits. */
export const PROFILE_DIMENSIONS: readonly ProfileDimension[] = dimensions.filter(
  (dimension): dimension is ProfileDimension => !isOfHit(columnOf(dimension)) && !isOfOrigin(dimension),
);
