import { INTERNAL_ERROR, type RequestId } from "@modelcontextprotocol/server";
import type { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** How long requests may take after the end of input: as long as the longest single request to a service. */
const PATIENCE_MS = 120_000;

/**
 * Follows which requests wait for an answer. A cancelled one does not, and a subscription gets its answer when the server closes.
 * Returns a function for the end of input, which resolves when all are answered; after two minutes, by an error.
 */
export function followRequests(transport: StdioServerTransport): () => Promise<void> {
  const open: RequestId[] = [];
  let onAnswered = () => {};
  const settle = (id: RequestId | undefined) => {
    const at = id === undefined ? -1 : open.indexOf(id);
    if (at !== -1) open.splice(at, 1);
    if (open.length === 0) onAnswered();
  };
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    if ("method" in message) {
      if (message.method === "notifications/cancelled") settle(readId(message.params?.requestId));
      else if ("id" in message && message.method !== "subscriptions/listen") open.push(message.id);
    }
    onmessage?.(message);
  };
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    const sent = send(message);
    if (!("method" in message)) settle(message.id);
    return sent;
  };
  const refuse = () => {
    const error = { code: INTERNAL_ERROR, message: "Not answered within two minutes of the end of input" };
    for (const id of [...open]) void transport.send({ jsonrpc: "2.0", id, error }).catch(() => {});
  };
  return async () => {
    if (open.length === 0) return;
    const timer = setTimeout(refuse, PATIENCE_MS);
    await new Promise<void>((resolve) => {
      onAnswered = resolve;
    });
    clearTimeout(timer);
  };
}

const readId = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? value : undefined;
