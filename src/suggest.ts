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

/** The same for a site. Labels that two sites have in common do not count: beta.example is no slip of acme.example. */
export function findNearestSite(site: string, domains: readonly string[]): string | undefined {
  if (site.length > MAX_LENGTH) return undefined;
  const near = domains.filter((domain) => {
    const [one, other] = listDifferent(site.toLowerCase().split("."), domain.toLowerCase().split("."));
    const far = distance(one, other);
    return (
      far <= Math.floor(Math.max(one.length, other.length) / 3) || (far === 2 && hasSameLetters(one, other))
    );
  });
  return findNearest(site, near);
}

const listDifferent = (one: readonly string[], other: readonly string[]): [string, string] => [
  one.filter((label) => !other.includes(label)).join("."),
  other.filter((label) => !one.includes(label)).join("."),
];

/** "Did you mean …? " if a known word is near, otherwise an empty text. */
export function suggest(word: string, known: readonly string[]): string {
  return ask(findNearest(word, known));
}

const ask = (meant: string | undefined) =>
  meant === undefined ? "" : `Did you mean ${quoteIfNeeded(meant)}? `;

/** The same for a site, which people also know by a part of its name, or by all of it before the ending: example of example.com. */
export function suggestSite(word: string, domains: readonly string[]): string {
  const part = word.toLowerCase();
  const [begun, ...alsoBegun] = domains.filter((domain) => domain.toLowerCase().startsWith(`${part}.`));
  const [named, ...alsoNamed] =
    part.length < MIN_PART ? [] : domains.filter((domain) => isPart(part, domain));
  return ask(
    findNearestSite(word, domains) ??
      (alsoBegun.length === 0 ? begun : undefined) ??
      (alsoNamed.length === 0 ? named : undefined),
  );
}

/** Whether a text is in a domain, and not in its ending alone, which others have too. */
function isPart(text: string, domain: string): boolean {
  const at = domain.toLowerCase().indexOf(text);
  const ending = domain.lastIndexOf(".");
  return at >= 0 && (ending < 0 || at < ending);
}
