import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { type AuthInfo, validateHostHeader } from "@modelcontextprotocol/server";
import { createMcpServer, type McpServerOptions } from "../mcp/server.ts";
import type { Bearer } from "../oauth/bearer.ts";
import { SCOPE } from "../oauth/scope.ts";
import { openToScripts, sendJson } from "../oauth/send.ts";
import { createUnderWay } from "./cancellation.ts";
import { type Guarded, guard } from "./guards.ts";
import { createMcpEndpoint } from "./mcp-endpoint.ts";
import { createUsualCalls } from "./usual-call.ts";

export interface McpRouteOptions extends Guarded {
  /** Where the resource's metadata is (RFC 9728), for whoever has no token yet. */
  metadataUrl: string;
  checkBearer: (authorization: string | null) => Promise<Bearer | undefined>;
  /** Of the server that speaks for a token. */
  describeServer: (bearer: Bearer) => McpServerOptions;
  onFault: (fault: Error) => void;
}

type Authorized = IncomingMessage & { auth?: AuthInfo };

/** `/mcp`: only with a token, by POST. */
export function createMcpRoute(options: McpRouteOptions) {
  const { metadataUrl, checkBearer, describeServer, onFault } = options;
  const underWay = createUnderWay();
  const endpoint = createMcpEndpoint(
    ({ authInfo }) => createMcpServer(authInfo?.extra?.server as McpServerOptions),
    onFault,
    underWay,
  );
  const usual = createUsualCalls(underWay);
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
    close: () => {
      usual.close();
      return endpoint.close();
    },
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
      const server = describeServer(bearer);
      const unusual: Authorized | undefined = await usual.serve(request, response, server);
      if (unusual === undefined) return;
      unusual.auth = {
        token: "",
        clientId: bearer.clientId,
        scopes: [SCOPE],
        expiresAt: bearer.expires,
        extra: { server },
      };
      // Node's request always has a method: only the types do not know each other.
      await handle(unusual as never, response);
    },
  };
}
