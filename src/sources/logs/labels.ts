import type { Dimension } from "../../operations/dimensions.ts";
import { createCodeNames } from "../code-names.ts";
import { nameReferrer } from "./counting/referrers.ts";

const nameCode = createCodeNames();

/** The name of a value, for people. */
export function nameValue(dimension: Dimension, value: string | null): string {
  if (value === null) return NAMES_OF_NONE[dimension] ?? "(none)";
  if (dimension === "referrers") return nameReferrer(value);
  return nameCode(dimension, value) ?? value;
}

/** The dimensions in which null does not just mean "none". */
const NAMES_OF_NONE: Partial<Record<Dimension, string>> = {
  referrers: "(direct or none)",
  countries: "(unknown)",
  regions: "(unknown)",
  cities: "(unknown)",
  languages: "(unknown)",
  browsers: "(unknown)",
  operating_systems: "(unknown)",
};
