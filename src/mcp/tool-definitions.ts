import type { Tool } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { type JsonSchema, toJsonSchema } from "../operations/json-schema.ts";
import { type Query, queries } from "../reports/queries.ts";
import { linkChart } from "./chart-link.ts";
import { openapiToolParams, openapiToolResult } from "./openapi-tool.ts";

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;

/** Levels of an output schema that clients get. */
const DEEPEST = 4;

/**
 * The list of tools as clients get it. The build replaces this module by the list itself (`tsup.config.ts`): to make
 * JSON Schema from zod's schemas takes longer than anything else that a server does before it lists its tools.
 */
export const toolDefinitions: Tool[] = queries.map(defineTool);

function defineTool({ params, result, tool, isDescription }: Query): Tool {
  const { name, title, description } = tool;
  const definition = {
    name,
    title,
    description,
    inputSchema: buildInputSchema(isDescription ? openapiToolParams : params),
    annotations,
    ...linkChart(name),
    outputSchema: buildOutputSchema(isDescription ? openapiToolResult : result),
  };
  // A JSON Schema is JSON, though the type of its further keywords does not say so.
  return definition as Tool;
}

/** The schema of a tool's arguments: the operation's parameters, `site` optional. */
function buildInputSchema(params: z.ZodObject): JsonSchema {
  const { required: all, ...rest } = toJsonSchema(params);
  const required = all?.filter((name) => name !== "site") ?? [];
  return { ...rest, ...(required.length > 0 && { required }) };
}

/**
 * The schema of a tool's structured answer. A model pays for every word of it and sees the answer itself, so it
 * carries names and types alone, and not even those for deep parts or parts that never change; the OpenAPI document
 * has the descriptions.
 */
function buildOutputSchema(result: z.ZodObject): JsonSchema {
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
