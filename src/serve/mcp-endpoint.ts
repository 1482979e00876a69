import { type AuthInfo, createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import { allowCancelling, createUnderWay, type UnderWay } from "./cancellation.ts";

export interface McpEndpoint {
  /** `authInfo` says whom the request speaks for; the factory gets it. */
  fetch: (request: Request, options?: { authInfo?: AuthInfo }) => Promise<Response>;
  /** Aborts what is under way. */
  close: () => Promise<void>;
}

const MAX_BODY_BYTES = 1_000_000;

/**
 * MCP over Streamable HTTP for clients of both protocol generations. A server is made for each request and ends
 * with it, so requests share nothing and any replica can answer any of them.
 *
 * @param onFault Told of requests that were refused and of what went wrong on the way; it changes no answer.
 */
export function createMcpEndpoint(
  createServer: McpServerFactory,
  onFault: (fault: Error) => void,
  underWay: UnderWay = createUnderWay(),
): McpEndpoint {
  const { fetch, close } = createMcpHandler(createServer, {
    onerror: onFault,
    maxRequestBodySize: MAX_BODY_BYTES,
  });
  return { fetch: allowCancelling(fetch, MAX_BODY_BYTES, underWay), close };
}
