import type { Node } from "jsonc-parser";
import { findLineEnd } from "./document.ts";
import { indentLines, readIndent } from "./json-style.ts";

/**
 * The text with a new last member in an object or a list, in the style of its neighbours. Comments after the
 * last member stay with it, and a trailing comma is followed by one.
 */
export function insertMember(
  text: string,
  container: Node,
  format: (indent: string | undefined) => string,
): string {
  const last = container.children?.at(-1);
  const start = last === undefined ? container.offset + 1 : last.offset + last.length;
  const end = container.offset + container.length - 1;
  const { hasComma, length } = scanTail(text.slice(start, end));
  const isOneLine = last !== undefined && !text.slice(container.offset, end).includes("\n");
  const comma = last === undefined || hasComma ? "" : ",";
  const member = isOneLine
    ? formatOnOneLine(text.slice(container.offset, end), format)
    : formatOnLines(text, container, start + length, format);
  const insertion = member + (hasComma ? "," : "");
  return (
    text.slice(0, start) + comma + text.slice(start, start + length) + insertion + text.slice(start + length)
  );
}

/** How far the commas and comments after the last member reach; there are no strings among them. */
function scanTail(tail: string): { hasComma: boolean; length: number } {
  const tokens = [...tail.matchAll(/,|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g)];
  const last = tokens.at(-1);
  return {
    hasComma: tokens.some(([token]) => token === ","),
    length: last === undefined ? 0 : last.index + last[0].length,
  };
}

function formatOnOneLine(neighbours: string, format: (indent: string | undefined) => string): string {
  const space = /[:,]\s/.test(neighbours) ? " " : "";
  return space + format(undefined);
}

function formatOnLines(
  text: string,
  container: Node,
  place: number,
  format: (indent: string) => string,
): string {
  const [lineEnd, step] = [findLineEnd(text), readIndent(text)];
  const outer = indentOf(text, container.offset) ?? leadOf(text, container.offset);
  const [first] = container.children ?? [];
  const inner = (first && indentOf(text, first.offset)) ?? outer + step;
  const member = `${lineEnd}${inner}${indentLines(format(step), inner, lineEnd)}`;
  // Braces that stood together are put apart: `{}` becomes three lines.
  const hasRoom = text.slice(place, container.offset + container.length).includes("\n");
  return hasRoom ? member : `${member}${lineEnd}${outer}`;
}

/** What stands before an offset in its line, if that is blank. */
function indentOf(text: string, offset: number): string | undefined {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return line.trim() === "" ? line : undefined;
}

/** The indentation of the line in which an offset is. */
function leadOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
