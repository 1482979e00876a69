import { createHash } from "node:crypto";
import list from "./words.json" with { type: "json" };

/**
 * The words of `words.json`: what public analytics APIs call what they answer, each with the APIs that use it (`composed`: a name
 * of the same kind that is in none of them). The reader of services may not import them: it knows words of its own.
 */
export type Concept = keyof typeof list;

/** A third of the words, chosen by the hash of their parts: services that are generated in each run do not use them. */
export const isHeldBack = (word: string): boolean =>
  (createHash("sha256").update(word).digest()[0] ?? 0) % 3 === 0;

/** `HELD_OUT=1` uses all words. */
const HELD_OUT = process.env.HELD_OUT !== undefined;

/** The words of a concept, each as its parts: `screenPageViews` is `screen page views`. */
export function listWords(concept: Concept, all = HELD_OUT): string[] {
  const words = [...new Set(Object.keys(list[concept]).map(splitWord))];
  const used = all ? words : words.filter((word) => !isHeldBack(word));
  // A concept of few words may have lost all of them.
  return used.length === 0 ? words.slice(0, 1) : used;
}

export const listApis = (): string[] =>
  [...new Set(Object.values(list).flatMap((words) => Object.values(words).flat()))].filter(
    (api) => api !== "composed",
  );

export const concepts = Object.keys(list) as Concept[];

export function splitWord(word: string): string {
  const parts = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [word];
  return parts.join(" ").toLowerCase();
}

export const spellings = ["snake", "camel", "pascal", "kebab", "spaces", "title", "upper"] as const;
export type Spelling = (typeof spellings)[number];

/** Writes the parts of a word as a service spells all of its names. */
export function spell(words: string, spelling: Spelling): string {
  const parts = words.split(" ");
  const capital = (part: string) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`;
  switch (spelling) {
    case "snake":
      return parts.join("_");
    case "camel":
      return parts.map((part, index) => (index === 0 ? part : capital(part))).join("");
    case "pascal":
      return parts.map(capital).join("");
    case "kebab":
      return parts.join("-");
    case "spaces":
      return parts.join(" ");
    case "title":
      return parts.map(capital).join(" ");
    case "upper":
      return parts.join("_").toUpperCase();
    default:
      return words;
  }
}
