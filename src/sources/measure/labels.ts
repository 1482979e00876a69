import type { Dimension } from "../../operations/dimensions.ts";

/** What people read where there is no value. */
export const nameNone = (dimension: Dimension): string => NAMES[dimension] ?? "(none)";

/** The dimensions in which null does not just mean "none". */
const NAMES: Partial<Record<Dimension, string>> = {
  referrers: "(direct or none)",
  countries: "(unknown)",
  regions: "(unknown)",
  cities: "(unknown)",
  languages: "(unknown)",
  browsers: "(unknown)",
  operating_systems: "(unknown)",
};
