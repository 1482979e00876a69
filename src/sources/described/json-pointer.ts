import { readMember } from "../../member.ts";

/** Where a value is in a JSON document: a JSON Pointer (RFC 6901), such as `/data/totals/visitors`; empty for the whole. */
export type Pointer = string;

const escapeName = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const unescapeName = (name: string) => name.replaceAll("~1", "/").replaceAll("~0", "~");

/** The pointer to a member of what `parent` points to. */
export const pointTo = (parent: Pointer, name: string): Pointer => `${parent}/${escapeName(name)}`;

/** The names on the way. */
export const namesOf = (pointer: Pointer): string[] => pointer.split("/").slice(1).map(unescapeName);

/** What is there; undefined if nothing is. Only own members count, so `__proto__` is a name like any other. */
export function readPointer(value: unknown, pointer: Pointer): unknown {
  let found = value;
  for (const name of namesOf(pointer)) {
    found = readMember(found, name);
  }
  return found;
}

/** Whether a text has the form of a pointer. */
export const isPointer = (text: string): boolean => /^(\/([^~]|~[01])*)?$/.test(text);
