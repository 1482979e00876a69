import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { serveStdio } from "../../src/mcp/stdio.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";

interface Answer {
  id: string | number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const clock = () => NOW;
const call = createLocalCall(() => demo.open({ clock, environment: {}, flags: {} }), clock);

/** Sends chunks to a new server, ends its input, and reads what it wrote until it ended. */
async function converse(...chunks: (string | Buffer)[]) {
  const { stdin, served, read, faults } = start();
  for (const chunk of chunks) stdin.write(chunk);
  stdin.end();
  await served;
  return { answers: read(), faults };
}

function start(answer = call) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const faults: string[] = [];
  let written = "";
  stdout.on("data", (chunk) => {
    written += chunk;
  });
  const read = () =>
    written
      .split("\n")
      .slice(0, -1)
      .map((line): Answer => JSON.parse(line));
  const served = serveStdio({
    stdin,
    stdout,
    call: answer,
    version: "0.0.0",
    about: demo.about,
    options: [],
    admit: () => {},
    onFault: ({ message }) => void faults.push(message),
  });
  return { stdin, served, read, faults };
}

const format = (frame: object) => `${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`;
const clientInfo = { name: "test", version: "1" };
const initialize = {
  id: "first",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
};
const initialized = { method: "notifications/initialized", params: {} };
const stats = {
  id: 2,
  method: "tools/call",
  params: { name: "get_stats", arguments: { site: "example.com" } },
};
const list = { id: 3, method: "tools/list", params: {} };

describe("a byte order mark before the first line is skipped", () => {
  const mark = Buffer.from("\ufeff");
  it.each([
    ["in one chunk", [Buffer.concat([mark, Buffer.from(format(initialize))])]],
    ["byte by byte", [...[0, 1, 2].map((at) => mark.subarray(at, at + 1)), format(initialize)]],
  ])("%s", async (_, chunks) => {
    const { answers, faults } = await converse(...chunks);
    expect([answers[0]?.result?.protocolVersion, faults]).toEqual(["2025-06-18", []]);
  });

  it("but not in the middle of a line", async () => {
    const { answers } = await converse(format({ id: "a\ufeffb", method: "ping" }));
    expect(answers).toEqual([{ jsonrpc: "2.0", id: "a\ufeffb", result: {} }]);
  });
});

describe("a line that is not a message", () => {
  it.each(["{bad", "hello", "{", "\ufffd"])("%j is a parse error, with one line of log", async (line) => {
    const { answers, faults } = await converse(format(initialize), `${line}\n`);
    expect(answers.find(({ id }) => id === null)?.error?.code).toBe(-32_700);
    expect(faults).toEqual(["a line on standard input is not JSON"]);
  });

  it.each(["", " ", "\r"])("%j is skipped", async (line) => {
    expect(await converse(`${line}\n`)).toEqual({ answers: [], faults: [] });
  });

  it.each(["[]", "1", "{}", `${"[".repeat(50_000)}${"]".repeat(50_000)}`])(
    "JSON that is not JSON-RPC logs one line: %.20s",
    async (line) => {
      const { faults } = await converse(format(initialize), `${line}\n`);
      expect(faults).toEqual(["a message is not valid JSON-RPC"]);
    },
  );
});

it.each([
  ["a member too many", { jsonrpc: "2.0", id: 4, method: "ping", more: 1 }],
  ["a batch", [{ jsonrpc: "2.0", id: 4, method: "ping" }]],
])("%s is refused", async (_, message) => {
  const { answers } = await converse(format(initialize), `${JSON.stringify(message)}\n`);
  expect(answers).toContainEqual({
    jsonrpc: "2.0",
    id: 4,
    error: { code: -32_600, message: "Invalid Request" },
  });
});

it.each([
  ["2024-11-05", "2024-11-05"],
  ["2025-03-26", "2025-03-26"],
  ["2025-11-25", "2025-11-25"],
  ["1999-01-01", "2025-11-25"],
])("a greeting in protocol version %s is answered in %s", async (protocolVersion, told) => {
  const { answers } = await converse(
    format({ ...initialize, params: { ...initialize.params, protocolVersion } }),
  );
  expect(answers[0]?.result?.protocolVersion).toBe(told);
});

it("a message of more than 10 MiB ends the server with an error that names the limit", async () => {
  const { stdin, served, faults } = start();
  for (let mebibytes = 0; mebibytes < 11; mebibytes++) stdin.write("x".repeat(2 ** 20));
  await expect(served).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("10 MiB"),
  });
  expect(faults).toEqual([]);
});

describe("at the end of input", () => {
  it("requests under way are answered, also one whose line has no end", async () => {
    const { answers, faults } = await converse(
      ...[initialize, initialized, stats, list].map(format),
      format({ ...stats, id: "last" }).trimEnd(),
    );
    expect([answers.map(({ id }) => id).sort(), faults]).toEqual([[2, 3, "first", "last"], []]);
  });

  it("a request that gets no answer within two minutes is refused", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { stdin, served, read } = start(() => new Promise(() => {}));
      const ended = once(stdin, "end");
      for (const frame of [initialize, initialized, stats]) stdin.write(format(frame));
      stdin.end();
      await ended;
      await setImmediate();
      await vi.advanceTimersByTimeAsync(119_000);
      expect(read().map(({ id }) => id)).toEqual(["first"]);
      await vi.advanceTimersByTimeAsync(1_000);
      await served;
      expect(read()[1]).toMatchObject({ id: 2, error: { code: -32_603 } });
    } finally {
      vi.useRealTimers();
    }
  });
});

it.each(["constructor", "__proto__", "toString", ""])("a tool %j is unknown", async (name) => {
  const { answers } = await converse(format(initialize), format({ ...stats, params: { name } }));
  expect(answers.find(({ id }) => id === 2)?.error).toMatchObject({ code: -32_602 });
});

describe("any type in any member of the first frames", () => {
  const deep: unknown = JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`);
  const values = [
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    "",
    "text",
    "\ud800",
    [],
    [null],
    {},
    { toString: 1 },
    { length: -1 },
    JSON.parse('{"__proto__":{"a":1}}'),
    deep,
    { a: deep },
  ];

  it.each([
    ["initialize", initialize],
    ["tools/call", stats],
    ["tools/list", list],
  ])("of %s: one answer each, and the next frame is answered", async (_, frame) => {
    const before = frame === initialize ? [] : [format(initialize), format(initialized)];
    for (const path of listPaths(frame)) {
      const variants = values.map((value) => replace(frame, path, value));
      for (const variant of variants) {
        const { answers } = await converse(...before, format(variant), format({ ...list, id: "then" }));
        const { id } = variant as { id?: unknown };
        const isReadable = typeof id === "string" || Number.isSafeInteger(id);
        const owed = isReadable && "method" in variant ? 1 : 0;
        expect(answers.filter((answer) => answer.id === id && id !== "then")).toHaveLength(owed);
        expect(answers.filter((answer) => answer.id === "then")).toHaveLength(1);
      }
    }
  });
});

type Path = string[];

function listPaths(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...listPaths(member).map((rest) => [name, ...rest]),
  ]);
}

function replace(value: object, [name = "", ...rest]: Path, by: unknown): object {
  const inner = rest.length === 0 ? by : replace(Object(Reflect.get(value, name)), rest, by);
  return { ...value, [name]: inner };
}
