import { classifyPath } from "../../measure/path-kinds.ts";
import type { LogLine } from "../reading/log-line.ts";
import type { RequestTarget } from "./request.ts";

/** What becomes of a line: each has exactly one of these, so that their counts add up to the lines. */
export const outcomes = {
  page_view: "page views",
  download: "downloads",
  bot: "bots, by their user agent",
  static: "styles, scripts, images, fonts",
  not_found: "answered 4xx",
  redirect: "redirects, answers without a page",
  server_error: "answered 5xx",
  method: "not GET: forms, HEAD",
  data: "data for pages, prefetches",
  feed: "feeds",
  excluded: "left out by your options",
  other_host: "hosts that are not sites",
  no_request: "no HTTP request",
  late: "too late: their day was closed",
} as const;

export type Outcome = keyof typeof outcomes;
export type Outcomes = Record<Outcome, number>;

export const createOutcomes = (): Outcomes => {
  const counts = Object.keys(outcomes).map((outcome) => [outcome, 0]);
  // The keys are those of `outcomes`.
  return Object.fromEntries(counts) as Outcomes;
};

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
