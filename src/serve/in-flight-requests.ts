import type { IncomingHttpHeaders } from "node:http";

/** A JSON-RPC message as a stranger sent it. */
interface Message {
  id?: unknown;
  method?: unknown;
  params?: { requestId?: unknown };
}

export const SESSION = "mcp-session-id";

/**
 * Lets clients before 2026-07-28 cancel a request. They send a notification in an HTTP request of its own, while a
 * server of this endpoint lives no longer than the request it answers. So `initialize` gives each conversation a
 * session id, and a request in flight is found by token, session and id. Nothing else depends on the session: it is
 * no credential, any replica serves it, and a replica that does not know the request lets it run to its end, as the
 * specification allows (2025-11-25, basic/utilities/cancellation). Later clients just close the connection.
 */
export function createInFlight() {
  const controllers = new Map<string, AbortController>();
  const keyOf = ({ authorization, [SESSION]: session }: IncomingHttpHeaders, id: unknown) =>
    JSON.stringify([authorization, session, id]);

  return {
    /** Aborts what the body cancels; returns whether the body opens a conversation. */
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
      const [id, ...others] = readMessages(body).flatMap((each) =>
        isId(each.id) && each.method !== undefined ? [each.id] : [],
      );
      // One of several requests in a body cannot be cancelled alone.
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
 * The body without cancellations of its own requests: the SDK never answers a cancelled request, and keeps the
 * stream of a batch open until each request is answered.
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

/** Other values are not ids, and to write out one such as a thousand nested arrays would overflow the stack. */
const isId = (id: unknown): id is string | number => typeof id === "string" || typeof id === "number";

/** Clients of 2025-03-26 may send several at once. */
function readMessages(body: unknown): Message[] {
  return (Array.isArray(body) ? body : [body]).map((each) => Object(each) as Message);
}
