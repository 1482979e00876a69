import type { Tool } from "@modelcontextprotocol/server";
import list from "./tool-list.json" with { type: "json" };

/**
 * The tools as clients get them. The list is generated (`npm run lists`), because converting zod's schemas to JSON Schema
 * takes longer than anything else before the server can list its tools.
 */
export const toolList = list as Tool[];
