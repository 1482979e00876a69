import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { type JsonSchema, toJsonSchema } from "../operations/json-schema.ts";

/**
 * A schema as the SDK wants it, that publishes JSON Schema and checks nothing: arguments are checked where the
 * call is made, with errors that say how to mend them, and results were checked when they arrived.
 */
export function publish(json: JsonSchema): StandardSchemaWithJSON<Record<string, unknown>> {
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

/**
 * The schema of a tool's structured answer. A model pays for every word of it and sees the answer itself, so
 * it carries names and types alone; the descriptions stand in the OpenAPI document.
 */
export function buildOutputSchema(result: z.ZodType): JsonSchema {
  return strip(toJsonSchema(result));
}

function strip(schema: JsonSchema): JsonSchema {
  const { description: _d, minimum: _min, maximum: _max, format: _f, properties, items, ...rest } = schema;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, strip(each)])),
    }),
    ...(items && { items: strip(items) }),
  };
}
