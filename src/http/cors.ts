import type { IncomingMessage, ServerResponse } from "node:http";

/** Any web page may send requests here: none of these endpoints uses cookies, so a page gains nothing by it. */
const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
  "Access-Control-Expose-Headers": "WWW-Authenticate, Mcp-Session-Id, Retry-After",
  "Access-Control-Max-Age": "7200",
};

/** Lets scripts of any web page read the answer. Answers a preflight request, and returns whether it was one. */
export function handleCors(request: IncomingMessage, response: ServerResponse): boolean {
  for (const [name, value] of Object.entries(corsHeaders)) response.setHeader(name, value);
  if (request.method !== "OPTIONS") return false;
  response.writeHead(204).end();
  return true;
}
