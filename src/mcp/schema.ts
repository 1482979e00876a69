import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { type JsonSchema, toJsonSchema } from "../operations/json-schema.ts";

export type Published = StandardSchemaWithJSON<Record<string, unknown>>;

/**
 * A schema as the SDK wants it, that publishes JSON Schema and checks nothing: arguments are checked where the
 * call is made, with errors that say how to mend them, and results were checked when they arrived.
 */
export function publish(json: JsonSchema): Published {
  return {
    "~standard": {
      version: 1,
      vendor: "analytics-mcp",
      validate: (value) => ({ value: value as Record<string, unknown> }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

/** The schema of a tool's arguments: the operation's parameters, `site` optional. */
export function buildInputSchema(params: z.ZodObject): JsonSchema {
  const json = toJsonSchema(params);
  const required = json.required?.filter((name) => name !== "site");
  const { required: _, ...rest } = json;
  return required === undefined || required.length === 0 ? rest : { ...rest, required };
}

const DEEPEST = 4;

/**
 * The schema of a tool's structured answer. A model pays for every word of it and sees the answer itself, so
 * it carries names and types alone, and of deep or always equal parts not even those; the descriptions stand in
 * the OpenAPI document.
 */
export function buildOutputSchema(result: z.ZodObject): JsonSchema {
  const json = strip(toJsonSchema(result), 0);
  return { ...json, properties: { ...json.properties, receipt: { type: "object" } } };
}

function strip({ type, properties, items }: JsonSchema, depth: number): JsonSchema {
  if (depth > DEEPEST) return type ? { type } : {};
  const members = Object.entries(properties ?? {}).map(([name, each]) => [name, strip(each, depth + 1)]);
  return {
    ...(type && { type }),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: strip(items, depth + 1) }),
  };
}
