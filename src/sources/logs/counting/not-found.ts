import { isUnprompted } from "../../../operations/not-found.ts";
import type { LogLine } from "../reading/log-line.ts";
import { append, increase, readColumn } from "./columns.ts";
import type { NotFoundDay } from "./day-counts.ts";
import { limitText, MAX_VALUES, OTHER } from "./limits.ts";
import { readPage } from "./line-values.ts";
import { keyOf, type Link, type NotFoundRequests, numberOf } from "./not-found-requests.ts";
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
  { domain, rawHost, keepQuery }: Context,
): number {
  const isOwn = createIsOwnHost(domain, rawHost);
  const page = readLinkingPage(referrer, isOwn, (target) => readPage(target, keepQuery));
  const path = day.values.limit("not_found", readPage(asked, keepQuery), sender) ?? OTHER;
  const { notFound } = day;
  const link = path === OTHER ? FOLDED : { path, referrer: page && limitText(page) };
  const number = chooseLink(day, link, sender);
  const row = findRow(notFound, sender, number) ?? addRow(notFound, sender, number);
  increase(notFound.requests, row, 1);
  return number;
}

const FOLDED: Link = { path: OTHER, referrer: OTHER };

/** The number of the link that a request counts for: another one if there are too many, of the day or of the sender. */
function chooseLink({ notFound, values }: OpenDay, link: Link, sender: number): number {
  const { links } = notFound;
  const isFull = links.list.length >= MAX_VALUES && !links.has(keyOf(link));
  const kept = isFull ? { path: link.path, referrer: OTHER } : link;
  if (links.has(keyOf(kept))) {
    const number = numberOf(notFound, kept);
    if (findRow(notFound, sender, number) !== undefined) return number;
  }
  return numberOf(notFound, values.addCombination(sender) ? kept : FOLDED);
}

/** Of a sender's requests by a link. There are fewer than 2^20 links. */
const rowKey = (sender: number, link: number) => sender * 2 ** 20 + link;

function findRow({ sender, link, rows }: NotFoundRequests, asking: number, by: number): number | undefined {
  for (let row = rows.size; row < sender.length; row++) {
    rows.set(rowKey(sender.values[row] ?? 0, link.values[row] ?? 0), row);
  }
  return rows.get(rowKey(asking, by));
}

function addRow({ sender, link, requests, rows }: NotFoundRequests, asking: number, by: number): number {
  append(sender, asking);
  append(link, by);
  append(requests, 0);
  const row = sender.length - 1;
  rows.set(rowKey(asking, by), row);
  return row;
}

/** Counts the requests of a day, whatever their time was: they are kept as sums. */
export function countNotFound({ notFound }: OpenDay, scanners: ReadonlySet<number>): NotFoundDay {
  const { links, sender, link, requests, bots } = notFound;
  const excluded = { bots, scanners: 0 };
  const byPath = new Map<string, { requests: number; senders: Set<number> }>();
  const byLink = new Uint32Array(links.list.length);
  for (const [row, count] of readColumn(requests).entries()) {
    const [asking, by] = [sender.values[row] ?? 0, link.values[row] ?? 0];
    if (scanners.has(asking)) {
      excluded.scanners += count;
      continue;
    }
    const path = links.list[by]?.path ?? OTHER;
    const counted = byPath.get(path) ?? { requests: 0, senders: new Set() };
    byPath.set(path, counted);
    counted.requests += count;
    counted.senders.add(asking);
    byLink[by] = (byLink[by] ?? 0) + count;
  }
  const paths = [...byPath.keys()];
  const indices = new Map(paths.map((path, index) => [path, index]));
  const linked = links.list.flatMap(({ path, referrer }, number) =>
    referrer !== null && byLink[number] ? [{ path, referrer, count: byLink[number] }] : [],
  );
  return {
    paths,
    requests: paths.map((path) => byPath.get(path)?.requests ?? 0),
    visitors: paths.map((path) => byPath.get(path)?.senders.size ?? 0),
    referrers: {
      paths: linked.map(({ path }) => indices.get(path) ?? 0),
      values: linked.map(({ referrer }) => referrer),
      requests: linked.map(({ count }) => count),
    },
    excluded,
  };
}
