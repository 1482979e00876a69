import { PassThrough, type Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { hasOnly, isClient, isObject, parse, readMessage, readStateless } from "./usual.ts";

/**
 * What the server answers to a client's first requests, as JSON text by what is asked: the build writes it down from
 * the server itself, for it is the same each time.
 */
export type FirstAnswers = ReadonlyMap<string, string>;

export interface Opening {
  /** All that the client has sent and sends, for the server. */
  stdin: Readable;
  /** Passes the server's messages on, but for answers that the client has had already. */
  stdout: Writable;
  /** Resolves when the server is needed. */
  over: Promise<void>;
}

/** How long a client may think before the server is loaded without being asked for, in milliseconds. */
const PATIENCE_MS = 150;
/** Longer than any first request. */
const MOST_BYTES = 65_536;

/**
 * The opening of a session on stdio. People wait for the tools to appear, and loading the server takes most of that
 * time; so what every client asks first is answered from what was written down, before the server is there. The
 * server gets those requests all the same, and what it answers to them is dropped: it is in the state that it would
 * be in otherwise, and all else waits for it, in order. What is in any way unusual is left to it, too.
 */
export function openSession(stdin: Readable, stdout: Writable, answers: FirstAnswers): Opening {
  const received = new PassThrough();
  const answered = new Set<unknown>();
  let [line, generation, isOver] = ["", undefined as string | undefined, false];
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true;
      clearTimeout(timer);
      resolve();
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(end, PATIENCE_MS);
    };
    const take = (frame: string) => {
      const asked = readFrame(frame, generation);
      if (asked === undefined) return end();
      if (asked.id === undefined) return;
      const answer = answers.get(asked.what);
      if (answer === undefined || answered.has(asked.id)) return end();
      generation = asked.generation;
      answered.add(asked.id);
      stdout.write(`{"result":${answer},"jsonrpc":"2.0","id":${JSON.stringify(asked.id)}}\n`);
      wait();
    };
    const decoder = new StringDecoder();
    stdin.on("data", (chunk: Buffer) => {
      received.write(chunk);
      if (isOver) return;
      const frames = (line + decoder.write(chunk)).split("\n");
      line = frames.pop() ?? "";
      for (const frame of frames) if (!isOver) take(frame);
      if (line.length > MOST_BYTES) end();
    });
    stdin.once("end", () => received.end());
    stdin.once("close", () => received.destroy());
    stdin.once("error", (error) => received.destroy(error));
    for (const event of ["end", "close"]) stdin.once(event, end);
    wait();
  });
  return { stdin: received, stdout: createFilter(stdout, answered), over };
}

interface Asked {
  /** Absent in a notification. */
  id?: string | number;
  what: string;
  generation?: string;
}

/** A first request or notification in its usual form; undefined for whatever is not one. */
function readFrame(frame: string, generation: string | undefined): Asked | undefined {
  const message = readMessage(frame);
  if (message === undefined) return undefined;
  const { id, method, params } = message;
  if (id === undefined) return method === "notifications/initialized" ? { what: method } : undefined;
  if (method === "initialize") {
    const { protocolVersion, capabilities, clientInfo, ...others } = params;
    if (generation !== undefined || !hasOnly(others, []) || !isClient(clientInfo, capabilities))
      return undefined;
    return { id, what: `initialize ${protocolVersion}`, generation: "session" };
  }
  if (generation === "session") return hasOnly(params, []) ? { id, what: method, generation } : undefined;
  const revision = hasOnly(params, ["_meta"]) ? readStateless(params._meta) : undefined;
  return revision === undefined ? undefined : { id, what: `${method} ${revision}`, generation: "stateless" };
}

/** The server writes a message at a time. */
function createFilter(stdout: Writable, answered: Set<unknown>): Writable {
  const filter = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _, done) => {
      const message = answered.size > 0 ? parse(chunk.toString()) : undefined;
      if (isObject(message) && !("method" in message) && answered.delete(message.id)) return done();
      stdout.write(chunk, done);
    },
  });
  stdout.once("close", () => filter.destroy());
  stdout.once("error", () => filter.destroy());
  return filter;
}
