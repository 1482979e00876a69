import type { IncomingHttpHeaders } from "node:http";

/** A JSON-RPC message, unchecked. */
interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown };
}

export const SESSION = "mcp-session-id";

/**
 * Lets MCP clients of protocol revisions before 2026-07-28 cancel a request. They send the cancellation as a separate HTTP
 * request, but the MCP server here lives only as long as one request. So `initialize` gives each conversation a session
 * id, and a request in flight is found by token, session and id. The session is used for nothing else: it is not a
 * credential, and any replica serves it. A replica that does not know the request lets it finish, as the specification
 * allows (2025-11-25, basic/utilities/cancellation). Later ones close the connection instead.
 */
export function createInFlightRequests() {
  const controllers = new Map<string, AbortController>();
  const keyOf = ({ authorization, [SESSION]: session }: IncomingHttpHeaders, id: unknown) =>
    JSON.stringify([authorization, session, id]);

  return {
    /** Aborts the requests that the body cancels; returns whether the body opens a conversation. */
    receive(headers: IncomingHttpHeaders, body: unknown): { opens: boolean } {
      const messages = readMessages(body);
      for (const { method, params } of messages) {
        const id = params?.requestId;
        if (method === "notifications/cancelled" && isId(id)) controllers.get(keyOf(headers, id))?.abort();
      }
      return { opens: messages.some(({ method }) => method === "initialize") };
    },
    /** Makes the body's request cancellable until the returned function is called. */
    add(headers: IncomingHttpHeaders, body: unknown, controller: AbortController): () => void {
      const [id, ...others] = readMessages(body).flatMap(({ id, method }) =>
        isId(id) && method !== undefined ? [id] : [],
      );
      // One of several requests in a body cannot be cancelled separately.
      if (headers[SESSION] === undefined || id === undefined || others.length > 0) return () => {};
      const key = keyOf(headers, id);
      controllers.set(key, controller);
      return () => {
        if (controllers.get(key) === controller) controllers.delete(key);
      };
    },
  };
}

/**
 * Removes a body's cancellations of its own requests. The SDK never answers a cancelled request, but keeps the stream
 * of a batch open until every request is answered.
 */
export function dropOwnCancellations(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  const messages = readMessages(body);
  const asked = new Set(messages.flatMap(({ id, method }) => (method === undefined ? [] : [id])));
  return body.filter((_, index) => {
    const { method, params } = messages[index] ?? {};
    return !(method === "notifications/cancelled" && asked.has(params?.requestId));
  });
}

/** Rejects other values: deeply nested arrays, for example, would overflow the stack of JSON.stringify. */
const isId = (id: unknown): id is string | number => typeof id === "string" || typeof id === "number";

/** MCP clients of protocol revision 2025-03-26 may send several messages in one body. */
const readMessages = (body: unknown): Message[] =>
  (Array.isArray(body) ? body : [body]).map((message): Message => Object(message));
