// What the SDK's server and undici take by themselves: tools that pass on the service's answer as it comes.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Agent } from "undici";
import * as z from "zod";

const [, , url = "", ...names] = process.argv;
const { origin, pathname, search } = new URL(url);
const headers = { authorization: `Bearer ${process.env.ANALYTICS_API_KEY}` };
const agent = new Agent();
const inputSchema = z.looseObject({ site: z.string().optional() });

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "0" });
  for (const name of names) {
    server.registerTool(name, { inputSchema }, async () => {
      const answer = await agent.request({ origin, path: pathname + search, method: "GET", headers });
      return { content: [{ type: "text", text: await answer.body.text() }] };
    });
  }
  return server;
});
