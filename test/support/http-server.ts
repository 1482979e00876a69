import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { guard } from "../../src/serve/guards.ts";
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
  const endpoint = createMcpEndpoint(createMcp, onFault ?? (() => {}));
  const sessionful = createSessions(createMcp);
  const fetch = guard({ hosts: LOOPBACK, origins: LOOPBACK }, async (request) =>
    sessions && (await isLegacyRequest(request)) ? sessionful(request) : endpoint.fetch(request),
  );
  const handle = toNodeHandler({ fetch });
  // Node's request always has a method: only the types do not know each other.
  const server = createServer((request, response) => void handle(request as never, response));
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
