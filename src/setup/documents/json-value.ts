import {
  applyEdits,
  type Edit,
  type FormattingOptions,
  findNodeAtLocation,
  format,
  type JSONPath,
  modify,
  type Node,
  parseTree,
  type Range,
} from "jsonc-parser";
import type { Value } from "../server-spec.ts";

/** In a path: a new item at the end of the list. */
export const APPEND = -1;

/**
 * Sets a value, or adds it to its object or list, and keeps every other character. `modify` must not format: it would
 * reformat everything else on the lines that it touches.
 */
export function setValue(text: string, path: JSONPath, value: Value): string {
  const root = parseTree(text);
  const container = root && (findNodeAtLocation(root, path.slice(0, -1)) ?? root);
  if (root === undefined || container === undefined) return text;
  const inside = text.slice(container.offset, container.offset + container.length);
  const last = container.children?.at(-1);
  // `modify` appends before a comment on the last member, which would then seem to describe the new one.
  const isFirst = last !== undefined && text.slice(end(last), end(container)).includes("/");
  const place = path.map((step) => (step === APPEND && isFirst ? 0 : step));
  const getInsertionIndex = (names: string[]) => (isFirst ? 0 : names.length);
  const [edit] = modify(text, place, value, { isArrayInsertion: true, getInsertionIndex });
  if (edit === undefined) return text;
  const edited = applyEdits(text, [edit]);
  // Format the whole document: a range starts at a line, which may be inside a comment.
  const keepLines = last !== undefined && !inside.includes("\n");
  const layout = format(edited, undefined, { ...readIndent(text, root), keepLines });
  return applyEdits(edited, layout.filter(isNew(edited, edit)));
}

const end = ({ offset, length }: Range) => offset + length;

/** Selects the formatting edits in the new text and in the gaps beside an insertion. Existing white space stays. */
function isNew(edited: string, { offset, length, content }: Edit) {
  const after = offset + content.length;
  const hasGap = length === 0 && /\S/.test(edited[after] ?? "");
  const [from, to] = [length === 0 ? offset : offset + 1, hasGap ? after : after - 1];
  return (space: Range) => end(space) >= from && space.offset <= to;
}

/** The indentation of the document's first member. */
function readIndent(text: string, root: Node): FormattingOptions {
  const indent = /\n([ \t]+)$/.exec(text.slice(0, root.children?.[0]?.offset))?.[1] ?? "  ";
  return indent.startsWith("\t") ? { insertSpaces: false } : { insertSpaces: true, tabSize: indent.length };
}
