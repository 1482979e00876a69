import type { Dimension } from "../operations/dimensions.ts";
import { createCodeNames } from "./code-names.ts";
import { nameReferrer } from "./referrers.ts";

const nameCode = createCodeNames();

/** The name of a value, for people. */
export function nameValue(dimension: Dimension, value: string | null): string {
  if (value === null) return nameNone(dimension);
  if (dimension === "referrers") return nameReferrer(value);
  return nameCode(dimension, value) ?? value;
}

export const NONE = "(none)";

/** What people read where there is no value. */
export const nameNone = (dimension: Dimension): string => NONES[dimension] ?? NONE;

/** The dimensions in which null does not just mean "none". */
const NONES: Partial<Record<Dimension, string>> = {
  referrers: "(direct or none)",
  countries: "(unknown)",
  regions: "(unknown)",
  cities: "(unknown)",
  languages: "(unknown)",
  browsers: "(unknown)",
  operating_systems: "(unknown)",
};

/** A name in a form that is the same for what people take for the same: letters of any case, with or without `www.`. */
export const foldName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/^www\./, "");

/** Whether people would not find a value by its label. */
export const hasOtherName = (value: string, label: string): boolean => foldName(value) !== foldName(label);
