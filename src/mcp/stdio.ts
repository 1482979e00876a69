import { type Readable, Transform, type Writable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { AnalyticsError } from "../errors.ts";
import { createInvalidRequestCheck } from "./invalid-requests.ts";
import { createServer } from "./mcp-server.ts";
import { followRequests } from "./open-requests.ts";
import type { McpServerOptions } from "./server-options.ts";

export interface StdioOptions extends McpServerOptions {
  stdin: Readable;
  stdout: Writable;
  /** Called for invalid frames and transport failures. */
  onFault: (fault: Error) => void;
}

/**
 * Serves MCP on a pair of streams to clients of both protocol generations. Resolves when the client disconnects: after the end of
 * input, requests under way are answered first. Throws AnalyticsError `too_large` if the client sends a message that the SDK's
 * transport does not take.
 */
export async function serveStdio({ stdin, stdout, onFault, ...options }: StdioOptions): Promise<void> {
  // If the client reads slowly, the transport adds listeners for each answer that waits.
  stdout.setMaxListeners(0);
  // At the end of its input, the SDK's transport would abort what it has not answered, so that it never sees the end.
  const input = stdin.pipe(createByteOrderMarkFilter(), { end: false });
  const transport = new StdioServerTransport(input, stdout);
  let fault: AnalyticsError | undefined;
  const disconnected = new Promise<void>((resolve) => {
    // If a message is too long, the transport closes and stops reading, so the end of input never arrives.
    const close = transport.close.bind(transport);
    transport.close = () => close().then(resolve);
    stdin.once("close", () => stdin.readableEnded || resolve()).once("error", () => resolve());
    stdout.once("close", resolve).once("error", () => resolve());
  });
  const handle = serve(() => createServer(options), {
    transport,
    onerror: (error) => {
      if (TOO_LONG.test(error.message)) fault = new AnalyticsError("too_large", TOO_LONG_MESSAGE);
      else onFault(isSchemaError(error) ? new Error("a message is not valid JSON-RPC") : error);
    },
  });
  const untilAnswered = followRequests(transport);
  input.on(
    "data",
    createInvalidRequestCheck((refusal) => {
      if (refusal.id === null) onFault(new Error("a line on standard input is not JSON"));
      void transport.send(refusal as JSONRPCMessage).catch(onFault);
    }),
  );
  const ended = new Promise((resolve) => stdin.once("end", resolve));
  const answered = ended.then(async () => {
    // The last line may lack its line break.
    input.write("\n");
    await setImmediate();
    await untilAnswered();
    const written = new Promise((resolve) => stdout.write("", resolve));
    await Promise.race([written, setTimeout(WRITING_MS, undefined, { ref: false })]);
  });
  await Promise.race([disconnected, answered]);
  await handle.close();
  if (fault) throw fault;
}

/** How long a client may take to read the last answers. */
const WRITING_MS = 5_000;

/** How the SDK's transport reports a message of more than 10 MiB, which it then forgets; its errors have no codes. */
const TOO_LONG = /^ReadBuffer exceeded maximum size/;
const TOO_LONG_MESSAGE = "The client sent a message of more than 10 MiB, so the server stopped.";

/** The SDK passes on zod's error, whose message is a JSON document of many lines. */
const isSchemaError = ({ name }: Error) => name === "ZodError" || name === "$ZodError";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Removes a byte order mark from the start of the input, where PowerShell writes one. */
function createByteOrderMarkFilter(): Transform {
  let start: Buffer | undefined = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (start === undefined) return done(null, chunk);
      start = Buffer.concat([start, chunk]);
      if (start.length < 3 && BYTE_ORDER_MARK.subarray(0, start.length).equals(start)) return done();
      const text = start.subarray(0, 3).equals(BYTE_ORDER_MARK) ? start.subarray(3) : start;
      start = undefined;
      done(null, text);
    },
  });
}
