import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler, isJsonContentType, type McpServerFactory } from "@modelcontextprotocol/server";
import { AnalyticsError } from "../errors.ts";
import { readBody } from "../http/request-body.ts";
import { findForeign, type Guarded } from "./host-guard.ts";
import { createInFlight, dropOwnCancellations, SESSION } from "./in-flight-requests.ts";

export interface McpEndpointOptions extends Guarded {
  /** Told of requests that were refused and of what went wrong on the way; it changes no answer. */
  onFault: (fault: Error) => void;
}

const MAX_BODY_BYTES = 1_000_000;
const CURRENT = "2026-07-28";
const STREAM = "text/event-stream";
const PARSE_ERROR = -32_700;
/** The SDK's code for what HTTP refuses. */
const REFUSED = -32_000;

/**
 * MCP over Streamable HTTP for clients of both protocol generations. A server is made for each request and ends
 * with it, so requests share nothing and any replica can answer any of them.
 */
export function createMcpEndpoint({ onFault, ...guarded }: McpEndpointOptions) {
  const factories = new WeakMap<Request, McpServerFactory>();
  const handler = createMcpHandler(
    (context) => {
      const create = context.requestInfo && factories.get(context.requestInfo);
      if (!create) throw new TypeError("The SDK asks for a server for a request that it was not given.");
      return create(context);
    },
    { onerror: onFault },
  );
  const inFlight = createInFlight();
  const open = new Set<AbortController>();

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    createServer: McpServerFactory,
    controller: AbortController,
  ) => {
    const { headers } = request;
    const described = describeRequest(request, controller.signal);
    factories.set(described, createServer);
    // The SDK refuses other types without a look at the body.
    const isJson = isJsonContentType(headers["content-type"]);
    if (!isJson) return send(await handler.fetch(described), response, controller.signal);
    const body = parse(await readBody(request, MAX_BODY_BYTES));
    if (body === undefined) return sendError(response, 400, PARSE_ERROR, "Parse error: Invalid JSON");
    const isCancellable = headers["mcp-protocol-version"] !== CURRENT;
    if (isCancellable && inFlight.receive(headers, body).opens) response.setHeader(SESSION, randomUUID());
    const end = isCancellable ? inFlight.add(headers, body, controller) : () => {};
    try {
      const parsedBody = dropOwnCancellations(body);
      await send(await handler.fetch(described, { parsedBody }), response, controller.signal);
    } finally {
      end();
    }
  };

  return {
    serve: async (request: IncomingMessage, response: ServerResponse, createServer: McpServerFactory) => {
      const foreign = findForeign(request.headers, guarded);
      if (foreign !== undefined) return sendError(response, 403, REFUSED, foreign);
      const controller = new AbortController();
      open.add(controller);
      response.once("close", () => {
        open.delete(controller);
        if (!response.writableFinished) controller.abort();
      });
      try {
        await answer(request, response, createServer, controller);
      } catch (error) {
        // A client that hung up, or cancelled, expects no answer.
        if (controller.signal.aborted) return void response.end();
        if (!(error instanceof AnalyticsError && error.code === "too_large")) throw error;
        const most = `Payload Too Large: Request body must not exceed ${MAX_BODY_BYTES} bytes`;
        sendError(response, 413, REFUSED, most);
      }
    },
    /** Aborts what is in flight. */
    close: async () => {
      for (const controller of open) controller.abort();
      await handler.close();
    },
  };
}

function sendError(response: ServerResponse, status: number, code: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

/**
 * What the SDK reads of a request: it does not need the token, and gets the body beside it. A whole `Request` would
 * cost a twentieth of a call, mostly for a signal that follows another.
 */
function describeRequest({ method, url, headers }: IncomingMessage, signal: AbortSignal): Request {
  const { authorization: _, ...rest } = headers;
  const given = new Headers(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  return { method, url, headers: given, signal } as Request;
}

async function send(answer: Response, response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (response.destroyed) return;
  const headers = Object.fromEntries(answer.headers);
  if (headers["content-type"] !== STREAM) {
    const text = await answer.text();
    // With its length, head and body leave in one piece.
    response.writeHead(answer.status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
    return;
  }
  response.writeHead(answer.status, headers);
  // What is there within one turn of the event loop leaves in one piece too: each piece is a system call.
  const hold = () => {
    response.cork();
    setImmediate(() => {
      if (response.writableEnded) return;
      response.flushHeaders();
      response.uncork();
    });
  };
  hold();
  for await (const chunk of answer.body ?? []) {
    hold();
    if (!response.write(chunk)) await once(response, "drain", { signal }).catch(() => {});
  }
  response.end();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
