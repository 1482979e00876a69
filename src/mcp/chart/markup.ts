import type { Part } from "./elements.ts";

/** Elements of HTML and SVG that have no content. In SVG, they end themselves. */
const VOID = new Set(["br", "col", "input", "link", "meta"]);

/** Drawn elements as markup, with every text escaped. */
export function printMarkup(part: Part): string {
  if (typeof part === "string") return escapeMarkup(part);
  const { tag, attributes, children } = part;
  const named = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escapeMarkup(String(value))}"`,
  );
  const start = `<${tag}${named.join("")}>`;
  return VOID.has(tag) ? start : `${start}${children.map(printMarkup).join("")}</${tag}>`;
}

export const escapeMarkup = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
