import type * as z from "zod";
import { AnalyticsError, type ErrorCode, type ParameterError } from "../errors.ts";
import { readMember } from "../member.ts";
import { type JsonSchema, parameterSchemas } from "./json-schema.ts";

type Refusal = ParameterError & { code: ErrorCode };

/** If several parameters are wrong, the error gets the first of these codes that applies. */
const PRECEDENCE: ErrorCode[] = ["unknown_parameter", "missing_parameter", "invalid_parameter"];

/**
 * Checks parameters given as values, such as a tool's arguments, against a schema. Throws AnalyticsError
 * `unknown_parameter`, `missing_parameter` or `invalid_parameter` with every refused parameter, the reason and the
 * allowed values.
 */
export function parseParams<P extends z.ZodObject>(
  params: P,
  input: Record<string, unknown>,
  refusals: Refusal[] = [],
): z.output<P> {
  const parsed = params.safeParse(input);
  const all = parsed.success ? refusals : mergeRefusals(refusals, translate(params, parsed.error, input));
  if (parsed.success && all.length === 0) return parsed.data;
  const code = PRECEDENCE.find((code) => all.some((refusal) => refusal.code === code)) ?? "invalid_parameter";
  const parameters = all.map(({ code: _, ...parameter }) => parameter);
  const message = `${parameters.map(({ parameter, detail }) => `${parameter} ${detail}`).join("; ")}.`;
  throw new AnalyticsError(code, message, { status: 400, parameters });
}

/**
 * Checks parameters given as text (a query string, a command line). Each name has all values given for it.
 * Integers are plain decimal digits. A repeated or empty parameter is refused like one out of bounds.
 */
export function readParams<P extends z.ZodObject>(params: P, given: Map<string, string[]>): z.output<P> {
  const schemas = parameterSchemas(params);
  const input: [string, unknown][] = [];
  const refusals: Refusal[] = [];
  for (const [parameter, texts] of given) {
    const schema = schemas.get(parameter);
    const [text = "", ...more] = texts;
    if (schema?.type === "array" && !texts.includes("")) {
      input.push([parameter, texts]);
      continue;
    }
    input.push([parameter, schema?.type === "integer" && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text]);
    if (schema === undefined || (text !== "" && more.length === 0)) continue;
    const detail = [text, ...more].includes("") ? "must not be empty" : "must be given only once";
    refusals.push({ code: "invalid_parameter", parameter, detail, ...boundsOf(schema) });
  }
  return parseParams(params, Object.fromEntries(input), refusals);
}

function translate(params: z.ZodObject, error: z.ZodError, input: Record<string, unknown>): Refusal[] {
  const schemas = parameterSchemas(params);
  return error.issues.flatMap((issue): Refusal[] => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => describeUnknown(key, [...schemas.keys()]));
    const parameter = String(issue.path[0]);
    const schema = schemas.get(parameter) ?? {};
    return [
      readMember(input, parameter) === undefined
        ? { code: "missing_parameter", parameter, detail: "is required", ...boundsOf(schema) }
        : { code: "invalid_parameter", parameter, detail: describeBounds(schema), ...boundsOf(schema) },
    ];
  });
}

function describeUnknown(parameter: string, allowed: string[]): Refusal {
  const known = allowed.length === 0 ? "there are no parameters" : `the parameters are ${allowed.join(", ")}`;
  return { code: "unknown_parameter", parameter, detail: `is unknown; ${known}`, allowed };
}

/** Keeps the first refusal of each parameter: "must not be empty" is clearer than "1 to 253 characters". */
function mergeRefusals(first: Refusal[], second: Refusal[]): Refusal[] {
  const seen = new Set<string>();
  return [...first, ...second].filter(({ parameter }) => !seen.has(parameter) && seen.add(parameter));
}

function describeBounds(schema: JsonSchema): string {
  if (schema.enum) return `must be one of ${schema.enum.join(", ")}`;
  if (schema.type === "integer") return `must be a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "array")
    return `must be a list of at most ${schema.maxItems} texts such as ${JSON.stringify(["countries=DE", "pages=/blog/*"])}`;
  if (schema.format === "date") return "must be a date such as 2026-01-31";
  return `must be a string of ${schema.minLength} to ${schema.maxLength} characters`;
}

function boundsOf(schema: JsonSchema): Pick<ParameterError, "allowed" | "minimum" | "maximum"> {
  if (schema.enum) return { allowed: schema.enum.map(String) };
  const minimum = schema.minimum ?? schema.minLength;
  const maximum = schema.maximum ?? schema.maxLength;
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}
