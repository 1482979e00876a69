import { Agent, request } from "node:http";
import fc from "fast-check";

export interface Sent {
  method: string;
  /** The request's target exactly as it is sent. */
  path: string;
  headers: Record<string, string>;
  /** Bytes as Latin-1 has them, so that any can be kept as text. */
  body: string;
}

export interface Received {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** False where the answer did not end in time. */
  ended: boolean;
}

export const toBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** One request, of whatever form HTTP allows; waits for the whole answer as long as it is told to. */
export function createSender(origin: string, patience: number) {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const send = ({ method, path, headers, body }: Sent, wait = patience) =>
    new Promise<Received>((resolve, reject) => {
      const bytes = Buffer.from(body, "latin1");
      // Without it Node sends a body of OPTIONS, say, as if it were another request.
      const length = bytes.length === 0 ? {} : { "content-length": String(bytes.length) };
      const all = { ...length, ...headers };
      const sent = request({ agent, host: hostname, port, method, path, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        const finish = (ended: boolean) => {
          clearTimeout(timer);
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, ended });
          if (!ended) sent.destroy();
        };
        const timer = setTimeout(() => finish(false), wait);
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => finish(true)).on("error", () => finish(false));
      });
      sent.setTimeout(patience, () => sent.destroy(new Error("There was no answer.")));
      sent.on("error", (cause) => reject(new Error(`${method} ${path}: ${cause.message}`, { cause })));
      sent.end(bytes);
    });
  return { send, close: () => agent.destroy() };
}

/** What may stand in a header: no control characters, and nothing beyond Latin-1. */
export const headerValue: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "*/*",
    "application/json",
    "text/event-stream",
    "text/html",
    "null",
    "a, b",
    "0",
    "-1",
    "1e9",
    "application/json; charset=utf-16",
    "multipart/form-data; boundary=x",
    "Bearer",
    "Basic Og==",
    '"',
    "2026-07-28",
    "2025-11-25",
    "1900-01-01",
    "gzip",
    "identity, *;q=0",
    "é",
    "%",
    "=?utf-8?B?AA==?=",
    ";;",
    "x".repeat(3_000),
  ),
  fc
    .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff })), {
      maxLength: 20,
    })
    .map((codes) => String.fromCharCode(...codes).trim()),
);
