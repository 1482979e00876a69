import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serve } from "@modelcontextprotocol/server/stdio";
import { createInvalidRequestCheck } from "./invalid-requests.ts";
import { createServer, type McpServerOptions } from "./mcp-server.ts";

export interface StdioOptions extends McpServerOptions {
  stdin: Readable;
  stdout: Writable;
  /** Told of broken frames and transport failures. */
  onFault: (fault: Error) => void;
}

/** Serves MCP on a pair of streams to clients of both protocol generations; resolves when the client has gone. */
export async function serveStdio({ stdin, stdout, onFault, ...options }: StdioOptions): Promise<void> {
  // The transport has each answer wait with listeners of its own where the client reads slowly.
  stdout.setMaxListeners(0);
  const transport = new StdioServerTransport(stdin, stdout);
  const gone = new Promise<void>((resolve) => {
    // The transport closes by itself when a frame is too long, and stops reading: no end of input would be seen.
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
