// The minimum that answers `initialize` and `tools/list` on stdio: the lower bound for every MCP server in Node. With an
// address, a tool call is a request to it, by undici.
import { createInterface } from "node:readline";

const [, , url] = process.argv;
// Without an address, undici is not loaded.
const ask = url === undefined ? async () => "" : (await import("./bare-request.js")).createRequest(url);

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === "initialize"
      ? {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "bare", version: "0" },
        }
      : method === "tools/call"
        ? { content: [{ type: "text", text: await ask() }] }
        : { tools: [{ name: "nothing", inputSchema: { type: "object" } }] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
