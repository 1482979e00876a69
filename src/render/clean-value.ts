import { cleanRows } from "./clean-rows.ts";
import { cleanText, MAX_TEXT_LENGTH } from "./clean-text.ts";

/**
 * Cleans every string in a value, and the names of its members; the rows of a list keep different names. The casts hold
 * because the shape stays the same.
 *
 * @param maxNameLength Maximum length of the names of rows.
 */
export function cleanValue<T>(value: T, maxLength = MAX_TEXT_LENGTH, maxNameLength = maxLength): T {
  if (typeof value === "string") return cleanText(value, maxLength) as T;
  if (typeof value !== "object" || value === null) return value;
  const clean = (part: unknown) => cleanValue(part, maxLength, maxNameLength);
  if (Array.isArray(value)) {
    const isRows = value.every((item) => typeof item === "object" && item !== null && !Array.isArray(item));
    return (isRows ? cleanRows(value, maxNameLength) : value).map(clean) as T;
  }
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, member]) => [cleanText(name, maxLength), clean(member)]),
  ) as T;
}
