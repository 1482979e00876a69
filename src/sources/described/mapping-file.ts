import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type * as z from "zod";
import type { GivenMapping } from "../../config/given-mapping.ts";
import { AnalyticsError, quote } from "../../errors.ts";
import { type FieldMapping, fieldMapping } from "./field-mapping.ts";

/**
 * Reads a person's own mapping of a service's fields; undefined if it chooses nothing. Comments are allowed. Throws
 * AnalyticsError `usage` with the line and the field of the first mistake.
 */
export function readMapping({ text, name }: GivenMapping): FieldMapping | undefined {
  const errors: ParseError[] = [];
  const content = text.replace(/^\uFEFF/, "");
  const tree = parseTree(content, errors, { allowTrailingComma: true });
  const [broken] = errors;
  if (broken !== undefined || tree === undefined) {
    const reason = broken ? describeSyntax(broken) : "value expected";
    throw createError({ text: content, name }, broken?.offset ?? 0, `is not JSON: ${reason}`);
  }
  const repeated = findRepeated(tree);
  if (repeated !== undefined)
    throw createError({ text: content, name }, repeated.offset, `has ${quote(String(repeated.value))} twice`);
  const parsed = fieldMapping().safeParse(JSON.parse(printPlain(tree)));
  if (parsed.success) return Object.keys(parsed.data).length === 0 ? undefined : parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw parsed.error;
  const { path, reason } = explainIssue(issue);
  throw createError({ text: content, name }, findOffset(tree, path), reason);
}

/** Without comments, and with `__proto__` as the ordinary name that it is. */
function printPlain(node: Node): string {
  const { type, children = [], value } = node;
  if (type === "array") return `[${children.map(printPlain).join(",")}]`;
  if (type !== "object") return JSON.stringify(value);
  const members = children.flatMap(({ children: [key, member] = [] }) =>
    key && member ? [`${JSON.stringify(key.value)}:${printPlain(member)}`] : [],
  );
  return `{${members.join(",")}}`;
}

/** The second of two members with one name: readers differ on which of them counts. */
function findRepeated({ type, children = [] }: Node): Node | undefined {
  if (type === "object") {
    const keys = children.flatMap(({ children: [key] = [] }) => (key ? [key] : []));
    const second = keys.find(({ value }, index) => keys.findIndex((key) => key.value === value) < index);
    if (second !== undefined) return second;
  }
  return children.map(findRepeated).find((found) => found !== undefined);
}

/** `CommaExpected` becomes "comma expected". */
const describeSyntax = ({ error }: ParseError) =>
  printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();

function explainIssue(issue: z.core.$ZodIssue): { path: PropertyKey[]; reason: string } {
  const { path } = issue;
  const field = quote(path.join("."));
  const where = path.length === 0 ? "" : ` in ${field}`;
  switch (issue.code) {
    case "unrecognized_keys": {
      const [key = ""] = issue.keys;
      return { path: [...path, key], reason: `has ${quote(key)}${where}, which is no field of a mapping` };
    }
    case "invalid_key":
      return { path, reason: `has ${field}, which is no dimension` };
    case "invalid_value":
      return { path, reason: `has a ${field} that is not one of ${issue.values.join(", ")}` };
    case "custom":
      return { path, reason: `has a ${field} that ${issue.message}` };
    case "too_big":
      return { path, reason: `has a ${field} of more than ${issue.maximum} characters` };
    default:
      return { path, reason: path.length === 0 ? "is no object" : `has a ${field} of another type` };
  }
}

/** Where a member is; of one that cannot be found, the object that it would be in. */
function findOffset(tree: Node, path: readonly PropertyKey[]): number {
  const names = path.filter((name) => typeof name !== "symbol");
  for (let length = names.length; length > 0; length--) {
    const found = findNodeAtLocation(tree, names.slice(0, length));
    if (found !== undefined) return found.parent?.offset ?? found.offset;
  }
  return tree.offset;
}

function createError({ text, name }: GivenMapping, offset: number, reason: string): AnalyticsError {
  const line = text.slice(0, offset).split("\n").length;
  return new AnalyticsError("usage", `${capitalize(name)}, line ${line}, ${reason}.`, {
    hint: 'A mapping is JSON, such as {"stats": {"visitors": "/data/users"}}. "analytics-mcp mapping" prints what can be chosen.',
  });
}

/** A file keeps its name as it is. */
const capitalize = (name: string) => name.replace(/^the mapping/, "The mapping");
