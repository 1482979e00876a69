import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawn } from "../support/child-process.js";
import { recordFirstAnswers } from "../support/first-answers.js";

/** The program as it is built, and one that has no answers written down: its server says everything itself. */
const written = resolve("bin/analytics-mcp.js");
let plain: string;

beforeAll(() => {
  plain = join(mkdtempSync(join(tmpdir(), "opening-")), "bin/analytics-mcp.js");
  for (const each of ["bin", "dist", "package.json"]) {
    cpSync(each, resolve(dirname(plain), "..", each), { recursive: true });
  }
  rmSync(resolve(plain, "../../dist/first-answers.json"));
});
afterAll(() => rmSync(resolve(plain, "../.."), { recursive: true, force: true }));

/** What the program writes, line by line, in answer to chunks of text. */
async function converse(program: string, chunks: (string | Buffer)[], count: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, "--demo"], { stdio: ["pipe", "pipe", "pipe"] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const enough = new Promise<void>((done) => {
    reader.on("line", (line) => {
      if (lines.push(line) === count) done();
    });
    reader.on("close", done);
  });
  for (const chunk of chunks) {
    child.stdin.write(chunk);
    await new Promise((done) => setTimeout(done, 5));
  }
  await enough;
  child.stdin.end();
  // Whatever comes after all that should have come.
  await new Promise((done) => reader.once("close", done));
  return lines;
}

const clientInfo = { name: "test", version: "1" };
const frame = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const initialize = (params: object = {}, id: unknown = 0) =>
  frame({
    id,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo, ...params },
  });
const ready = frame({ method: "notifications/initialized" });
const list = (id: unknown, params?: object) => frame({ id, method: "tools/list", params });
const call = frame({ id: 9, method: "tools/call", params: { name: "list_sites", arguments: {} } });
const meta = (more: object = {}) => ({
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
    ...more,
  },
});
const capabilities = {
  roots: { listChanged: true },
  elicitation: { form: {} },
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};
const bytes = Buffer.from(initialize({ clientInfo: { name: "Zoë", version: "1" } }, "naïve"));

/** What is sent, and how many answers there are to it. */
const sessions: Record<string, [(string | Buffer)[], number]> = {
  "a session": [[initialize(), ready, list(1), call], 3],
  "all in one": [[initialize() + ready + list(1) + call], 3],
  "in small pieces, amid a letter": [
    [bytes.subarray(0, 8), ...split(bytes.subarray(8)), ready, list("ë")],
    2,
  ],
  "with CRLF": [[initialize().replace("\n", "\r\n"), list(1).replace("\n", "\r\n")], 2],
  "a client that can do much": [[initialize({ capabilities }), ready, list(1)], 2],
  "every list, and a ping": [
    [
      initialize(),
      ready,
      ...["prompts/list", "resources/templates/list", "resources/list", "ping"].map((method, id) =>
        frame({ id: id + 1, method }),
      ),
    ],
    5,
  ],
  "an unknown version": [[initialize({ protocolVersion: "1999-01-01" }), ready, list(1)], 2],
  "capabilities of the wrong type": [[initialize({ capabilities: { roots: true } }), list(1)], 2],
  "no name": [[initialize({ clientInfo: { version: "1" } }), list(1)], 2],
  "a member more": [[initialize({ more: 1 }), ready, list(1)], 2],
  "a cursor": [[initialize(), ready, list(1, { cursor: "x" })], 2],
  "a list of nothing": [[initialize(), ready, frame({ id: 1, method: "constructor" })], 2],
  "an id twice": [[initialize(), ready, list(1), list(1), call], 4],
  "initialized twice": [[initialize({}, 0), initialize({}, 1), list(2)], 3],
  "a fraction for an id": [[initialize({}, 0.5), list(1)], 1],
  "no initialization": [[list(1)], 1],
  "nonsense first": [["nonsense\n", initialize(), ready, list(1)], 2],
  "an empty line": [[`\n${initialize()}`, ready, list(1)], 2],
  "the current revision": [
    [frame({ id: "a", method: "server/discover", params: meta() }), list("b", meta()), list("c", meta())],
    3,
  ],
  "the current revision, with a token": [
    [frame({ id: 1, method: "server/discover", params: meta() }), list(2, meta({ progressToken: 1 }))],
    2,
  ],
  "both revisions": [[initialize(), ready, list(1, meta()), call], 3],
  "nothing but a call": [
    [frame({ id: 1, method: "tools/call", params: { name: "list_sites", ...meta() } })],
    1,
  ],
};

function split(text: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(text.length / 50) }, (_, at) => text.subarray(at * 50, at * 50 + 50));
}

describe("the opening of a session", () => {
  it.each(Object.entries(sessions))(
    "%s: the client reads what the server alone would say",
    async (_, asked) => {
      const [chunks, count] = asked;
      const [seen, expected] = await Promise.all(
        [written, plain].map((each) => converse(each, chunks, count)),
      );
      // An answer need not wait for one that was asked for before (JSON-RPC 2.0, section 6).
      expect(seen?.map(withoutTime).sort()).toEqual(expected?.map(withoutTime).sort());
      expect(seen).toHaveLength(count);
    },
  );

  it("what is written down is what the server says", async () => {
    const { common, service, demo } = await recordFirstAnswers(plain);
    expect(Object.keys(common)).toContain("tools/list");
    expect(Object.keys(service)).toEqual(Object.keys(demo));
    expect({ common, service, demo }).toEqual(
      await import(resolve("dist/first-answers.json"), { with: { type: "json" } }).then(
        (each) => each.default,
      ),
    );
  });

  it("a client that asks and leaves gets its answers", async () => {
    expect(await converse(written, [initialize() + list(1)], 2)).toHaveLength(2);
  });
});

const withoutTime = (line: string) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:+Z-]+/g, "<time>");
