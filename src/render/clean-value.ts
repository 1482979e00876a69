import { cleanRows } from "./clean-rows.ts";
import { cleanText, MAX_TEXT_LENGTH } from "./clean-text.ts";

/**
 * Cleans every string in a value, and the names of its members; rows of a list stay different. The casts hold because the
 * shape stays the same.
 *
 * @param maxNameLength For the names of rows.
 */
export function cleanValue<T>(value: T, maxLength = MAX_TEXT_LENGTH, maxNameLength = maxLength): T {
  if (typeof value === "string") return cleanText(value, maxLength) as T;
  if (typeof value !== "object" || value === null) return value;
  const clean = (each: unknown) => cleanValue(each, maxLength, maxNameLength);
  if (Array.isArray(value)) {
    const isRows = value.every((each) => typeof each === "object" && each !== null && !Array.isArray(each));
    return (isRows ? cleanRows(value, maxNameLength) : value).map(clean) as T;
  }
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [cleanText(key, maxLength), clean(each)])) as T;
}
