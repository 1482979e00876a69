import type { Call } from "../operations/call.ts";
import type { About } from "../sources/source-types.ts";
import type { Admit } from "./call-rate-limit.ts";

/** The source that answers, and how it is described. */
export interface AnsweringSource {
  /** How the instructions and answers describe the source. */
  about: About;
  /** The command-line options that choose the source; undefined over HTTP, where callers have no shell. */
  options?: readonly string[] | undefined;
  /** The same options and `--site`, for queries without a `site` parameter; absent if the source has no such option. */
  optionsWithSite?: readonly string[] | undefined;
  call: Call;
}

export interface McpServerOptions extends AnsweringSource {
  /** Looks for the source again, where none was set up when the server started; undefined while there still is none. */
  findSource?: (() => Promise<AnsweringSource | undefined>) | undefined;
  version: string;
  /** Called before each tool call and each read of a resource; throws if there were too many. */
  admit: Admit;
}
