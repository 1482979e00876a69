import { cleanText } from "../../render/clean-text.ts";

/** A symbol, so that no object that somebody sends as JSON passes for markup. */
const MARKUP = Symbol("markup");

/** Markup that may be printed as it is. */
export interface Html {
  readonly [MARKUP]: string;
}

type Part = string | Html | readonly Html[] | undefined;

/** A template whose every text is escaped, for content and for attributes in quotation marks. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return trustMarkup(String.raw({ raw: strings }, ...parts.map(print)));
}

/** For constants of this program alone. */
export function trustMarkup(markup: string): Html {
  return { [MARKUP]: markup };
}

export function printHtml(markup: Html): string {
  return markup[MARKUP];
}

/** Whatever is printed neither ends the text that it stands in, nor hides in it, nor turns its direction. */
function escapeHtml(text: string): string {
  return cleanText(text.replace(/\s+/g, " "), Number.POSITIVE_INFINITY).replace(
    /[&<>"']/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}

function print(part: Part): string {
  if (part === undefined) return "";
  if (typeof part === "string") return escapeHtml(part);
  return "map" in part ? part.map(printHtml).join("") : printHtml(part);
}
