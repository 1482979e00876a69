import { cleanText } from "../../render/clean.ts";

const MAX_NAME_LENGTH = 60;
const MAX_ADDRESS_LENGTH = 260;

/** The braille blank is a symbol by its category, and white space to the eye. */
const BLANKS = /[\s\u2800]+/g;
/** Marks without end on one letter are drawn across the lines above and below. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Words that an application chose for itself, in one line; nothing where there is nothing to see. */
export function cleanWords(text: string | undefined, maxLength = MAX_NAME_LENGTH): string | undefined {
  if (text === undefined) return undefined;
  const visible = cleanText(text.replace(BLANKS, " "), Number.POSITIVE_INFINITY).normalize("NFC");
  const words = cleanText(visible.replace(PILED_MARKS, "$1").trim(), maxLength);
  return SEEN.test(words) ? words : undefined;
}

/**
 * A host, a port or a scheme as a URL parser gives it, which is visible ASCII; whatever is not shows as a
 * replacement character. The end of a host says whose it is, so what is too long loses its beginning.
 */
export function cleanAddress(address: string): string {
  const plain = address.replace(/[^\x21-\x7e]/gu, "\ufffd");
  return plain.length <= MAX_ADDRESS_LENGTH ? plain : `…${plain.slice(1 - MAX_ADDRESS_LENGTH)}`;
}

/** The host of a web page that an application names; nothing for any other kind of address. */
export function readWebHost(uri: string | undefined): string | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined;
  const { protocol, host } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? cleanAddress(host) : undefined;
}
