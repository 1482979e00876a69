const SIMPLE: Record<string, string> = { n: "\n", r: "\r", t: "\t", v: "\v", b: "\b", f: "\f" };

/** Undoes what nginx (`\xC3\xA4`) and Apache (`\"`, `\\`, `\t`) write in place of quotes, controls and UTF-8. */
export function unescapeLog(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/(?:\\x[\da-f]{2})+|\\(.)/gi, (found: string, character: string | undefined) => {
    if (character === undefined) return Buffer.from(found.replaceAll(/\\x/gi, ""), "hex").toString();
    return SIMPLE[character] ?? character;
  });
}
