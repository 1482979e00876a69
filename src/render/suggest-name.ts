import type { ParameterError } from "../errors.ts";
import { listOtherNames } from "../operations/dimension-names.ts";
import { suggest } from "../suggest.ts";

/** "Did you mean …? " for a name that is near a list, by any of the list's names. Other words than lists have one name. */
export const suggestDimension = (word: string, among: readonly string[]): string =>
  suggest(word, [...among, ...listOtherNames(among)]);

/** "Did you mean …? " for the name that a refused condition of a filter quotes. */
export function suggestName({ detail, allowed = [] }: ParameterError): string {
  const [, name] = /^names no [^:]*: "([^"]*)"/.exec(detail) ?? [];
  return name === undefined ? "" : suggestDimension(name, allowed);
}

/** "Did you mean …? " for a value that is none of those that a refusal lists. */
export function suggestListed({ detail, allowed }: ParameterError, value: string): string {
  const [, list = ""] = /^must be (?:one of )?(.*)$/s.exec(detail.slice(0, MAX_LENGTH)) ?? [];
  // A single status, where the choice is of their classes: 500.
  const word = value.replace(/^([1-5])\d\d$/, "$1xx");
  const among = allowed ?? list.split(/, | or /).filter((word) => /^\w+$/.test(word));
  // Whoever ranks visits by pages means those where they begin or end.
  const longer = among.filter((name) => name.endsWith(`_${word}`));
  return suggestDimension(word, among) || (longer.length > 0 ? `Did you mean ${longer.join(" or ")}? ` : "");
}

const MAX_LENGTH = 2_000;
