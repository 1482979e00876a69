import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { createInvalidRequestCheck } from "./invalid-requests.ts";
import { createServer } from "./mcp-server.ts";
import type { McpServerOptions } from "./server-options.ts";

export interface StdioOptions extends McpServerOptions {
  stdin: Readable;
  stdout: Writable;
  /** Called for invalid frames and transport failures. */
  onFault: (fault: Error) => void;
}

/** Serves MCP on a pair of streams to clients of both protocol generations. Resolves when the client disconnects. */
export async function serveStdio({ stdin, stdout, onFault, ...options }: StdioOptions): Promise<void> {
  // If the client reads slowly, the transport adds listeners for each answer that waits.
  stdout.setMaxListeners(0);
  const transport = new StdioServerTransport(stdin, stdout);
  const gone = new Promise<void>((resolve) => {
    // If a frame is too long, the transport closes and stops reading, so the end of input never arrives.
    const close = transport.close.bind(transport);
    transport.close = () => close().then(resolve);
    stdin
      .once("end", resolve)
      .once("close", resolve)
      .once("error", () => resolve());
    stdout.once("close", resolve).once("error", () => resolve());
  });
  const handle = serve(() => createServer(options), { transport, onerror: onFault });
  stdin.on(
    "data",
    createInvalidRequestCheck((refusal) => void transport.send(refusal).catch(onFault)),
  );
  await gone;
  await handle.close();
}
