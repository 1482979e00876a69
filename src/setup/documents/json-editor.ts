import { isDeepStrictEqual } from "node:util";
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { readMember } from "../../member.ts";
import { KEY, placeholder } from "../server-command.ts";
import type { Members } from "../server-spec.ts";
import {
  createOtherEntryError,
  createRepeatedError,
  createShapeError,
  createUnreadableError,
  type Edit,
  type Entry,
  findLineEnd,
  limitDepth,
  locate,
  TOO_DEEP,
} from "./editor.ts";
import { APPEND, setValue } from "./json-value.ts";

/** Edits JSON. The file may have comments and trailing commas. */
export const editJson: Edit = limitDepth((text, entry, force) => {
  const root = parse(text);
  if (root !== undefined && hasEntry(root, entry, force)) return text;
  const start = root === undefined ? appendEmptyObject(text) : text;
  const result = entry.inputs.reduce(addInput, setValue(start, [entry.serversKey, entry.name], entry.value));
  assertRestUnchanged(text, result, entry);
  return result;
});

/** A document with only this server. */
export const buildDocument = ({ serversKey, name, value, inputs }: Entry): Members => ({
  ...(inputs.length === 0 ? {} : { inputs }),
  [serversKey]: { [name]: value },
});

/** Why and where a text is not valid JSON (comments and trailing commas are allowed); undefined if it is valid. */
export const findFault = (text: string): string | undefined => read(text).fault;

function parse(text: string): Node | undefined {
  const { root, fault } = read(text);
  if (fault !== undefined) throw createUnreadableError(fault);
  if (root !== undefined) assertNoRepetition(text, root);
  return root;
}

/** Throws if a name occurs twice in an object, because clients differ in which of the two they read. */
function assertNoRepetition(text: string, node: Node): void {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const name = child.type === "property" ? child.children?.[0] : undefined;
    if (name !== undefined && seen.has(name.value))
      throw createRepeatedError(String(name.value), locate(text, name.offset));
    if (name !== undefined) seen.add(name.value);
    assertNoRepetition(text, child);
  }
}

function read(text: string): { root?: Node | undefined; fault?: string | undefined } {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [first] = errors;
    return { root, fault: first && `${locate(text, first.offset)}: ${explainError(first)}` };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    return { fault: TOO_DEEP };
  }
}

/** jsonc-parser's name of an error, as words: `CommaExpected` becomes "comma expected". */
function explainError({ error }: ParseError): string {
  const name = printParseErrorCode(error);
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  const isBackslash = name === "InvalidEscapeCharacter" || name === "InvalidUnicode";
  return isBackslash ? `${words} (in a Windows path, write each backslash as \\\\)` : words;
}

/** Whether the document already has the entry. Throws if another entry has its name and must not be replaced. */
function hasEntry(root: Node, entry: Entry, force: boolean): boolean {
  if (root.type !== "object")
    throw createShapeError(`It contains ${root.type} instead of an object with "${entry.serversKey}".`);
  const servers = findMember(root, entry.serversKey);
  if (servers === undefined) return false;
  if (servers.type !== "object") throw createShapeError(`Its "${entry.serversKey}" is not an object.`);
  const server = findMember(servers, entry.name);
  if (server === undefined) return false;
  if (isDeepStrictEqual(readValue(server), entry.value)) return true;
  if (!force && !hasPlaceholder(readValue(server))) throw createOtherEntryError(entry);
  return false;
}

/** Whether this is our own pasted entry, still with its placeholder. */
function hasPlaceholder(value: unknown): boolean {
  const { args, env } = membersOf(value);
  const isOurs = Array.isArray(args) && args.includes("analytics-mcp");
  return isOurs && membersOf(env)[KEY] === placeholder(KEY);
}

/** Adds an empty object to a file that is empty or has only comments. */
function appendEmptyObject(text: string): string {
  const lineEnd = findLineEnd(text);
  return `${text}${/[^\n]$/.test(text) ? lineEnd : ""}{}${lineEnd}`;
}

function addInput(text: string, input: Members): string {
  const root = parse(text);
  const inputs = root && findMember(root, "inputs");
  if (inputs !== undefined && inputs.type !== "array") throw createShapeError('Its "inputs" is not a list.');
  const isThere = inputs?.children?.some((item) => findMember(item, "id")?.value === input.id);
  return isThere ? text : setValue(text, ["inputs", APPEND], input);
}

/** A member's value. */
function findMember(object: Node, name: string): Node | undefined {
  const members = object.type === "object" ? (object.children ?? []) : [];
  return members.find((property) => property.children?.[0]?.value === name)?.children?.[1];
}

/** A node as data. jsonc-parser's objects have no prototype, so `__proto__` is an ordinary name. */
const readValue = (node: Node): unknown => structuredClone(getNodeValue(node));

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Proves with the parser that the edit added the entry and changed nothing else. */
function assertRestUnchanged(before: string, after: string, { serversKey, name, value, inputs }: Entry) {
  const strip = (text: string) => {
    const root = parse(text);
    const document = membersOf(root && readValue(root));
    const servers = membersOf(readMember(document, serversKey));
    const [rest, others] = [omit(document, serversKey), omit(servers, name)];
    return {
      found: readMember(servers, name),
      rest: { ...rest, others, ...(inputs.length > 0 && { inputs: otherInputs(rest) }) },
    };
  };
  const omit = (members: Members, left: string): Members =>
    Object.fromEntries(Object.entries(members).filter(([key]) => key !== left));
  const otherInputs = ({ inputs: list }: Members) =>
    Array.isArray(list) ? list.filter((item) => !inputs.some(({ id }) => id === membersOf(item).id)) : [];
  const result = strip(after);
  if (isDeepStrictEqual(result.found, value) && isDeepStrictEqual(result.rest, strip(before).rest)) return;
  throw createShapeError("Its layout cannot be edited safely.");
}
