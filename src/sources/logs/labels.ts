import type { Dimension } from "../../operations/dimensions.ts";
import { nameReferrer } from "./referrers.ts";

let countries: Intl.DisplayNames | undefined;
let languages: Intl.DisplayNames | undefined;

/** The name of a value, for people. */
export function nameValue(dimension: Dimension, value: string | null): string {
  if (value === null) return NAMES_OF_NONE[dimension] ?? "(none)";
  if (dimension === "referrers") return nameReferrer(value);
  if (dimension === "countries") {
    countries ??= new Intl.DisplayNames("en", { type: "region" });
    return countries.of(value) ?? value;
  }
  if (dimension === "languages") {
    languages ??= new Intl.DisplayNames("en", { type: "language" });
    return languages.of(value) ?? value;
  }
  return value;
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
