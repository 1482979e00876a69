import type * as z from "zod";
import { quote } from "../errors.ts";
import { readJson, readMember } from "../member.ts";
import type { Operation, ParamsOf, ResultOf } from "../operations/operation.ts";
import { ForeignAnswerError } from "./foreign-answer.ts";

/**
 * Parses the body of a 200 as an operation's result. Throws AnalyticsError `bad_answer` if it is not JSON, if a
 * field is missing or has the wrong type (the message names it), or if it answers another query than the one sent.
 */
export function parseResult<O extends Operation>(operation: O, params: ParamsOf<O>, text: string) {
  const createError = (reason: string, cause?: unknown) => {
    const message = `The answer to ${operation.path} breaks the contract: ${reason}.`;
    const hint =
      "Nothing was shown, because the numbers could be wrong. Report it to the service's operator.";
    return new ForeignAnswerError("bad_answer", message, text, { status: 200, hint, cause });
  };
  const result = parseBody(operation.result, text, createError);
  const objection = operation.verify?.(result, params);
  if (objection !== undefined) throw createError(objection);
  // The schema is O's own, but inside a generic function its output is not resolved.
  return result as ResultOf<O>;
}

/** Parses the body of a 200 with a schema. Throws what `createError` makes of the reason why it does not fit. */
export function parseBody<T>(
  schema: z.ZodType<T>,
  text: string,
  createError: (reason: string, cause?: unknown) => Error,
): T {
  const body = parseJson(text, createError);
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw createError(describeMismatch(parsed.error, body));
  return parsed.data;
}

/** Parses a body of bounded depth and size. Throws what `createError` makes of the reason why it cannot. */
export function parseJson(text: string, createError: (reason: string, cause?: unknown) => Error): unknown {
  // Later steps walk the result recursively and need several times its memory, so limit its size here.
  const excess = findExcess(text);
  if (excess !== undefined) throw createError(excess);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw createError("it is not complete JSON", cause);
  }
}

/** The value of a JSON text of bounded depth and size; undefined for any other text. */
export const readBoundedJson = (text: string): unknown =>
  findExcess(text) === undefined ? readJson(text) : undefined;

const MAX_DEPTH = 100;
/** A breakdown of 1,000 rows has 6,000, a list of 10,000 sites 70,000. */
const MAX_VALUES = 200_000;

/** Why a JSON text is too deep or has too many values; undefined if it is fine. Skips what is inside strings. */
export function findExcess(text: string): string | undefined {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') inString = !inString;
    else if (inString && character === "\\") index++;
    else if (inString) continue;
    else if (character === ",") values++;
    else if (character === "[" || character === "{") {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (character === "]" || character === "}") depth--;
  }
  if (deepest > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
  return values > MAX_VALUES ? `it has more than ${MAX_VALUES} values` : undefined;
}

/** Names the first member that is missing or has the wrong type: `"site.id" is null, string expected`. */
export function describeMismatch(error: z.ZodError, body: unknown): string {
  const [issue] = error.issues;
  if (!issue) return "it does not match the schema";
  const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const name = path === "" ? "the body" : quote(path.slice(1), { maxLength: 200 });
  const value = issue.path.reduce<unknown>(readMember, body);
  if (value === undefined) return `it lacks ${name}`;
  const expected = issue.code === "invalid_type" ? `${issue.expected} expected` : issue.message.toLowerCase();
  return `${name} is ${describeType(value)}, ${expected}`;
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return `the number ${value}`;
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
