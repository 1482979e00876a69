import stringWidth from "fast-string-width";

/** How many columns of a terminal a text takes: wide characters take two. */
export const measure = (text: string): number => stringWidth(text);

/** A text with spaces up to a width, its own text at one end. */
export function pad(text: string, width: number, side: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - measure(text)));
  return side === "left" ? text + space : space + text;
}

/** A text in at most `width` columns, with an ellipsis in place of its end; no character is cut in half. */
export function truncate(text: string, width: number): string {
  if (measure(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += measure(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text in lines of at most `width` columns, broken between words; a word that is longer stays whole. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && measure(line) + 1 + measure(word) <= width)
      lines.push(`${lines.pop()} ${word}`);
    else lines.push(line === undefined ? word : indent + word);
  }
  return lines.join("\n");
}
