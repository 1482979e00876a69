import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { type AuthInfo, type McpServer, validateHostHeader } from "@modelcontextprotocol/server";
import type { Bearer } from "../oauth/bearer.ts";
import { SCOPE } from "../oauth/scope.ts";
import { openToScripts, sendJson } from "../oauth/send.ts";
import { type Guarded, guard } from "./guards.ts";
import { createMcpEndpoint } from "./mcp-endpoint.ts";

export interface McpRouteOptions extends Guarded {
  /** Where the resource's metadata is (RFC 9728), for whoever has no token yet. */
  metadataUrl: string;
  checkBearer: (authorization: string | null) => Promise<Bearer | undefined>;
  createServer: (bearer: Bearer) => McpServer;
  onFault: (fault: Error) => void;
}

type Authorized = IncomingMessage & { auth?: AuthInfo };

/** `/mcp`: only with a token, by POST. */
export function createMcpRoute(options: McpRouteOptions) {
  const { metadataUrl, checkBearer, createServer, onFault } = options;
  const endpoint = createMcpEndpoint(
    ({ authInfo }) => createServer(authInfo?.extra?.bearer as Bearer),
    onFault,
  );
  const handle = toNodeHandler({
    fetch: (request, passed) => guard(options, (guarded) => endpoint.fetch(guarded, passed))(request),
  });

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
    serve: async (request: Authorized, response: ServerResponse): Promise<void> => {
      for (const [name, value] of Object.entries(openToScripts)) response.setHeader(name, value);
      if (request.method === "OPTIONS") return void response.writeHead(204).end();
      const bearer = await checkBearer(request.headers.authorization ?? null);
      if (!bearer) return challenge(request, response);
      // Before anything makes an address of it, for which not every `Host` is good.
      if (!validateHostHeader(request.headers.host, [...options.hosts]).ok) {
        return sendJson(response, 403, { error: "forbidden" });
      }
      if (request.method !== "POST") {
        return sendJson(response, 405, { error: "method_not_allowed" }, { Allow: "POST, OPTIONS" });
      }
      request.auth = {
        token: "",
        clientId: bearer.clientId,
        scopes: [SCOPE],
        expiresAt: bearer.expires,
        extra: { bearer },
      };
      // Node's request always has a method: only the types do not know each other.
      await handle(request as never, response);
    },
  };
}
