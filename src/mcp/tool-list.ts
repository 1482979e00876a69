import type { Tool } from "@modelcontextprotocol/server";
import { queries } from "../reports/queries.ts";
import { defineTool } from "./tool-definitions.ts";

/**
 * The tools as clients get them. The build computes the list (`.ci/build/computed.ts`), because converting zod's schemas to
 * JSON Schema takes longer than anything else before the server can list its tools.
 */
export const toolList: Tool[] = queries.map(defineTool);
