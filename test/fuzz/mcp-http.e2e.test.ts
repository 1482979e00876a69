import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO_KEY } from "../support/api.ts";
import { signIn } from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";
import { brokenFrame, type Generation, lastRequest, readAnswers, readExpected } from "./frames.ts";
import { fuzz, TIMEOUT_MS } from "./fuzz.ts";
import { createSender, headerValue, type Received, type Sent, toBytes } from "./http.ts";
import { writeOut } from "./mutations.ts";

const PATIENCE_MS = 30_000;
/** For what stays open until one side ends it. */
const LISTENING_MS = 50;
const STATUSES = [200, 202, 204, 400, 401, 403, 404, 405, 406, 413, 415];

let connector: Awaited<ReturnType<typeof startTestConnector>>;
let sender: ReturnType<typeof createSender>;
let token = "";
beforeAll(async () => {
  connector = await startTestConnector();
  token = (await signIn(connector.publicUrl)).access;
  sender = createSender(connector.publicUrl, PATIENCE_MS);
});
afterAll(async () => {
  sender.close();
  await connector.close();
});

const headerNames = [
  "accept",
  "content-type",
  "mcp-protocol-version",
  "mcp-session-id",
  "mcp-method",
  "mcp-name",
  "last-event-id",
  "origin",
  "authorization",
  "accept-encoding",
  "x-forwarded-for",
  "forwarded",
  "host",
];

/** One request of a client, mostly with the headers that it should have. */
const requests: fc.Arbitrary<Sent> = fc.constantFrom<Generation>("current", "before").chain((generation) =>
  fc
    .record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant("POST") },
        { weight: 1, arbitrary: fc.constantFrom("GET", "DELETE", "PUT", "OPTIONS", "HEAD", "PATCH") },
      ),
      path: fc.constantFrom("/mcp", "/mcp", "/mcp", "/mcp/", "/mcp?x=1", "/mcp?"),
      body: brokenFrame(generation),
      odd: fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...headerNames), headerValue, { maxKeys: 2 }) },
      ),
    })
    .map(({ method, path, body, odd }) => ({
      method,
      path,
      body,
      headers: { ...describe(generation, body), ...odd },
    })),
);

/** The headers that go with a body; where nothing can be read of it, those of a call. */
function describe(generation: Generation, body: string): Record<string, string> {
  const isCurrent = generation === "current";
  const [, method = "tools/call"] = /"method":"([\w/]{1,50})"/.exec(body) ?? [];
  const [, name] = /"(?:name|uri)":"([\w:/.-]{1,50})"/.exec(body) ?? [];
  return {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": isCurrent ? "2026-07-28" : "2025-11-25",
    ...(isCurrent && { "mcp-method": method, ...(name !== undefined && { "mcp-name": name }) }),
    ...(!isCurrent && { "mcp-session-id": "a session" }),
  };
}

function readFrames({ text, headers }: Received): string[] {
  const isStream = String(headers["content-type"]).startsWith("text/event-stream");
  if (!isStream) return text === "" ? [] : [text];
  return text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []));
}

const post = (sent: Sent, body: string) => ({
  ...sent,
  headers: { authorization: `Bearer ${token}`, ...sent.headers },
  body: toBytes(body),
});

it("answers each request of any body once, with a status that is documented", { timeout: TIMEOUT_MS }, () =>
  fuzz("mcp-http", requests, async (request) => {
    const body = writeOut(request.body);
    const listens = /subscriptions.{1,6}listen/.test(body);
    const answer = await sender.send(post(request, body), listens ? LISTENING_MS : PATIENCE_MS);
    expect(STATUSES).toContain(answer.status);
    expect(answer.ended || listens).toBe(true);
    expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(new RegExp(`${token}|${DEMO_KEY}`));
    if ([401, 403, 405].includes(answer.status)) return;
    const answered = readAnswers(readFrames(answer));
    const { asked, owed } = readExpected([body]);
    for (const [key, count] of answered) {
      if (key !== "none") expect([key, count <= (asked.get(key) ?? 0)]).toEqual([key, true]);
    }
    const isTaken = answer.status === 200 || answer.status === 202;
    if (isTaken && request.method === "POST") {
      expect([...owed].filter((key) => !answered.has(key))).toEqual([]);
    }
    const lines = connector.lines.splice(0).join("\n");
    expect(lines).not.toMatch(new RegExp(`${token}|${DEMO_KEY}`));
  }),
);

it("answers as before when it is over", async () => {
  const body = lastRequest("the last");
  const headers = describe("current", body);
  const answer = await sender.send(post({ method: "POST", path: "/mcp", headers, body }, body));
  expect(answer.status).toBe(200);
  expect(readAnswers(readFrames(answer)).get('"the last"')).toBe(1);
});
