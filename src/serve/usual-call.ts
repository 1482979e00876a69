import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type Question, questions } from "../insights/question.ts";
import { answerTool, describeServer, type McpServerOptions } from "../mcp/server.ts";
import { CURRENT, hasOnly, isObject, readMessage, readStateless, type UsualRequest } from "../mcp/usual.ts";
import { SESSION, type UnderWay } from "./cancellation.ts";

export interface UsualCalls {
  /**
   * Answers a call of a tool that is as clients usually send it; gives the request, to be served as all others,
   * where it is anything else.
   */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    options: McpServerOptions,
  ): Promise<IncomingMessage | undefined>;
  /** Aborts what is under way. */
  close(): void;
}

/** Longer than any usual call. */
const MOST_BYTES = 16_384;
/** Revisions whose clients say which they follow, and are answered in a stream of events. */
const STREAMED = ["2025-06-18", "2025-11-25"];
const STREAM = {
  ...{ "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" },
  ...{ connection: "keep-alive", "x-accel-buffering": "no" },
};
/** After so many milliseconds a client that waits is told at least that there will be an answer. */
const HEADERS_AFTER_MS = 50;

const byTool = new Map(questions.map((question) => [question.tool.name, question]));

/**
 * Nearly all of what a connector does is to answer calls of tools, and a server of the SDK made for one call takes ten
 * times as long as its answer. So a call that is as clients usually send it is answered here, in the same words; the
 * tests hold both ways against each other. Requests share nothing here either.
 */
export function createUsualCalls(underWay: UnderWay): UsualCalls {
  const open = new Set<AbortController>();

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    { message: { id, params }, question }: Call,
    options: McpServerOptions,
  ) => {
    const { headers } = request;
    const isStreamed = headers["mcp-protocol-version"] !== CURRENT;
    const conversation = { authorization: headers.authorization ?? "", session: `${headers[SESSION] ?? ""}` };
    const controller = new AbortController();
    const isCancellable = isStreamed && conversation.session !== "";
    const end = isCancellable ? underWay.begin(conversation, [id], controller) : () => {};
    open.add(controller);
    response.once("close", () => {
      if (!response.writableFinished) controller.abort();
      open.delete(controller);
      end();
    });
    const { signal } = controller;
    const begin = () => response.writeHead(200, STREAM).flushHeaders();
    const timer = isStreamed ? setTimeout(begin, HEADERS_AFTER_MS) : undefined;
    const result = await answerTool(options, question, params.arguments as Record<string, unknown>, signal);
    clearTimeout(timer);
    if (isStreamed) {
      const message = JSON.stringify({ result, jsonrpc: "2.0", id });
      // Whoever has cancelled expects no answer.
      return send(response, signal.aborted ? "" : `event: message\ndata: ${message}\n\n`, STREAM);
    }
    const serverInfo = describeServer(options.version);
    const told = {
      ...result,
      resultType: "complete",
      _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
    };
    send(response, JSON.stringify({ result: told, jsonrpc: "2.0", id }), {
      "content-type": "application/json",
    });
  };

  return {
    close: () => {
      for (const controller of open) controller.abort();
    },
    serve: async (request, response, options) => {
      if (!isUsual(request.headers)) return request;
      const body = await readBody(request);
      // Whoever has hung up meanwhile needs no answer.
      if (body === undefined || response.destroyed) return undefined;
      const call = readCall(request.headers, body.toString());
      if (call === undefined) return replay(request, body);
      await answer(request, response, call, options);
      return undefined;
    },
  };
}

/** In one piece, head and body, where the head was not sent before: each piece more is a system call more. */
function send(response: ServerResponse, text: string, headers: Record<string, string>): void {
  if (!response.headersSent) {
    response.writeHead(200, { ...headers, "content-length": Buffer.byteLength(text) });
  }
  response.end(text);
}

/** Whether the body is short, JSON as it is, of no web page, and either form of answer will do. */
function isUsual(headers: IncomingHttpHeaders): boolean {
  const { accept = "", origin, "content-length": length = "", "content-type": type = "" } = headers;
  return (
    origin === undefined &&
    headers["content-encoding"] === undefined &&
    /^\d{1,5}$/.test(length) &&
    Number(length) <= MOST_BYTES &&
    /^application\/json(; ?charset=utf-8)?$/i.test(type) &&
    /^(application\/json, ?text\/event-stream|text\/event-stream, ?application\/json)$/.test(accept) &&
    !Object.keys(headers).some((name) => name.startsWith("mcp-param-"))
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

interface Call {
  message: UsualRequest;
  question: Question;
}

function readCall(headers: IncomingHttpHeaders, body: string): Call | undefined {
  const message = readMessage(body);
  if (message?.id === undefined || message.method !== "tools/call") return undefined;
  const { name, arguments: input, _meta: meta, ...others } = message.params;
  const question = typeof name === "string" ? byTool.get(name) : undefined;
  if (question === undefined || !isObject(input) || !hasOnly(others, [])) return undefined;
  const { "mcp-protocol-version": revision, "mcp-method": method, "mcp-name": named } = headers;
  if (revision === CURRENT) {
    if (method !== message.method || named !== name || readStateless(meta) !== CURRENT) return undefined;
  } else if (meta !== undefined || !STREAMED.includes(`${revision}`)) return undefined;
  return { message: message as UsualRequest, question };
}

/** The request as if nothing had been read of it. */
function replay(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers } = request;
  return Object.assign(Readable.from([body]), { method, url, headers }) as unknown as IncomingMessage;
}
