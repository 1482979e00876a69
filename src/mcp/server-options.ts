import type { Call } from "../operations/call.ts";
import type { SourceDescription } from "../sources/source-types.ts";
import type { Admit } from "./call-rate-limit.ts";

/** The description of the source goes into the instructions and into each shell command. */
export interface McpServerOptions extends SourceDescription {
  call: Call;
  version: string;
  /** Called before each tool call and each read of a resource; throws if there were too many. */
  admit: Admit;
}
