import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { McpServerOptions } from "./server-options.ts";
import { answerTool, findTool } from "./tools.ts";

interface ToolCall {
  name: string;
  arguments?: Record<string, unknown> | undefined;
  _meta?: { progressToken?: string | number | undefined } | undefined;
}

/** Answers a tool call, and reports progress to a client that asks for it. Throws a protocol error for an unknown tool. */
export async function callTool(
  options: McpServerOptions,
  { name, arguments: given = {}, _meta }: ToolCall,
  { signal, notify }: Pick<ServerContext["mcpReq"], "signal" | "notify">,
) {
  const tool = findTool(name);
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
  const answer = () => answerTool(options, tool, given, signal);
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return answer();
  const { describeProgress, throttleProgress, withProgress } = await import("../client/progress.ts");
  const report = throttleProgress((progress, total, title) => {
    const message = describeProgress(progress, total, title);
    // Progress is an extra: a client that does not listen still gets the answer.
    void notify({
      method: "notifications/progress",
      params: { progressToken, progress, total, message },
    }).catch(() => {});
  }, performance.now.bind(performance));
  return withProgress(report, answer);
}
