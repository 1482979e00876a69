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

/** Deepest level of an output schema that clients get in full. */
const MAX_DEPTH = 4;

/**
 * The list of tools as clients get it. The build replaces this module with the finished list (`tsup.config.ts`), because
 * converting zod's schemas to JSON Schema takes longer than anything else before the server can list its tools.
 */
export const toolDefinitions: Tool[] = queries.map(defineTool);

function defineTool({ params, result, tool, isDescription }: Query): Tool {
  const { name, title, description } = tool;
  const definition = {
    name,
    title,
    description,
    inputSchema: toJsonSchema(isDescription ? openapiToolParams : params),
    annotations,
    ...linkChart(name),
    outputSchema: buildOutputSchema(isDescription ? openapiToolResult : result),
  };
  // The SDK's type demands JSON values in every keyword, which `JsonSchema` does not promise. They are JSON.
  return definition as Tool;
}

/**
 * The schema of a tool's structured answer. It costs a model tokens, and the model sees the answer anyway. So it has only
 * names and types, without those of deep levels and of the receipt. The OpenAPI document has the descriptions.
 */
function buildOutputSchema(result: z.ZodObject): JsonSchema {
  const json = strip(toJsonSchema(result), 0);
  return { ...json, properties: { ...json.properties, receipt: { type: "object" } } };
}

function strip({ type, properties, items }: JsonSchema, depth: number): JsonSchema {
  if (depth > MAX_DEPTH) return type ? { type } : {};
  const members = Object.entries(properties ?? {}).map(([name, each]) => [name, strip(each, depth + 1)]);
  return {
    ...(type && { type }),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: strip(items, depth + 1) }),
  };
}
