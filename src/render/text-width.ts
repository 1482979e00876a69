import stringWidth from "fast-string-width";

/** The width of a text in terminal columns: a wide character takes two. */
export const measure = (text: string): number => stringWidth(text);

/** Pads a text with spaces to a width. `side` is where the text goes. */
export function pad(text: string, width: number, side: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - measure(text)));
  return side === "left" ? text + space : space + text;
}

/** Cuts a text to `width` columns, the last one an ellipsis; never cuts a grapheme in half. */
export function truncate(text: string, width: number): string {
  if (measure(text) <= width) return text;
  return `${takeWidth(new Intl.Segmenter().segment(text), width - 1).join("")}…`;
}

/** The same, but the ellipsis comes first, and the end is kept. */
export function truncateStart(text: string, width: number): string {
  if (measure(text) <= width) return text;
  const kept = takeWidth([...new Intl.Segmenter().segment(text)].reverse(), width - 1);
  return `…${kept.reverse().join("")}`;
}

/** The first graphemes that fit into `width` columns together. */
function takeWidth(graphemes: Iterable<{ segment: string }>, width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const { segment } of graphemes) {
    used += measure(segment);
    if (used > width) break;
    kept.push(segment);
  }
  return kept;
}

/** Breaks a text between words into lines of at most `width` columns; a longer word stays whole. */
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
