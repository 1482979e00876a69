import type { IncomingMessage, ServerResponse } from "node:http";
import { handleCors } from "../http/cors.ts";
import { sendJson } from "../http/json-response.ts";
import { createServer } from "../mcp/mcp-server.ts";
import type { McpServerOptions } from "../mcp/server-options.ts";
import type { Bearer } from "../oauth/bearer.ts";
import { SCOPE } from "../oauth/discovery.ts";
import { createMcpEndpoint, type McpEndpointOptions } from "./mcp-endpoint.ts";

export interface McpRouteOptions extends McpEndpointOptions {
  /** The address of the resource metadata (RFC 9728), for applications without a token. */
  metadataUrl: string;
  checkBearer: (authorization: string | null) => Promise<Bearer | undefined>;
  /** The options of the MCP server that answers for a token. */
  describeServer: (bearer: Bearer) => McpServerOptions;
}

/** `/mcp`: requires a token, and takes POST only. */
export function createMcpRoute(options: McpRouteOptions) {
  const { metadataUrl, checkBearer, describeServer } = options;
  const endpoint = createMcpEndpoint(options);

  const challenge = (request: IncomingMessage, response: ServerResponse) => {
    const error = request.headers.authorization === undefined ? "" : `, error="invalid_token"`;
    sendJson(
      response,
      401,
      {
        error: error === "" ? "unauthorized" : "invalid_token",
        error_description: "Sign in to use this server.",
      },
      { "WWW-Authenticate": `Bearer resource_metadata="${metadataUrl}", scope="${SCOPE}"${error}` },
    );
  };

  return {
    close: endpoint.close,
    serve: async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      if (handleCors(request, response)) return;
      // The endpoint checks Host and Origin before the token (MCP 2025-11-25, transports): behind a proxy that does not pass
      // Host on, nobody signs in for nothing, and `doctor` finds it.
      await endpoint.serve(request, response, async () => {
        const bearer = await checkBearer(request.headers.authorization ?? null);
        if (!bearer) return void challenge(request, response);
        if (request.method !== "POST") {
          return void sendJson(response, 405, { error: "method_not_allowed" }, { Allow: "POST, OPTIONS" });
        }
        return () => createServer(describeServer(bearer));
      });
    },
  };
}
