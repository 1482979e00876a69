import type { ServerResponse } from "node:http";
import { LLMS_TXT_LINK } from "../documents/llms.ts";
import { pageHeaders } from "./pages/html-document.ts";

type Headers = Record<string, string>;

export function sendPage(
  response: ServerResponse,
  status: number,
  html: string,
  headers: Headers = {},
): void {
  response.writeHead(status, { ...pageHeaders, Link: LLMS_TXT_LINK, ...headers }).end(html);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers = {},
): void {
  const defaults = {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  };
  response.writeHead(status, { ...defaults, ...headers }).end(JSON.stringify(body));
}

/** For scripts of any web page: nothing here goes by cookies, so no page gains by asking. */
export const openToScripts: Headers = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
  "Access-Control-Expose-Headers": "WWW-Authenticate, Mcp-Session-Id, Retry-After",
  "Access-Control-Max-Age": "7200",
};
