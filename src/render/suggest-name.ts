import type { ParameterError } from "../errors.ts";
import { listOtherNames } from "../operations/dimension-names.ts";
import { suggest } from "../suggest.ts";

/** "Did you mean …? " for the name that a refused condition of a filter quotes. */
export function suggestName({ detail, allowed = [] }: ParameterError): string {
  const [, name] = /^names no [^:]*: "([^"]*)"/.exec(detail) ?? [];
  return name === undefined ? "" : suggest(name, [...allowed, ...listOtherNames(allowed)]);
}
