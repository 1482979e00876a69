import type { ErrorCode } from "../../src/errors.ts";
import { type Answer, answerRightly, type Fault, format, type Wire } from "../support/fault-proxy.ts";

/** The expected outcome: the right answer, or an error with this code. */
export type Outcome = "right" | ErrorCode;

export interface NamedFault {
  name: string;
  outcome: Outcome;
  fault: Fault;
  /** Ends by a time limit: too slow for a process with its own limits, unless LONG=1. */
  slow?: true;
}

type Edit = (right: Answer, wire: Wire) => Partial<Answer>;

/** Sends the right answer with parts replaced. */
export const edited =
  (edit: Edit): Fault =>
  (wire) =>
    wire.socket.write(format({ ...wire.right, ...edit(wire.right, wire) }));

/** Sends bytes instead of an answer, and hangs up. */
export const raw =
  (write: (right: Answer, wire: Wire) => Buffer | string): Fault =>
  (wire) =>
    wire.socket.end(write(wire.right, wire));

export const withHeaders = (headers: Record<string, string>): Fault =>
  edited((right) => ({ headers: { ...right.headers, ...headers } }));
export const withHead = (...lines: string[]): Fault =>
  raw((right) => Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), right.body]));
export const withBody = (write: (body: Buffer) => Buffer | string): Fault =>
  edited(({ body }) => ({ body: Buffer.from(write(body)) }));
/** Fails a number of times before it answers. */
export const atFirst =
  (times: number, fault: Fault): Fault =>
  (wire) =>
    (wire.count <= times ? fault : answerRightly)(wire);
export const reply = (status: number, headers: Record<string, string> = {}, body = ""): Fault =>
  edited(() => ({ status, headers, body: Buffer.from(body) }));

function chunk(body: Buffer, size = 100): Buffer[] {
  const count = Math.ceil(body.length / size);
  const parts = Array.from({ length: count }, (_, index) => body.subarray(index * size, (index + 1) * size));
  return [
    ...parts.map((part) => Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, CRLF])),
    Buffer.from("0\r\n\r\n"),
  ];
}
export const CRLF = Buffer.from("\r\n");
export const chunked = (right: Answer): Answer => ({
  ...right,
  headers: { ...right.headers, "transfer-encoding": "chunked" },
  body: Buffer.concat(chunk(right.body)),
});

export const always = (outcome: Outcome, table: Record<string, Fault>): NamedFault[] =>
  Object.entries(table).map(([name, fault]) => ({ name, outcome, fault }));

export const JSON_TYPE = { "content-type": "application/json" };
export const PAGE = "<!doctype html><title>Sign in</title>";
