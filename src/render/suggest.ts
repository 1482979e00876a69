import { distance } from "fastest-levenshtein";

/** The one of the known words that is nearest to a mistyped one, where one is near. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.far - b.far);
  return nearest?.candidate;
}

/** "Did you mean …? " where a word is near one that is known, else nothing. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = findNearest(word, known);
  return nearest === undefined ? "" : `Did you mean ${nearest}? `;
}
