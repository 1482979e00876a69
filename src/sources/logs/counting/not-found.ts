import { isUnprompted } from "../../../operations/not-found.ts";
import { OTHER } from "../../measure/definition.ts";
import type { LogLine } from "../reading/log-line.ts";
import { append, increase } from "./columns.ts";
import { limitText, MAX_VALUES } from "./limits.ts";
import { readPage } from "./line-values.ts";
import type { Link, NotFoundRequests } from "./not-found-requests.ts";
import type { OpenDay } from "./open-day.ts";
import { createIsOwnHost, readLinkingPage } from "./origin.ts";
import type { RequestTarget } from "./request.ts";

/*
 * What people asked for by GET and did not get: 404 and 410. Whether a sender is a person is known when the day is counted,
 * so until then the requests of all senders but bots are kept, as one row for each sender and link.
 */

/** Whether a request is for something that is not there, and that no browser asks for by itself. */
export const isNotFound = ({ method, status }: LogLine, { path }: RequestTarget): boolean =>
  method === "GET" && (status === 404 || status === 410) && !isUnprompted(path);

/** What a request is judged by, in addition to its line. */
interface Context {
  domain: string;
  /** The host of the line, which may be another name of the site. */
  rawHost: string | undefined;
  /** The query parameters that are part of a page. */
  keepQuery: readonly string[];
}

/** Adds such a request. Returns the number of its link. */
export function addNotFound(
  day: OpenDay,
  sender: number,
  { referrer }: LogLine,
  asked: RequestTarget,
  context: Context,
): number {
  const { notFound, values } = day;
  const link = limitLink(day, sender, readLink(referrer, asked, context));
  const known = notFound.links.find(link);
  const row = known === undefined ? undefined : findRow(notFound, sender, known);
  if (known !== undefined && row !== undefined) {
    increase(notFound.requests, row, 1);
    return known;
  }
  // Who asks for what others asked for makes the day as long as who asks for something new.
  const kept = values.addCombination(sender) ? link : FOLDED;
  values.add("not_found", kept.path, sender);
  const number = notFound.links.number(kept);
  increase(notFound.requests, findRow(notFound, sender, number) ?? addRow(notFound, sender, number), 1);
  return number;
}

const FOLDED: Link = { path: OTHER, referrer: OTHER };

function readLink(referrer: string | undefined, asked: RequestTarget, context: Context): Link {
  const { domain, rawHost, keepQuery } = context;
  const isOwn = createIsOwnHost(domain, rawHost);
  const page = readLinkingPage(referrer, isOwn, (target) => readPage(target, keepQuery));
  return { path: readPage(asked, keepQuery), referrer: page && limitText(page) };
}

/** The link as it is kept if the day, or the sender, has too many. */
function limitLink({ notFound: { links }, values }: OpenDay, sender: number, link: Link): Link {
  if (values.limit("not_found", link.path, sender) === OTHER) return FOLDED;
  const isFull = links.size >= MAX_VALUES && links.find(link) === undefined;
  return isFull ? { path: link.path, referrer: OTHER } : link;
}

function findRow({ sender, link, rows }: NotFoundRequests, asking: number, by: number): number | undefined {
  for (let row = rows.size; row < sender.length; row++) {
    rows.set(sender.values[row] ?? 0, link.values[row] ?? 0, row);
  }
  return rows.find(asking, by);
}

function addRow({ sender, link, requests, rows }: NotFoundRequests, asking: number, by: number): number {
  append(sender, asking);
  append(link, by);
  append(requests, 0);
  const row = sender.length - 1;
  rows.set(asking, by, row);
  return row;
}
