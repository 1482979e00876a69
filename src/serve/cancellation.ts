import { randomUUID } from "node:crypto";
import {
  isJsonContentType,
  type McpHandlerRequestOptions,
  readRequestBody,
} from "@modelcontextprotocol/server";
import { CURRENT, parse } from "../mcp/usual.ts";

type Serve = (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown };
}

export const SESSION = "mcp-session-id";

/** Who asks: a token and the session id that it was given. */
export interface Conversation {
  authorization: string;
  session: string;
}

/** What is under way, by the conversation and the ids of its requests. */
export interface UnderWay {
  /** What cancelling aborts; call what it gives when all is answered. */
  begin(conversation: Conversation, ids: readonly unknown[], controller: AbortController): () => void;
  cancel(conversation: Conversation, id: unknown): void;
}

export function createUnderWay(): UnderWay {
  const controllers = new Map<string, AbortController>();
  const keyOf = ({ authorization, session }: Conversation, id: unknown) =>
    JSON.stringify([authorization, session, id]);
  return {
    begin: (conversation, ids, controller) => {
      const keys = ids.map((id) => keyOf(conversation, id));
      for (const key of keys) controllers.set(key, controller);
      return () => {
        for (const key of keys) if (controllers.get(key) === controller) controllers.delete(key);
      };
    },
    cancel: (conversation, id) => controllers.get(keyOf(conversation, id))?.abort(),
  };
}

/**
 * Lets clients before 2026-07-28 cancel: they send a notification in a request of its own, while a server of this
 * endpoint lives no longer than the request it answers. So each conversation is given a session id at its
 * `initialize`, and what is under way is found by that and by the request's id. Nothing else hangs on the session:
 * it is no credential, any replica serves it, and one that does not know the request lets it run to its end, as
 * the specification allows (2025-11-25, basic/utilities/cancellation). Later clients just close the connection.
 */
export function allowCancelling(serve: Serve, maxBodyBytes: number, underWay: UnderWay): Serve {
  return async (request, options) => {
    const { headers } = request;
    if (request.method !== "POST" || headers.get("mcp-protocol-version") === CURRENT) {
      return serve(request, options);
    }
    if (!isJsonContentType(headers.get("content-type"))) return serve(request, options);
    const body = await readRequestBody(request.clone(), maxBodyBytes);
    const parsedBody = body.tooLarge ? undefined : keepWhatItAsks(parse(body.text));
    const messages = toMessages(parsedBody);
    const conversation = {
      authorization: headers.get("authorization") ?? "",
      session: headers.get(SESSION) ?? "",
    };

    for (const { method, params } of messages) {
      const id = params?.requestId;
      if (method === "notifications/cancelled" && isId(id)) underWay.cancel(conversation, id);
    }
    if (messages.some(({ method }) => method === "initialize")) {
      const response = await serve(request, { ...options, parsedBody });
      response.headers.set(SESSION, randomUUID());
      return response;
    }
    const ids = messages.flatMap(({ id, method }) => (isId(id) && method !== undefined ? [id] : []));
    // Of several in one body none can be taken back alone.
    if (conversation.session === "" || ids.length !== 1) return serve(request, { ...options, parsedBody });

    const controller = new AbortController();
    const end = underWay.begin(conversation, ids, controller);
    const signal = AbortSignal.any([request.signal, controller.signal]);
    return whenSent(await serve(new Request(request, { signal }), { ...options, parsedBody }), end);
  };
}

/**
 * Without what takes back a request of the same body: the SDK would answer that one never, and end the stream of
 * answers with the last one alone. So it runs to its end.
 */
function keepWhatItAsks(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  const messages = toMessages(body);
  const asked = new Set(messages.flatMap(({ id, method }) => (method === undefined ? [] : [id])));
  const isOwn = ({ method, params }: Message) =>
    method === "notifications/cancelled" && asked.has(params?.requestId);
  return body.filter((_, index) => !isOwn(messages[index] ?? {}));
}

/** What is none is not looked into: a list in a list in a list ends the stack of whoever writes it out. */
const isId = (id: unknown): id is string | number => typeof id === "string" || typeof id === "number";

/** Clients of 2025-03-26 may send several at once. */
function toMessages(body: unknown): Message[] {
  return (Array.isArray(body) ? body : [body]).map((each) => Object(each) as Message);
}

/** Tells when a response has been sent, or its reader has gone. */
function whenSent(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const chunk = await reader.read();
        if (!chunk.done) return controller.enqueue(chunk.value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      done();
    },
    cancel: (reason) => {
      done();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
