import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer } from "../../src/mcp/mcp-server.ts";
import { serveStdio } from "../../src/mcp/stdio.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { startHttpServer } from "../support/http-server.ts";

type Json = Record<string, unknown>;
/** The code of an error, or that there was none. */
type Outcome = number | "answered";

const [REFUSED, INVALID, UNKNOWN_VERSION, MISMATCH] = [-32_600, -32_602, -32_022, -32_020];
const clock = () => NOW;
const call = createLocalCall(() => demo.open({ clock, environment: {}, flags: {} }), clock);
const options = { call, version: "0.0.0", about: demo.about, options: [], admit: () => {} };

const VERSION = "io.modelcontextprotocol/protocolVersion";
const envelope = {
  [VERSION]: "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const greeting = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

interface Method {
  /** What fits. */
  params: Json;
  /** The members that may be missing. */
  optional?: string[];
  /** Whether a client of the revision 2026-07-28 asks it, or one before; both if absent. */
  isCurrent?: boolean;
  isList?: true;
}

const METHODS: Record<string, Method> = {
  initialize: { params: greeting, isCurrent: false },
  ping: { params: {}, isCurrent: false },
  "server/discover": { params: {}, isCurrent: true },
  "tools/list": { params: {}, isList: true },
  "tools/call": { params: { name: "list_sites", arguments: {} }, optional: ["arguments"] },
  "resources/list": { params: {}, isList: true },
  "resources/templates/list": { params: {}, isList: true },
  "resources/read": { params: { uri: "analytics://llms.txt" } },
  "prompts/list": { params: {}, isList: true },
  "prompts/get": {
    params: { name: "weekly_report", arguments: { site: "example.com" } },
    optional: ["arguments", "arguments.site"],
  },
  "completion/complete": {
    params: {
      ref: { type: "ref/prompt", name: "weekly_report" },
      argument: { name: "site", value: "exa" },
      context: { arguments: { site: "example.com" } },
    },
    optional: ["context", "context.arguments", "context.arguments.site"],
  },
};

function listPaths(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...listPaths(inner).map((rest) => `${name}.${rest}`),
  ]);
}

/** A copy with another value at a path; without the member if the value is undefined, which JSON has not. */
function replace(value: Json, path: string, by: unknown): Json {
  const [name = "", ...rest] = path.split(".");
  return { ...value, [name]: rest.length === 0 ? by : replace(Object(value[name]), rest.join("."), by) };
}

interface Case {
  what: string;
  method: string;
  params: unknown;
  expected: Outcome;
  /** The version in the header over HTTP, where it is another than in the request. */
  version?: string;
  overHttp?: Outcome;
}

/** The params of the method, as a client of one generation sends them. */
const rightParams = (params: Json, isCurrent: boolean): Json =>
  isCurrent ? { ...params, _meta: envelope } : params;

function* listCases(method: string, isCurrent: boolean): Generator<Case> {
  const { params, optional = [], isList } = METHODS[method] ?? { params: {} };
  const right = rightParams(params, isCurrent);
  const isBare = Object.keys(params).length === 0;
  yield { what: "nothing", method, params: right, expected: "answered" };
  yield { what: "an unknown member", method, params: { ...right, more: 1 }, expected: "answered" };
  yield {
    what: "no params",
    method,
    params: undefined,
    expected: isBare && !isCurrent ? "answered" : INVALID,
  };
  for (const given of [null, "text", 5, []])
    yield { what: `params ${JSON.stringify(given)}`, method, params: given, expected: REFUSED };
  for (const path of listPaths(params)) {
    const missing = optional.includes(path) ? "answered" : INVALID;
    yield { what: `no ${path}`, method, params: replace(right, path, undefined), expected: missing };
    for (const given of [null, 5, []]) {
      // Some hosts send it for a call without arguments.
      const isLenient = given === null && method === "tools/call" && path === "arguments";
      const expected = isLenient ? "answered" : INVALID;
      yield {
        what: `${path} ${JSON.stringify(given)}`,
        method,
        params: replace(right, path, given),
        expected,
      };
    }
  }
  for (const cursor of isList ? ["made-up", "", 5, null] : []) {
    const what = `cursor ${JSON.stringify(cursor)}`;
    yield { what, method, params: { ...right, cursor }, expected: INVALID };
  }
}

