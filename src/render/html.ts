import { cleanText } from "./clean-text.ts";

/** A symbol, because an object sent as JSON cannot have one and so cannot pass for markup. */
const MARKUP = Symbol("markup");

/** Markup that is printed unchanged. */
export interface Html {
  readonly [MARKUP]: string;
}

type Part = string | Html | readonly Html[] | undefined;

/** A template that escapes every text, for content and for quoted attributes. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  trustMarkup(String.raw({ raw: strings }, ...parts.map(print)));

/** For this program's own constants only. */
export const trustMarkup = (markup: string): Html => ({ [MARKUP]: markup });

export const printHtml = (markup: Html): string => markup[MARKUP];

/** Escaped text cannot end the text around it, hide in it, or change its direction. */
const escapeHtml = (text: string): string =>
  cleanText(text.replace(/\s+/g, " "), Number.POSITIVE_INFINITY).replace(
    /[&<>"']/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );

function print(part: Part): string {
  if (part === undefined) return "";
  if (typeof part === "string") return escapeHtml(part);
  return "map" in part ? part.map(printHtml).join("") : printHtml(part);
}
