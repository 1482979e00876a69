import { BASE_PATH } from "../operations/contract.ts";
import type { Operation } from "../operations/operation.ts";
import { items, member } from "./reply.ts";

const MAX_REFERENCES = 10;

/** Follows local references from a node of the document. */
export function resolve(document: unknown, node: unknown): unknown {
  let current = node;
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const reference = member(current, "$ref");
    if (typeof reference !== "string" || !reference.startsWith("#/")) break;
    const path = reference.slice(2).split("/");
    current = member(document, ...path.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")));
  }
  return current;
}

/** The path item of an operation. Paths may include the base path. */
export function findPath(document: unknown, { path }: Operation): unknown {
  const paths = member(document, "paths");
  return resolve(document, member(paths, path) ?? member(paths, `${BASE_PATH}${path}`));
}

/** The query parameters of an operation's GET, by name. */
export function findParameters(document: unknown, operation: Operation): Map<string, unknown> {
  const item = findPath(document, operation);
  const listed = [...items(member(item, "parameters")), ...items(member(item, "get", "parameters"))];
  const own = listed
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => member(parameter, "in") === "query");
  return new Map(own.map((parameter) => [String(member(parameter, "name")), parameter]));
}
