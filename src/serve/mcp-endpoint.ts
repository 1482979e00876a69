import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  isJsonContentType,
  type McpServerFactory,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { AnalyticsError } from "../errors.ts";
import { readBody } from "../http/request-body.ts";
import { CURRENT_REVISION } from "../mcp/mcp-server.ts";
import { readJson } from "../member.ts";
import { createInFlightRequests, dropOwnCancellations, SESSION } from "./in-flight-requests.ts";

export interface McpEndpointOptions {
  /**
   * Host names, without ports, at which callers reach the server; others are refused with 403. If an attacker points
   * a web page's name at this machine (DNS rebinding), the page still cannot choose its `Host`.
   */
  hosts: readonly string[];
  /** Host names of web pages whose scripts may send requests. Requests without `Origin` are not from web pages. */
  origins: readonly string[];
  /** Called for errors of this server, not for refused requests; does not change the answer. */
  onFault: (fault: Error) => void;
  /** Called for each request that is refused because of its `Host`. */
  onForeignHost?: () => void;
}

/** Where the SDK's errors of one request go. */
interface Reporter {
  report: (error: Error) => void;
}

/** One for all endpoints: up to Node 22 every promise of a process pays for each of them. */
const reports = new AsyncLocalStorage<Reporter>();

const MAX_BODY_BYTES = 1_000_000;
const STREAM = "text/event-stream";
const ANY_TYPE = /(^|,)\s*\*\/\*\s*(,|;|$)/;
const PARSE_ERROR = -32_700;
/** The SDK's code for requests that the HTTP layer refuses. */
const REFUSED = -32_000;

/**
 * MCP over Streamable HTTP, for MCP clients of both protocol generations. Each request gets its own MCP server, so
 * requests share nothing and any replica can answer any of them.
 */
export function createMcpEndpoint(options: McpEndpointOptions) {
  const { onFault } = options;
  const factories = new WeakMap<Request, McpServerFactory>();
  const handler = createMcpHandler(
    (context) => {
      const create = context.requestInfo && factories.get(context.requestInfo);
      if (!create) throw new TypeError("The SDK asks for a server for a request that it was not given.");
      return create(context);
    },
    { onerror: (error) => (reports.getStore()?.report ?? onFault)(error) },
  );
  const ask: typeof handler.fetch = (...request) => {
    const errors: Error[] = [];
    const reporter: Reporter = { report: (error) => void errors.push(error) };
    return reports.run(reporter, async () => {
      const answer = await handler.fetch(...request);
      // The SDK also reports what it refuses. That is the caller's mistake, and the status of the answer shows it.
      const isMistake = answer.status >= 400 && answer.status < 500;
      if (!isMistake) for (const error of errors) onFault(error);
      // What comes later is from the answer's stream.
      reporter.report = onFault;
      return answer;
    });
  };
  const inFlight = createInFlightRequests();
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
    // The SDK refuses other types without reading the body.
    const isJson = isJsonContentType(headers["content-type"]);
    if (!isJson) return send(await ask(described), response, controller.signal);
    const body = readJson(await readBody(request, MAX_BODY_BYTES));
    if (body === undefined) return sendError(response, 400, "Parse error: Invalid JSON", PARSE_ERROR);
    const isCancellable = headers["mcp-protocol-version"] !== CURRENT_REVISION;
    if (isCancellable && inFlight.receive(headers, body).opens) response.setHeader(SESSION, randomUUID());
    const end = isCancellable ? inFlight.add(headers, body, controller) : () => {};
    try {
      const parsedBody = dropOwnCancellations(body);
      await send(await ask(described, { parsedBody }), response, controller.signal);
    } finally {
      end();
    }
  };

  return {
    /**
     * @param admit Returns what creates the server for this request, or undefined if it has refused the request. It is
     * called only for hosts and web pages that may ask.
     */
    serve: async (
      request: IncomingMessage,
      response: ServerResponse,
      admit: () => McpServerFactory | undefined | Promise<McpServerFactory | undefined>,
    ) => {
      if (refuseForeign(request, response, options)) return;
      const createServer = await admit();
      if (!createServer) return;
      const controller = new AbortController();
      open.add(controller);
      response.once("close", () => {
        open.delete(controller);
        if (!response.writableFinished) controller.abort();
      });
      try {
        await answer(request, response, createServer, controller);
      } catch (error) {
        // A caller that hung up, or cancelled, expects no answer.
        if (controller.signal.aborted) return void response.end();
        if (!(error instanceof AnalyticsError && error.code === "too_large")) throw error;
        sendError(response, 413, `Payload Too Large: Request body must not exceed ${MAX_BODY_BYTES} bytes`);
      }
    },
    /** Aborts all requests in flight. */
    close: async () => {
      for (const controller of open) controller.abort();
      await handler.close();
    },
  };
}

/** Refuses a host that is not this server's, and a web page that is not allowed; returns whether it did. */
function refuseForeign(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { hosts, origins, onForeignHost }: Omit<McpEndpointOptions, "onFault">,
): boolean {
  const [own] = hosts;
  if (!validateHostHeader(headers.host, [...hosts]).ok) {
    onForeignHost?.();
    // The host that a stranger sent is in no answer.
    sendError(response, 403, `Invalid Host: not ${own}`);
    return true;
  }
  const origin = validateOriginHeader(headers.origin, [...origins]);
  if (!origin.ok) sendError(response, 403, origin.message);
  return !origin.ok;
}

function sendError(response: ServerResponse, status: number, message: string, code = REFUSED): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

/**
 * Builds the part of a `Request` that the SDK reads. It does not need the token, and gets the body separately. A real
 * `Request` would take 5% of a call's time, mostly for a signal that follows another.
 */
function describeRequest({ method, url, headers }: IncomingMessage, signal: AbortSignal): Request {
  const { authorization: _, ...rest } = headers;
  const given = new Headers(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  // The SDK wants both types by name.
  if (ANY_TYPE.test(given.get("accept") ?? "")) given.set("accept", `application/json, ${STREAM}`);
  // Incomplete on purpose: the SDK reads no other members.
  return { method, url, headers: given, signal } as Request;
}

async function send(answer: Response, response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (response.destroyed) return;
  const headers = Object.fromEntries(answer.headers);
  if (headers["content-type"] !== STREAM) {
    const text = await answer.text();
    // With a content-length, headers and body are sent in one packet.
    response.writeHead(answer.status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
    return;
  }
  response.writeHead(answer.status, headers);
  // The header is sent with the first chunk if that comes at once. Without `cork`: Node 22 and 24 would send the end of the
  // answer before a chunk that is still held back.
  const flush = setImmediate(() => response.flushHeaders());
  for await (const chunk of answer.body ?? []) {
    clearImmediate(flush);
    if (!response.write(chunk)) await once(response, "drain", { signal }).catch(() => {});
  }
  clearImmediate(flush);
  response.end();
}
