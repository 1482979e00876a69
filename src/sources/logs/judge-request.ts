import type { LogLine } from "./log-line.ts";
import type { Outcome } from "./outcomes.ts";
import { classifyPath } from "./page-path.ts";
import type { RequestTarget } from "./request.ts";

const HTML = /^(?:text\/html|application\/xhtml\+xml)/i;

/** What a browser's request counts as: a page view, a download, or why it is neither. */
export function judgeRequest(line: LogLine, { path, query }: RequestTarget): Outcome {
  const { method, status, contentType, purpose } = line;
  if (method !== "GET") return "method";
  if (status >= 500) return "server_error";
  if (status >= 400) return "not_found";
  const asked = classifyPath(path, query);
  if (asked === "static" || asked === "feed" || asked === "data") return asked;
  if (purpose !== undefined && /prefetch|preview|prerender/i.test(purpose)) return "data";
  if (asked === "download") return status === 200 ? "download" : "redirect";
  if (status !== 200 && status !== 304) return "redirect";
  // A 304 need not state its content type.
  if (contentType && status === 200 && !HTML.test(contentType)) return "data";
  return "page_view";
}
