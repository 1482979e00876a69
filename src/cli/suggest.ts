import { distance } from "fastest-levenshtein";

/** "Did you mean …? " where a word is near one that is known, else nothing. */
export function suggest(word: string, known: readonly string[]): string {
  const [nearest] = known
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.far - b.far);
  return nearest ? `Did you mean ${nearest.candidate}? ` : "";
}
