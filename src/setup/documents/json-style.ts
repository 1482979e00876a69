import type { Members } from "../wish.ts";

/** One more step to the right in this document: that of its first indented line. */
export function readIndent(text: string): string {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return indent.startsWith("\t") ? "\t" : indent.slice(0, 10);
}

/** Every line but the first moved to the right, with this document's ends of lines. */
export function indentLines(text: string, indent: string, lineEnd: string): string {
  return text.replaceAll("\n", `${lineEnd}${indent}`);
}

/** The only member of an object as text, without the braces around it; on one line without `indent`. */
export function formatMember(member: Members): (indent: string | undefined) => string {
  return (indent) =>
    Object.entries(member)
      .map(
        ([name, value]) =>
          `${JSON.stringify(name)}:${indent === undefined ? "" : " "}${JSON.stringify(value, null, indent)}`,
      )
      .join();
}
