import { isUnprompted } from "../../../operations/not-found.ts";
import { OTHER } from "../../measure/definition.ts";
import type { LogLine } from "../reading/log-line.ts";
import { increase } from "./columns.ts";
import { countRequest, type FailedRequests, findRow, type Link } from "./failed-requests.ts";
import { limitText, MAX_VALUES } from "./limits.ts";
import { readPage } from "./line-values.ts";
import type { OpenDay } from "./open-day.ts";
import { createIsOwnHost, readLinkingPage } from "./origin.ts";
import type { RequestTarget } from "./request.ts";

/*
 * What people asked for by GET and did not get: because it is not there (404 and 410), or because the server failed (5xx).
 * Whether a sender is a person is known when the day is counted, so until then the requests of all senders but bots are kept,
 * as one row for each sender and link.
 */

type Failed = "notFound" | "serverErrors";

/** How a request failed; undefined if it did not, or is for what browsers ask for by themselves. */
export function findFailure({ method, status }: LogLine, { path }: RequestTarget): Failed | undefined {
  if (method !== "GET" || isUnprompted(path)) return undefined;
  return status === 404 || status === 410 ? "notFound" : isServerError(status) ? "serverErrors" : undefined;
}

export const isServerError = (status: number): boolean => status >= 500 && status < 600;

/** What a request is judged by, in addition to its line. */
export interface RequestContext {
  domain: string;
  /** The host of the line, which may be another name of the site. */
  rawHost: string | undefined;
  /** The query parameters that are part of a page. */
  keepQuery: readonly string[];
}

/** Adds such a request. Returns the number of its link. */
export function addFailed(
  day: OpenDay,
  kind: Failed,
  sender: number,
  { referrer }: LogLine,
  asked: RequestTarget,
  context: RequestContext,
): number {
  const { values, [kind]: failed } = day;
  const space = SPACES[kind];
  const read = readLink(referrer, asked, context);
  const link = values.limit(space, read.path, sender) === OTHER ? FOLDED : limitReferrer(failed, read);
  const known = failed.links.find(link);
  const row = known === undefined ? undefined : findRow(failed, sender, known);
  if (known !== undefined && row !== undefined) {
    increase(failed.requests, row, 1);
    return known;
  }
  // Who asks for what others asked for makes the day as long as who asks for something new.
  const kept = values.addCombination(sender) ? link : FOLDED;
  values.add(space, kept.path, sender);
  const number = failed.links.number(kept);
  countRequest(failed, sender, number);
  return number;
}

const SPACES = { notFound: "not_found", serverErrors: "server_errors" } as const;

const FOLDED: Link = { path: OTHER, referrer: OTHER };

function readLink(referrer: string | undefined, asked: RequestTarget, context: RequestContext): Link {
  const { domain, rawHost, keepQuery } = context;
  const isOwn = createIsOwnHost(domain, rawHost);
  const page = readLinkingPage(referrer, isOwn, (target) => readPage(target, keepQuery));
  return { path: readPage(asked, keepQuery), referrer: page && limitText(page) };
}

/** The link as it is kept if the day has too many. */
function limitReferrer({ links }: FailedRequests, link: Link): Link {
  const isFull = links.size >= MAX_VALUES && links.find(link) === undefined;
  return isFull ? { path: link.path, referrer: OTHER } : link;
}
