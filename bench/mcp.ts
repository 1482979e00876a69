import type { Agent } from "node:http";
import { type Answer, ask } from "./http.ts";

export interface McpRequest {
  id?: number;
  method: string;
  params?: Record<string, unknown>;
  hangUpAfter?: number;
}

/** A client of either protocol generation at `/mcp`. */
export interface Speaker {
  /** A request, ready to send. */
  write(token: string, request: McpRequest): { headers: Record<string, string>; body: string };
  /** Undefined if the client hung up. */
  send(token: string, request: McpRequest): Promise<Answer | undefined>;
  /** Opens a connection as this generation does; returns the status. */
  greet(token: string): Promise<number>;
  /** Cancels a request, as far as this generation can without closing the connection. */
  cancel(token: string, id: number): Promise<void>;
}

const CURRENT = "2026-07-28";
const BEFORE = "2025-11-25";
const clientInfo = { name: "load", version: "1" };

export function createSpeaker(agent: Agent, mcp: string, generation: "current" | "before"): Speaker {
  let session: string | undefined;
  const isCurrent = generation === "current";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": CURRENT,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  const write: Speaker["write"] = (token, { id, method, params = {} }) => ({
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": isCurrent ? CURRENT : BEFORE,
      ...(isCurrent && { "mcp-method": method, ...(params.name ? { "mcp-name": `${params.name}` } : {}) }),
      ...(session !== undefined && { "mcp-session-id": session }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: isCurrent ? { ...params, _meta: { ...Object(params._meta), ...meta } } : params,
    }),
  });
  const send: Speaker["send"] = (token, { hangUpAfter, ...request }) =>
    ask(agent, mcp, {
      method: "POST",
      ...write(token, request),
      ...(hangUpAfter !== undefined && { hangUpAfter }),
    });

  return {
    write,
    send,
    greet: async (token) => {
      if (isCurrent) return (await send(token, { id: 0, method: "server/discover" }))?.status ?? 0;
      session = undefined;
      const params = { protocolVersion: BEFORE, capabilities: {}, clientInfo };
      const answer = await send(token, { id: 0, method: "initialize", params });
      const given = answer?.headers["mcp-session-id"];
      session = typeof given === "string" ? given : undefined;
      await send(token, { method: "notifications/initialized" });
      return answer?.status ?? 0;
    },
    cancel: async (token, requestId) => {
      if (!isCurrent) await send(token, { method: "notifications/cancelled", params: { requestId } });
    },
  };
}

/** The message in an answer, sent as JSON or as an event stream. */
export function readMessage({ text, headers }: Answer): Record<string, unknown> {
  const isStream = String(headers["content-type"]).startsWith("text/event-stream");
  const data = isStream ? /^data: (.*)$/m.exec(text)?.[1] : text;
  return JSON.parse(data ?? "{}");
}
