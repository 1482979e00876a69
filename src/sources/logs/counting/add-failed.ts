import { isUnprompted } from "../../../operations/not-found.ts";
import { OTHER } from "../../measure/definition.ts";
import type { LogLine } from "../reading/log-line.ts";
import { chargeLink, type Failed, spaceOf } from "./charge-values.ts";
import { countRequest, type Link } from "./failed-requests.ts";
import { limitText } from "./limits.ts";
import { readPage } from "./line-values.ts";
import type { OpenDay } from "./open-day.ts";
import { createIsOwnHost, readLinkingPage } from "./origin.ts";
import type { RequestTarget } from "./request.ts";

/*
 * What people asked for by GET and did not get: because it is not there (404 and 410), or because the server failed (5xx).
 * Whether a sender is a person is known when the day is counted, so until then the requests of all senders but bots are kept,
 * as one row for each sender and link.
 */

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
  const { [kind]: failed } = day;
  const link = limitLink(day, kind, readLink(referrer, asked, context), sender);
  if (failed.links.find(link) === undefined)
    chargeLink(day, kind, link, sender, failed.links.paths.find(link.path) !== undefined);
  const number = failed.links.number(link);
  countRequest(failed, sender, number);
  return number;
}

/** The link as it is kept: without the page that led there, or folded, if there is no room for more from this sender. */
function limitLink(day: OpenDay, kind: Failed, link: Link, sender: number): Link {
  if (day[kind].links.find(link) !== undefined) return link;
  const { values } = day;
  const path = values.limit(spaceOf(kind), link.path, sender);
  if (path === OTHER) return { path: OTHER, referrer: OTHER };
  const isAdmitted = values.admits(spaceOf(kind), `${link.path} ${link.referrer}`, sender);
  return isAdmitted ? link : { path: link.path, referrer: OTHER };
}

function readLink(referrer: string | undefined, asked: RequestTarget, context: RequestContext): Link {
  const { domain, rawHost, keepQuery } = context;
  const isOwn = createIsOwnHost(domain, rawHost);
  const page = readLinkingPage(referrer, isOwn, (target) => readPage(target, keepQuery));
  return { path: readPage(asked, keepQuery), referrer: page && limitText(page) };
}
