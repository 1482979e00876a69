import { distance } from "fastest-levenshtein";
import { quoteIfNeeded } from "./errors.ts";

/** The time to compare grows with the product of both lengths, and a model may send a word of any length. */
const MAX_LENGTH = 253;
/** Fewer letters are in any name. */
const MIN_PART = 3;

/** The known word nearest to a mistyped one, if at most a third of its letters differ, or two have changed places. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const [nearest] = known
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(
      ({ candidate, far }) =>
        far <= Math.max(1, Math.floor(candidate.length / 3)) ||
        (far === 2 && hasSameLetters(word, candidate)),
    )
    .sort((a, b) => a.far - b.far);
  return nearest?.candidate;
}

const hasSameLetters = (one: string, other: string) => sortLetters(one) === sortLetters(other);
const sortLetters = (word: string) => [...word.toLowerCase()].sort().join("");

/** "Did you mean …? " if a known word is near, otherwise an empty text. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = findNearest(word, known);
  return nearest === undefined ? "" : `Did you mean ${quoteIfNeeded(nearest)}? `;
}

/** The same for a site, which people also know by a part of its name. */
export function suggestSite(word: string, domains: readonly string[]): string {
  const [named, ...others] =
    word.length < MIN_PART ? [] : domains.filter((domain) => domain.includes(word.toLowerCase()));
  return (
    suggest(word, domains) || (named && others.length === 0 ? `Did you mean ${quoteIfNeeded(named)}? ` : "")
  );
}
