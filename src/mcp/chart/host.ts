import { isObject } from "./shapes.ts";

const PROTOCOL_VERSION = "2026-01-26";
const INITIALIZE_ID = 1;
const METHOD_NOT_FOUND = -32601;

type Fields = Record<string, unknown>;

/** Handlers for what the host sends; see the MCP Apps extension, 2026-01-26. */
export interface Listeners {
  /** Called with the whole context first, then only with what changed. */
  context: (context: Fields) => void;
  /** Called with the arguments of the call in progress. */
  input: (input: Fields) => void;
  result: (result: Fields) => void;
  cancelled: (reason: string) => void;
  /** The host rejects this view. */
  refused: (message: string) => void;
  /** The view is about to be removed. */
  teardown: () => void;
}

/** Speaks JSON-RPC with the embedding window and no other. */
export function connectHost(listeners: Listeners) {
  const host = window.parent;
  const post = (message: Fields) => {
    // A sandboxed view cannot know its host's origin. It sends nothing confidential: its name and its size.
    host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  };
  const notify = (method: string, params: Fields = {}) => post({ method, params });

  const receive = (method: string, params: Fields) => {
    if (method === "ui/notifications/tool-input") listeners.input(readObject(params.arguments));
    if (method === "ui/notifications/tool-result") listeners.result(params);
    if (method === "ui/notifications/tool-cancelled") listeners.cancelled(readText(params.reason));
    if (method === "ui/notifications/host-context-changed") listeners.context(params);
  };

  const answer = (id: unknown, method: string) => {
    if (method !== "ping" && method !== "ui/resource-teardown") {
      return post({ id, error: { code: METHOD_NOT_FOUND, message: `Unknown method ${method}.` } });
    }
    if (method === "ui/resource-teardown") listeners.teardown();
    post({ id, result: {} });
  };

  let started = false;
  const start = ({ result, error }: Fields) => {
    if (started) return;
    started = true;
    if (!isObject(result)) return listeners.refused(readText(readObject(error).message));
    listeners.context(readObject(result.hostContext));
    notify("ui/notifications/initialized");
  };

  window.addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    if (source !== host || !isObject(data) || data.jsonrpc !== "2.0") return;
    if (typeof data.method !== "string") {
      if (data.id === INITIALIZE_ID) start(data);
    } else if ("id" in data) answer(data.id, data.method);
    else receive(data.method, readObject(data.params));
  });

  post({
    id: INITIALIZE_ID,
    method: "ui/initialize",
    params: {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: "analytics-mcp", title: "Web Analytics", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    },
  });
  return { notify };
}

export const readObject = (value: unknown): Fields => (isObject(value) ? value : {});
export const readText = (value: unknown): string => (typeof value === "string" ? value : "");
