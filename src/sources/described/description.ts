import * as z from "zod";
import { readMember } from "../../member.ts";
import { type Pointer, pointTo } from "./json-pointer.ts";

/*
 * What a service's OpenAPI document (3.0 or 3.1) says about the paths of the specification: parameters and the words of fields.
 * The document is a stranger's: its size is bounded by the request, here the number of its schemas, their depth and their texts;
 * only references within the document are followed, and nothing in it is ever run or asked for.
 */

export interface DescribedParameter {
  allowed?: (string | number)[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  isRequired?: true | undefined;
  /** Its description, type and format. */
  text: string;
}

export interface DescribedOperation {
  parameters: Map<string, DescribedParameter>;
  /** Title and description of the fields of its answer, and of the operation. Elements of arrays have the name `*`. */
  texts: Map<Pointer | typeof OF_OPERATION, string>;
}

/** No pointer, so that no field has it. */
export const OF_OPERATION = "operation";

/** By path. */
export type Description = Map<string, DescribedOperation>;

const MAX_DEPTH = 12;
const MAX_SCHEMAS = 2_000;
const MAX_TEXT = 500;
const MAX_ALLOWED = 200;

const record = (value: unknown): Record<string, unknown> =>
  // Any object; its members are unknown.
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, MAX_TEXT) : "");

/**
 * Reads what a document says about paths. Of a path, the key is what follows `/api/v1` or stands alone: a document may name its
 * paths from the root of the server.
 */
export function readDescription(document: unknown, paths: readonly string[]): Description {
  const described: Description = new Map();
  for (const path of paths) {
    const item = findPath(readMember(document, "paths"), path);
    const get = resolve(document, readMember(resolve(document, item), "get"));
    if (Object.keys(get).length === 0) continue;
    described.set(path, {
      parameters: readParameters(document, [
        ...list(readMember(item, "parameters")),
        ...list(readMember(get, "parameters")),
      ]),
      texts: readTexts(document, get),
    });
  }
  return described;
}

function findPath(paths: unknown, path: string): unknown {
  const names = Object.keys(record(paths));
  const found =
    names.find((name) => name === path) ??
    names.find((name) => /^(\/[\w.-]+)*\/v\d+\//.test(name) && name.endsWith(path));
  return found === undefined ? undefined : readMember(paths, found);
}

/** Follows references within the document, a few at most. */
function resolve(document: unknown, value: unknown): Record<string, unknown> {
  let resolved = record(value);
  for (let step = 0; step < MAX_DEPTH; step++) {
    const reference = readMember(resolved, "$ref");
    if (typeof reference !== "string") return resolved;
    if (!reference.startsWith("#/")) return {};
    const names = reference
      .slice(2)
      .split("/")
      .map((name) => decode(name).replaceAll("~1", "/").replaceAll("~0", "~"));
    resolved = record(names.reduce<unknown>((value, name) => readMember(value, name), document));
  }
  return {};
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function readParameters(document: unknown, given: readonly unknown[]): Map<string, DescribedParameter> {
  const parameters = new Map<string, DescribedParameter>();
  for (const each of given.slice(0, MAX_ALLOWED)) {
    const parameter = resolve(document, each);
    const name = readMember(parameter, "name");
    if (readMember(parameter, "in") !== "query" || typeof name !== "string") continue;
    const isRequired = readMember(parameter, "required") === true;
    parameters.set(name, { ...readParameter(document, parameter), ...(isRequired && { isRequired }) });
  }
  return parameters;
}

const bound = z.number().optional().catch(undefined);
const allowedValues = z.array(z.union([z.string(), z.number()])).catch([]);

function readParameter(document: unknown, parameter: unknown): DescribedParameter {
  const schemas = flatten(document, readMember(parameter, "schema"), { left: MAX_ALLOWED });
  const first = (name: string) =>
    schemas.map((schema) => readMember(schema, name)).find((value) => value !== undefined);
  const exclusive = (name: string, step: number) => {
    const value = bound.parse(first(name));
    return value === undefined ? undefined : value + step;
  };
  const values = schemas.flatMap((schema) =>
    allowedValues.parse(readMember(schema, "enum") ?? list(readMember(schema, "const"))),
  );
  return {
    ...(values.length > 0 && { allowed: values.slice(0, MAX_ALLOWED) }),
    minimum: bound.parse(first("minimum")) ?? exclusive("exclusiveMinimum", 1),
    maximum: bound.parse(first("maximum")) ?? exclusive("exclusiveMaximum", -1),
    text: [readMember(parameter, "description"), first("description"), first("type"), first("format")]
      .map(text)
      .join(" "),
  };
}

/** How many parts schemas may have in all: references to references multiply. */
interface Budget {
  left: number;
}

/** A schema with what it is made of: `allOf`, and each alternative of `oneOf` and `anyOf`. */
function flatten(document: unknown, schema: unknown, budget: Budget, depth = 0): Record<string, unknown>[] {
  if (--budget.left < 0 || depth > MAX_DEPTH) return [];
  const resolved = resolve(document, schema);
  if (Object.keys(resolved).length === 0) return [];
  const parts = ["allOf", "oneOf", "anyOf"].flatMap((name) =>
    list(readMember(resolved, name)).slice(0, MAX_DEPTH),
  );
  return [resolved, ...parts.flatMap((part) => flatten(document, part, budget, depth + 1))];
}

function readTexts(document: unknown, get: unknown): Map<Pointer, string> {
  const about = [text(readMember(get, "summary")), text(readMember(get, "description"))].filter(Boolean);
  const texts = new Map<Pointer, string>(about.length > 0 ? [[OF_OPERATION, about.join(". ")]] : []);
  const responses = readMember(get, "responses");
  const ok = resolve(
    document,
    readMember(responses, "200") ?? readMember(responses, "2XX") ?? readMember(responses, "default"),
  );
  const content = record(readMember(ok, "content"));
  const media = Object.entries(content).find(([type]) => /json/i.test(type))?.[1];
  const budget = { left: MAX_SCHEMAS };
  const walk = (schema: unknown, pointer: Pointer, depth: number) => {
    if (depth > MAX_DEPTH) return;
    for (const part of flatten(document, schema, budget)) {
      const said = [readMember(part, "title"), readMember(part, "description")]
        .map(text)
        .filter((said) => said !== "");
      if (said.length > 0 && pointer !== "") texts.set(pointer, said.join(". "));
      for (const [name, member] of Object.entries(record(readMember(part, "properties")))) {
        walk(member, pointTo(pointer, name), depth + 1);
      }
      if (readMember(part, "items") !== undefined)
        walk(readMember(part, "items"), pointTo(pointer, "*"), depth + 1);
      const others = readMember(part, "additionalProperties");
      if (typeof others === "object") walk(others, pointTo(pointer, "*"), depth + 1);
    }
  };
  walk(readMember(media, "schema"), "", 0);
  return texts;
}
