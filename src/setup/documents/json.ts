import { isDeepStrictEqual } from "node:util";
import { type Node, type ParseError, parseTree } from "jsonc-parser";
import { KEY, placeholder } from "../server.ts";
import type { Members, Value } from "../wish.ts";
import {
  type Edit,
  type Entry,
  findLineEnd,
  locate,
  refuseDepth,
  refuseOther,
  refuseShape,
  refuseUnreadable,
  TOO_DEEP,
} from "./document.ts";
import { explainFault } from "./json-faults.ts";
import { insertMember } from "./json-insertion.ts";
import { formatMember, indentLines, readIndent } from "./json-style.ts";

/**
 * JSON and JSON with comments and trailing commas. jsonc-parser's own `modify` formats the lines that it
 * touches anew; here text is put between what stands, or in place of one value, and nothing else moves.
 */
export const editJson: Edit = refuseDepth((text, entry, force) => {
  const root = parse(text);
  if (root === undefined) return startDocument(text, entry);
  const servers = findOne(root, entry.at);
  const edited =
    servers === undefined ? addServers(text, root, entry) : setServer(text, servers, entry, force);
  const result = edited === text ? text : entry.inputs.reduce(addInput, edited);
  if (result !== text) assertRest(text, result, entry);
  return result;
});

/** The members of a document whose servers are these alone. */
export function buildDocument({ at, name, value, inputs }: Entry): Members {
  return { ...(inputs.length === 0 ? {} : { inputs }), [at]: { [name]: value } };
}

function parse(text: string): Node | undefined {
  const { root, fault } = read(text);
  if (fault !== undefined) throw refuseUnreadable(fault);
  return root;
}

/** Where a text is no JSON (comments and trailing commas allowed), and why; undefined where it is in order. */
export const findFault = (text: string): string | undefined => read(text).fault;

function read(text: string): { root: Node | undefined; fault: string | undefined } {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return { root: undefined, fault: TOO_DEEP };
  }
  const [first] = errors;
  return { root, fault: first && `${locate(text, first.offset)}: ${explainFault(first.error)}` };
}

/** For a file that is empty, or holds comments alone. */
function startDocument(text: string, entry: Entry): string {
  const lineEnd = findLineEnd(text);
  const document = indentLines(JSON.stringify(buildDocument(entry), null, 2), "", lineEnd) + lineEnd;
  if (text.trim() === "") return document;
  return text + (text.endsWith("\n") ? "" : lineEnd) + document;
}

function addServers(text: string, root: Node, { at, name, value }: Entry): string {
  if (root.type !== "object")
    throw refuseShape(`It holds ${root.type} where an object with "${at}" is expected.`);
  return insertMember(text, root, formatMember({ [at]: { [name]: value } }));
}

function setServer(text: string, servers: Node, entry: Entry, force: boolean): string {
  if (servers.type !== "object") throw refuseShape(`Its "${entry.at}" is no object.`);
  const server = findOne(servers, entry.name);
  if (server === undefined) return insertMember(text, servers, formatMember({ [entry.name]: entry.value }));
  if (isDeepStrictEqual(readValue(server), entry.value)) return text;
  if (!force && !isUnfinished(readValue(server))) throw refuseOther(entry);
  const formatted = JSON.stringify(entry.value, null, readIndent(text));
  const value = indentLines(formatted, indentAt(text, server.offset), findLineEnd(text));
  return text.slice(0, server.offset) + value + text.slice(server.offset + server.length);
}

/** An entry of this program's that was pasted and never filled in. */
function isUnfinished(value: Value | null): boolean {
  const { args, env } = (value ?? {}) as { args?: Value; env?: Members };
  const isOurs = Array.isArray(args) && args.includes("analytics-mcp");
  return isOurs && env?.[KEY] === placeholder(KEY);
}

function addInput(text: string, input: Members): string {
  const root = parse(text);
  if (root === undefined) return text;
  const inputs = findOne(root, "inputs");
  if (inputs === undefined) return insertMember(text, root, formatMember({ inputs: [input] }));
  if (inputs.type !== "array") throw refuseShape('Its "inputs" is no list.');
  const isThere = (inputs.children ?? []).some((each) => findOne(each, "id")?.value === input.id);
  return isThere ? text : insertMember(text, inputs, (indent) => JSON.stringify(input, null, indent));
}

/** A member's value. A name that stands twice is refused: clients differ in which of the two they read. */
function findOne(object: Node, name: string): Node | undefined {
  const found = (object.type === "object" ? (object.children ?? []) : []).filter(
    (property) => property.children?.[0]?.value === name,
  );
  if (found.length > 1) throw refuseShape(`It has "${name}" twice in one object.`);
  return found[0]?.children?.[1];
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** A node as data: of a name that stands twice the last, as JSON.parse has it; `__proto__` is a name like others. */
function readValue(node: Node | undefined): Value | null {
  const children = node?.children ?? [];
  if (node?.type === "array") return children.map(readValue) as Value[];
  if (node?.type !== "object") return node?.value;
  return Object.fromEntries(
    children.map((property) => [
      String(property.children?.[0]?.value),
      readValue(property.children?.[1]) as Value,
    ]),
  );
}

const NOTHING: Node = { type: "object", offset: 0, length: 0 };

/** The proof, by the parser, that the edit did what it should and nothing else. */
function assertRest(before: string, after: string, { at, name, value, inputs }: Entry): void {
  const strip = (text: string) => {
    const { [at]: servers, ...rest } = readValue(parse(text) ?? NOTHING) as Members;
    const { [name]: found, ...others } = (servers ?? {}) as Members;
    return { found, rest: { ...rest, others, ...(inputs.length === 0 ? {} : { inputs: strangers(rest) }) } };
  };
  const strangers = ({ inputs: list }: Members) =>
    Array.isArray(list) ? list.filter((each) => !inputs.some(({ id }) => id === (each as Members).id)) : [];
  const result = strip(after);
  if (isDeepStrictEqual(result.found, value) && isDeepStrictEqual(result.rest, strip(before).rest)) return;
  throw refuseShape("It is written in a way that this program cannot add to safely.");
}
