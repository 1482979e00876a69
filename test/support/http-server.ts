import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler, toWebRequest } from "@modelcontextprotocol/node";
import {
  isLegacyRequest,
  type McpServerFactory,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { readBody, replaceBody } from "../../src/http/request-body.ts";
import { createMcpEndpoint } from "../../src/serve/mcp-endpoint.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

interface Options {
  /**
   * Keeps sessions for clients before 2026-07-28, who answer a server's questions in a request of their own. No tool
   * of the product asks anything, so the product keeps none; the conformance suite's fixtures need them.
   */
  sessions?: boolean;
  onFault?: (fault: Error) => void;
}

/** The product's HTTP stack on a free port of this machine. */
export async function startHttpServer(createMcp: McpServerFactory, { sessions, onFault }: Options = {}) {
  const endpoint = createMcpEndpoint({
    hosts: LOOPBACK,
    origins: LOOPBACK,
    onFault: onFault ?? (() => {}),
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { host, origin } = request.headers;
    const isOwn = validateHostHeader(host, LOOPBACK).ok && validateOriginHeader(origin, LOOPBACK).ok;
    if (!sessions || !isOwn) return endpoint.serve(request, response, () => createMcp);
    const body = await readBody(request);
    const replay = () => replaceBody(request, body);
    // Node's request always has a method: only the types do not know each other.
    const isLegacy = await isLegacyRequest(await toWebRequest(replay() as never));
    return isLegacy
      ? sessionful(replay() as never, response)
      : endpoint.serve(replay(), response, () => createMcp);
  };
  const sessionful = toNodeHandler({ fetch: createSessions(createMcp) });
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      await endpoint.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createSessions(createMcp: McpServerFactory) {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request: Request): Promise<Response> => {
    const known = transports.get(request.headers.get("mcp-session-id") ?? "");
    if (known) return known.handleRequest(request);
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    const server = await createMcp({ era: "legacy", requestInfo: request });
    await server.connect(transport);
    return transport.handleRequest(request);
  };
}
