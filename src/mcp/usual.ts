/**
 * Requests as clients usually send them, recognized without the SDK. Whatever is in any way unusual is left to it, so
 * these need not know all that the specification allows, and must not take for usual what it would refuse.
 */

export const CURRENT = "2026-07-28";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CLIENT = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

export interface UsualRequest {
  id: string | number;
  method: string;
  params: Record<string, unknown>;
}

/** A message that is a request, or a notification where `id` is absent. */
export function readMessage(text: string): (Omit<UsualRequest, "id"> & { id?: string | number }) | undefined {
  const message = parse(text);
  if (!hasOnly(message, ["jsonrpc", "id", "method", "params"]) || message.jsonrpc !== "2.0") return undefined;
  const { id, method, params = {} } = message;
  if (typeof method !== "string" || !isObject(params)) return undefined;
  if (id === undefined) return { method, params };
  return typeof id === "string" || Number.isSafeInteger(id)
    ? { id: id as string | number, method, params }
    : undefined;
}

/** The revision that a request without a session says it follows, in `_meta`; undefined where it says more or less. */
export function readStateless(meta: unknown): string | undefined {
  if (!hasOnly(meta, [VERSION, CLIENT, CAPABILITIES]) || !isClient(meta[CLIENT], meta[CAPABILITIES]))
    return undefined;
  return typeof meta[VERSION] === "string" ? meta[VERSION] : undefined;
}

export function isClient(info: unknown, capabilities: unknown): boolean {
  return (
    hasOnly(info, ["name", "version", "title", "description", "websiteUrl"]) &&
    Object.values(info).every((each) => typeof each === "string") &&
    [info.name, info.version].every((each) => each !== undefined) &&
    hasOnly(capabilities, ["roots", "sampling", "elicitation", "extensions", "experimental"]) &&
    Object.entries(capabilities).every(([name, each]) => isCapability(name, each))
  );
}

/**
 * Such as `{}`, `{"listChanged":true}` or `{"form":{}}`; of an extension, whatever its own object says. None goes
 * deeper, and one without end would end the stack.
 */
function isCapability(name: string, value: unknown, depth = 0): boolean {
  if (FLAGS.has(name)) return typeof value === "boolean";
  if (!isObject(value) || depth > 2) return false;
  if (name === "extensions" || name === "experimental") return Object.values(value).every(isObject);
  return Object.entries(value).every(([inner, each]) => isCapability(inner, each, depth + 1));
}

const FLAGS = new Set(["listChanged", "applyDefaults"]);

export function hasOnly(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).every((name) => names.includes(name));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
