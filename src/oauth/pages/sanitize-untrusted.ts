import { cleanText } from "../../render/clean-text.ts";

const MAX_NAME_LENGTH = 60;
const MAX_ADDRESS_LENGTH = 260;

/** White space, and the braille blank: Unicode calls it a symbol, but it looks like a space. */
const BLANKS = /[\s\u2800]+/g;
/** Many marks on one letter are drawn across the lines above and below it. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Text that an application chose for itself, on one line; undefined if nothing in it is visible. */
export function cleanWords(text: string | undefined, maxLength = MAX_NAME_LENGTH): string | undefined {
  if (text === undefined) return undefined;
  const visible = cleanText(text.replace(BLANKS, " "), Number.POSITIVE_INFINITY).normalize("NFC");
  const words = cleanText(visible.replace(PILED_MARKS, "$1").trim(), maxLength);
  return VISIBLE.test(words) ? words : undefined;
}

/**
 * A host, port or scheme from a URL parser, which is visible ASCII; anything else becomes a replacement character.
 * A long host loses its beginning, because its end shows who owns it.
 */
export function cleanAddress(address: string): string {
  const plain = address.replace(/[^\x21-\x7e]/gu, "\ufffd");
  return plain.length <= MAX_ADDRESS_LENGTH ? plain : `…${plain.slice(1 - MAX_ADDRESS_LENGTH)}`;
}

/** The host of an application's web page; undefined if the address is not one of a web page. */
export function readWebHost(uri: string | undefined): string | undefined {
  if (uri === undefined || !URL.canParse(uri)) return undefined;
  const { protocol, host } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? cleanAddress(host) : undefined;
}
