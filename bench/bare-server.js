// What the SDK's server and undici take by themselves: tools that pass on the service's answer unchanged.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { createRequest } from "./bare-request.js";

const [, , url = "", ...names] = process.argv;
const ask = createRequest(url);
const inputSchema = z.looseObject({ site: z.string().optional() });

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "0" });
  for (const name of names) {
    server.registerTool(name, { inputSchema }, async () => ({
      content: [{ type: "text", text: await ask() }],
    }));
  }
  return server;
});
