import fc from "fast-check";
import { mutateText, mutateValue, printJson } from "./mutations.ts";

export type Generation = "current" | "before";

const CURRENT = "2026-07-28";
const BEFORE = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const clientInfo = { name: "fuzz", version: "1" };

const META = {
  "io.modelcontextprotocol/protocolVersion": CURRENT,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const call = (name: string, args: Record<string, unknown> = {}) =>
  ["tools/call", { name, arguments: args }] as const;
const site = "example.com";
const prompt = { type: "ref/prompt", name: "what_changed" };

/** What a client of either generation may ask. */
const QUESTIONS: (readonly [string, Record<string, unknown>])[] = [
  ...["tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"].map(
    (method) => [method, {}] as const,
  ),
  call("list_sites"),
  call("get_stats", { site, days: 7 }),
  call("get_timeseries", { site, days: 3 }),
  call("get_breakdown", { site, dimension: "pages", days: 2, limit: 3 }),
  call("get_realtime", { site }),
  call("get_overview", { site, days: 2 }),
  call("compare_periods", { site, days: 2, dimension: "countries" }),
  call("get_conversions", { site, days: 2, goal: "events=signup", by: "channels" }),
  call("get_openapi", { operation: "getStats" }),
  call("get_everything", {}),
  ["resources/read", { uri: "analytics://sites" }],
  ["resources/read", { uri: "analytics://sites/example.com/overview" }],
  ["resources/subscribe", { uri: "analytics://sites" }],
  ["prompts/get", { name: "what_changed", arguments: { site, days: "14" } }],
  ["completion/complete", { ref: prompt, argument: { name: "site", value: "ex" } }],
  ["logging/setLevel", { level: "debug" }],
  ["server/discover", {}],
  ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
  ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }],
];

const NOTIFICATIONS: (readonly [string, Record<string, unknown>])[] = [
  ["notifications/initialized", {}],
  ["notifications/cancelled", { requestId: 3, reason: "no longer needed" }],
  ["notifications/progress", { progressToken: 1, progress: 1 }],
  ["notifications/roots/list_changed", {}],
];

/** Members of a frame in the form of its generation. */
function build(generation: Generation, method: string, params: object, id?: number | string): object {
  const whole = generation === "current" ? { ...params, _meta: META } : params;
  return { jsonrpc: "2.0", ...(id !== undefined && { id }), method, params: whole };
}

const id = fc.oneof(fc.nat(8), fc.constantFrom<string | number>("a", "", "__proto__", -1, 2 ** 53 - 1));

/** Any frame as it should be. */
const frameOf = (generation: Generation): fc.Arbitrary<object> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom(...QUESTIONS), id)
        .map(([[method, params], key]) => build(generation, method, params, key)),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...NOTIFICATIONS)
        .map(([method, params]) => build(generation, method, params)),
    },
    { weight: 1, arbitrary: id.map((key) => ({ jsonrpc: "2.0", id: key, result: {} })) },
  );

/** What a frame has become on its way: mostly itself, or one with members changed, or with characters changed. */
export function brokenFrame(generation: Generation): fc.Arbitrary<string> {
  const frame = frameOf(generation);
  return fc.oneof(
    { weight: 3, arbitrary: frame.map(printJson) },
    { weight: 4, arbitrary: mutateValue(frame).map(printJson) },
    { weight: 2, arbitrary: mutateText(frame.map(printJson)) },
    { weight: 1, arbitrary: fc.array(mutateValue(frame, 1), { maxLength: 4 }).map(printJson) },
  );
}

/** A conversation, by its lines; bytes that are no UTF-8 come of half a character. */
export const conversation: fc.Arbitrary<string[]> = fc
  .constantFrom<Generation>("current", "before")
  .chain((generation) =>
    fc
      .tuple(fc.constantFrom(...BEFORE), fc.boolean(), fc.array(brokenFrame(generation), { maxLength: 10 }))
      .map(([protocolVersion, opens, lines]) => {
        if (!opens || generation === "current") return lines;
        const params = { protocolVersion, capabilities: {}, clientInfo };
        const opening = [
          build("before", "initialize", params, "opening"),
          build("before", "notifications/initialized", {}),
        ];
        return [...opening.map(printJson), ...lines];
      }),
  );

/** A request that every server answers, whatever came before it. */
export const lastRequest = (key: string): string => printJson(build("current", "tools/list", {}, key));

export interface Expected {
  /** How many requests came with an id. */
  asked: Map<string, number>;
  /** Those that are owed an answer: an id that can be read, of what nobody took back and what ends by itself. */
  owed: Set<string>;
}

const keyOf = (id: unknown) =>
  typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : "none";

/** What a server owes for what was sent, each a text that may be a frame or a list of some: counted from the texts alone. */
export function readExpected(texts: readonly string[]): Expected {
  const asked = new Map<string, number>();
  const owed = new Set<string>();
  const takenBack = new Set<string>();
  for (const text of texts) {
    for (const frame of [parse(text)].flat()) {
      const { id: key, method, params, ...rest } = Object(frame) as Record<string, unknown>;
      if (method === "notifications/cancelled") takenBack.add(keyOf(Object(params).requestId));
      asked.set(keyOf(key), (asked.get(keyOf(key)) ?? 0) + 1);
      const isReadable = typeof key === "string" || Number.isSafeInteger(key);
      const isAnswer = "result" in rest || "error" in rest;
      if (isReadable && !isAnswer && method !== "subscriptions/listen") owed.add(keyOf(key));
    }
  }
  for (const key of takenBack) owed.delete(key);
  return { asked, owed };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Frames that a server wrote, by their ids. Throws where one is no frame of JSON-RPC. */
export function readAnswers(frames: readonly string[]): Map<string, number> {
  const answered = new Map<string, number>();
  for (const text of frames) {
    const frame = JSON.parse(text) as Record<string, unknown>;
    const isNotice = typeof frame.method === "string" && !("id" in frame);
    const isAnswer = "id" in frame && !("method" in frame) && "result" in frame !== "error" in frame;
    if (frame.jsonrpc !== "2.0" || (!isNotice && !isAnswer)) throw new Error(`No frame: ${text}`);
    if (isAnswer) answered.set(keyOf(frame.id), (answered.get(keyOf(frame.id)) ?? 0) + 1);
  }
  return answered;
}
