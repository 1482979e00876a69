// The minimum that answers `initialize` and `tools/list` on stdio: the lower bound for every MCP server in Node.
import { createInterface } from "node:readline";

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === "initialize"
      ? {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "bare", version: "0" },
        }
      : { tools: [{ name: "nothing", inputSchema: { type: "object" } }] };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
