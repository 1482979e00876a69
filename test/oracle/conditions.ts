/**
 * Conditions of a filter, read from their text as docs/contract.md describes it: character by character, and matched with
 * regular expressions. Shares nothing with src/.
 */
export interface Condition {
  /** Starts with `visit:`. */
  ofVisit: boolean;
  dimension: string;
  isNot: boolean;
  alternatives: Alternative[];
}

/** Null is no value; otherwise literal characters, and `any` where any text may stand. */
type Alternative = (string | typeof ANY)[] | null;

const ANY = Symbol("any text");

export function readCondition(text: string): Condition {
  const equals = text.indexOf("=");
  const isNot = text[equals - 1] === "!";
  const name = text.slice(0, isNot ? equals - 1 : equals);
  const ofVisit = name.startsWith("visit:");
  return {
    ofVisit,
    dimension: ofVisit ? name.slice("visit:".length) : name,
    isNot,
    alternatives: readAlternatives(text.slice(equals + 1)),
  };
}

function readAlternatives(text: string): Alternative[] {
  const all: (string | typeof ANY)[][] = [[]];
  const characters = [...text];
  for (let at = 0; at < characters.length; at++) {
    const last = all.at(-1) ?? [];
    const character = characters[at] ?? "";
    if (character === "\\") {
      at++;
      last.push(characters[at] ?? "");
    } else if (character === "|") all.push([]);
    else if (character === "*") {
      if (last.at(-1) !== ANY) last.push(ANY);
    } else last.push(character);
  }
  return all.map((one) => (one.length === 0 ? null : one));
}

/** Creates the test whether a value is one of the alternatives. */
export function createIsAmong({ alternatives }: Condition): (value: string | null) => boolean {
  const patterns = alternatives.flatMap((one) => {
    const parts = one?.map((part) => (part === ANY ? ".*" : toPattern(part)));
    return parts === undefined ? [] : [new RegExp(`^${parts.join("")}$`, "su")];
  });
  const takesNone = alternatives.includes(null);
  return (value) => (value === null ? takesNone : patterns.some((pattern) => pattern.test(value)));
}

const toPattern = (character: string) =>
  [...character].map((each) => `\\u{${each.codePointAt(0)?.toString(16)}}`).join("");

/** The same conditions have the same list, in whatever order and form they are written. */
export const listConditions = (texts: readonly string[]): string[] =>
  [
    ...new Set(
      texts
        .map(readCondition)
        .map(({ alternatives, ...rest }) =>
          JSON.stringify([rest, [...new Set(alternatives.map(describe))].sort()]),
        ),
    ),
  ].sort();

const describe = (one: Alternative) =>
  JSON.stringify(one === null ? null : one.map((part) => (part === ANY ? { any: true } : part)));

/** Each value or pattern that a condition looks for, as a condition of its own; none if it also takes what has no value. */
export function listSought(text: string): string[] {
  const { isNot, alternatives } = readCondition(text);
  if (isNot || alternatives.includes(null)) return [];
  const name = text.slice(0, text.indexOf("="));
  const write = (part: string | typeof ANY) => (part === ANY ? "*" : escapeText(part));
  return alternatives.map((one) => `${name}=${(one ?? []).map(write).join("")}`);
}

/** A text in which no character means anything but itself. */
export const escapeText = (text: string): string =>
  [...text].map((each) => ("|*\\".includes(each) ? `\\${each}` : each)).join("");

/** What a condition leaves out. */
export function complement(text: string): string {
  const at = text.indexOf("=");
  return readCondition(text).isNot
    ? `${text.slice(0, at - 1)}${text.slice(at)}`
    : `${text.slice(0, at)}!${text.slice(at)}`;
}

/** Whether a condition keeps single hits, not whole visits. */
export const keepsHits = (text: string): boolean => /^(pages|hostnames|events)!?=/.test(text);