/** What is wrong beside the method's own params. */
function* listMetaCases(method: string, isCurrent: boolean): Generator<Case> {
  const right = rightParams(METHODS[method]?.params ?? {}, isCurrent);
  for (const _meta of [5, null, { ...envelope, progressToken: {} }])
    yield { what: `_meta ${JSON.stringify(_meta)}`, method, params: { ...right, _meta }, expected: REFUSED };
  const later = { ...right, _meta: { ...envelope, [VERSION]: "2099-01-01" } };
  const unknown = { what: "an unknown version", method, params: later, expected: UNKNOWN_VERSION };
  yield { ...unknown, overHttp: method === "initialize" ? UNKNOWN_VERSION : MISMATCH };
  yield { ...unknown, what: "an unknown version, in the header too", version: "2099-01-01" };
  if (!isCurrent) return;
  for (const name of [VERSION, "io.modelcontextprotocol/clientCapabilities"]) {
    for (const given of [undefined, 5]) {
      const params = { ...right, _meta: { ...envelope, [name]: given } };
      yield { what: `${name} ${given}`, method, params, expected: INVALID };
    }
  }
}

const readOutcome = ({ error }: { error?: { code: number } }): Outcome => error?.code ?? "answered";

/** A server on stdio that answers one request after another. */
function startStdio() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const waiting = new Map<unknown, (outcome: Outcome) => void>();
  let rest = "";
  stdout.on("data", (chunk) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(readOutcome(message));
    }
  });
  const served = serveStdio({ ...options, stdin, stdout, onFault: () => {} });
  let last = 0;
  return {
    ask: (method: string, params: unknown) => {
      const id = ++last;
      const answered = new Promise<Outcome>((resolve) => waiting.set(id, resolve));
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return answered;
    },
    close: () => {
      stdin.end();
      return served;
    },
  };
}

async function askOverHttp(url: string, isCurrent: boolean, { method, params, version }: Case) {
  const { name, uri } = Object(params);
  const target = [name, uri].find((each) => typeof each === "string");
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(method !== "initialize" && {
      "mcp-protocol-version": version ?? (isCurrent ? "2026-07-28" : "2025-11-25"),
    }),
    ...(isCurrent && { "mcp-method": method, ...(target && { "mcp-name": target }) }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const text = await (await fetch(url, { method: "POST", headers, body })).text();
  const data = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)?.[1];
  return readOutcome(JSON.parse(data ?? ""));
}

describe.each([
  ["2025-11-25", false],
  ["2026-07-28", true],
])("a request of %s that does not fit is the caller's mistake", (_, isCurrent) => {
  const methods = Object.keys(METHODS).filter(
    (name) => (METHODS[name]?.isCurrent ?? isCurrent) === isCurrent,
  );
  let server: Awaited<ReturnType<typeof startHttpServer>>;
  beforeAll(async () => {
    server = await startHttpServer(() => createServer(options));
  });
  afterAll(() => server.close());

  it.each(methods)("%s", async (method) => {
    const cases = [...listCases(method, isCurrent), ...listMetaCases(method, isCurrent)];
    const expected = cases.map(({ what, expected, overHttp = expected }) => [what, expected, overHttp]);
    const connection = startStdio();
    await (isCurrent
      ? connection.ask("tools/list", { _meta: envelope })
      : connection.ask("initialize", greeting));
    const found: unknown[] = [];
    for (const each of cases) {
      // A greeting is the first message of its connection.
      const own = method === "initialize" ? startStdio() : connection;
      const outcome = await own.ask(method, each.params);
      found.push([each.what, outcome, await askOverHttp(server.url, isCurrent, each)]);
      if (own !== connection) await own.close();
    }
    await connection.close();
    expect(found).toEqual(expected);
  });
});

it("a version is looked at in each request, whatever the first one was", async () => {
  const unknown = { _meta: { ...envelope, [VERSION]: "2099-01-01" } };
  for (const first of [{}, { _meta: envelope }]) {
    const connection = startStdio();
    expect(await connection.ask("tools/list", first)).toBe("answered");
    expect(await connection.ask("tools/list", unknown)).toBe(UNKNOWN_VERSION);
    expect(await connection.ask("tools/list", first)).toBe("answered");
    await connection.close();
  }
});
