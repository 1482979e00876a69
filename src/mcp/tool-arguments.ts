import type { JsonSchema } from "../operations/json-schema.ts";
import { toolDefinitions } from "./tool-definitions.ts";

/** Arguments that hosts add to every tool's own and then pass on: Gemini CLI's and n8n's. */
const HOST_ARGUMENTS = new Set(["wait_for_previous", "toolCallId"]);

const WHOLE_NUMBER = /^(0|[1-9]\d*)$/;

/**
 * Reads a tool's arguments as hosts and models really send them: without the host's own, without nulls, and with a number
 * for a text of digits where the tool takes a number. Everything else stays, to be checked and refused.
 */
export function readArguments(tool: string, given: Record<string, unknown>): Record<string, unknown> {
  const properties = readProperties(tool);
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name, value]) => value !== null && !HOST_ARGUMENTS.has(name))
      .map(([name, value]) => {
        const isDigits = typeof value === "string" && WHOLE_NUMBER.test(value);
        return [name, isDigits && properties.get(name)?.type === "integer" ? Number(value) : value];
      }),
  );
}

/** The parameters of a tool by name. A map, because a model may send `__proto__`. */
export function readProperties(tool: string): ReadonlyMap<string, JsonSchema> {
  const { inputSchema } = toolDefinitions.find(({ name }) => name === tool) ?? {};
  return new Map<string, JsonSchema>(Object.entries(Object(inputSchema?.properties)));
}
