import type { ServerResponse } from "node:http";
import { LLMS_TXT_LINK } from "../documents/llms.ts";
import { pageHeaders } from "./pages/html-document.ts";

export function sendPage(
  response: ServerResponse,
  status: number,
  html: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { ...pageHeaders, Link: LLMS_TXT_LINK, ...headers }).end(html);
}
