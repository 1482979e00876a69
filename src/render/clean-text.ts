import { escapeInvisible, INVISIBLE } from "../errors.ts";
import type { Column } from "../operations/view.ts";

/** Most texts match, and this check is ten times faster than replacing. */
const PLAIN = /^[\x20-\x7e]*$/;

export const MAX_TEXT_LENGTH = 200;

/**
 * Makes text that a visitor can write (paths, referrers, campaigns, event names) safe for a terminal, a CSV cell or a
 * model: removes invisible characters and caps the length, in code points. Call it only on output; everything inside
 * keeps the raw text.
 */
export function cleanText(text: string, maxLength = MAX_TEXT_LENGTH): string {
  const visible = PLAIN.test(text) ? text : text.replace(INVISIBLE, "");
  if (visible.length <= maxLength) return visible;
  const characters = [...visible.slice(0, 2 * maxLength + 1)];
  return characters.length <= maxLength ? visible : `${characters.slice(0, maxLength - 1).join("")}…`;
}

/** A pattern of files may be long, and there may be several. */
const MAX_SENTENCES_LENGTH = 2_000;

/** The text of a cell: whole sentences in a column that wraps, unless a visitor can write them. */
export const cleanCell = ({ wraps, untrusted }: Column, text: string): string =>
  cleanText(text, wraps && !untrusted ? MAX_SENTENCES_LENGTH : undefined);

/**
 * Puts an apostrophe in front of text that a spreadsheet would run as a formula (OWASP, "CSV Injection"). A spreadsheet
 * opens tab-separated values, too.
 */
export const guardFormula = (kind: Column["kind"], text: string): string =>
  // A word is this program's own, such as the name of an option.
  kind === "word" ? text : text.replace(/^(?=\s*[=+\-@＝＋－＠])/, "'");

/** Formats JSON with every invisible character escaped: nothing is lost, and a terminal shows all of it. */
export function formatJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return PLAIN.test(json) ? json : escapeInvisible(json);
}
