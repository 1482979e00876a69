import type { Dimension } from "../operations/dimensions.ts";
import { createCodeNames } from "./code-names.ts";
import { nameNone } from "./measure/labels.ts";
import { nameReferrer } from "./referrers.ts";

const nameCode = createCodeNames();

/** The name of a value, for people. */
export function nameValue(dimension: Dimension, value: string | null): string {
  if (value === null) return nameNone(dimension);
  if (dimension === "referrers") return nameReferrer(value);
  return nameCode(dimension, value) ?? value;
}
