// The minimum that answers a tool call over HTTP, with an answer as long as a real one: the lower bound for `/mcp`.
import { createServer } from "node:http";

const [, , answer = "{}"] = process.argv;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { id } = JSON.parse(body);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: JSON.parse(answer) }));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : address;
  process.stderr.write(`Bare at http://127.0.0.1:${port}\n`);
});
