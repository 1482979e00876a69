// @ts-check
import { isObject } from "./shapes.js";

const PROTOCOL_VERSION = "2026-01-26";
const INITIALIZE_ID = 1;
const METHOD_NOT_FOUND = -32601;

/**
 * Handlers for what the host sends; see the MCP Apps extension, 2026-01-26.
 * @typedef {object} Listeners
 * @property {(context: Record<string, unknown>) => void} context all of it first, then only what changed
 * @property {(input: Record<string, unknown>) => void} input the arguments of the call in progress
 * @property {(result: Record<string, unknown>) => void} result
 * @property {(reason: string) => void} cancelled
 * @property {(message: string) => void} refused the host rejects this view
 * @property {() => void} teardown the view is about to be removed
 */

/**
 * Speaks JSON-RPC with the embedding window and no other.
 * @param {Listeners} listeners
 */
export function connectHost(listeners) {
  const host = window.parent;
  /** @param {Record<string, unknown>} message */
  const post = (message) => {
    // A sandboxed view cannot know its host's origin. It sends nothing confidential: its name and its size.
    host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  };
  const notify = (/** @type {string} */ method, /** @type {object} */ params = {}) =>
    post({ method, params });

  /** @param {string} method @param {Record<string, unknown>} params */
  const take = (method, params) => {
    if (method === "ui/notifications/tool-input") listeners.input(readObject(params.arguments));
    if (method === "ui/notifications/tool-result") listeners.result(params);
    if (method === "ui/notifications/tool-cancelled") listeners.cancelled(readText(params.reason));
    if (method === "ui/notifications/host-context-changed") listeners.context(params);
  };

  /** @param {unknown} id @param {string} method */
  const answer = (id, method) => {
    if (method !== "ping" && method !== "ui/resource-teardown") {
      return post({ id, error: { code: METHOD_NOT_FOUND, message: `Unknown method ${method}.` } });
    }
    if (method === "ui/resource-teardown") listeners.teardown();
    post({ id, result: {} });
  };

  let started = false;
  /** @param {Record<string, unknown>} response */
  const start = ({ result, error }) => {
    if (started) return;
    started = true;
    if (!isObject(result)) return listeners.refused(readText(readObject(error).message));
    listeners.context(readObject(result.hostContext));
    notify("ui/notifications/initialized");
  };

  window.addEventListener("message", ({ source, data }) => {
    if (source !== host || !isObject(data) || data.jsonrpc !== "2.0") return;
    if (typeof data.method !== "string") {
      if (data.id === INITIALIZE_ID) start(data);
    } else if ("id" in data) answer(data.id, data.method);
    else take(data.method, readObject(data.params));
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

/** @param {unknown} value @returns {Record<string, unknown>} */
export const readObject = (value) => (isObject(value) ? value : {});
/** @param {unknown} value */
export const readText = (value) => (typeof value === "string" ? value : "");
