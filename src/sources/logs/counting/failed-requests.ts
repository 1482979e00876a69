import { OTHER } from "../../measure/definition.ts";
import { append, type Column, createColumn, increase, readColumn } from "./columns.ts";
import type { FailedTally } from "./day-counts.ts";
import { createPairNumbers, type PairNumbers } from "./pair-numbers.ts";
import { createValues, type Values } from "./values.ts";

/** How many requests of a kind each sender sent. */
export interface RequestRows {
  /** By row: the sender, the number of what was asked for, and how many requests. */
  sender: Column;
  link: Column;
  requests: Column;
  /** The rows by sender and number; those of an earlier process are added when they are needed. */
  rows: PairNumbers;
}

export const createRequestRows = (): RequestRows => ({
  sender: createColumn(),
  link: createColumn(),
  requests: createColumn(),
  rows: createPairNumbers(),
});

/** Counts a request. */
export function countRequest(rows: RequestRows, sender: number, link: number): void {
  increase(rows.requests, findRow(rows, sender, link) ?? addRow(rows, sender, link), 1);
}

function findRow({ sender, link, rows }: RequestRows, asking: number, by: number): number | undefined {
  for (let row = rows.size; row < sender.length; row++) {
    rows.set(sender.values[row] ?? 0, link.values[row] ?? 0, row);
  }
  return rows.find(asking, by);
}

function addRow({ sender, link, requests, rows }: RequestRows, asking: number, by: number): number {
  append(sender, asking);
  append(link, by);
  append(requests, 0);
  const row = sender.length - 1;
  rows.set(asking, by, row);
  return row;
}

/** The requests of a day that failed in one way, as long as lines can come (add-failed.ts). */
export interface FailedRequests extends RequestRows {
  links: Links;
  /** Requests of bots. */
  bots: number;
}

/** A path that failed, and the page that led to it. Both are `OTHER` for what is beyond the limits. */
export interface Link {
  path: string;
  /** The path of one of the site's own pages, which begins with a slash, else a host; null if the line names none. */
  referrer: string | null;
}

/** Numbers links in the order of their first appearance. A large day has tens of thousands, so each text is kept once. */
export interface Links {
  readonly size: number;
  readonly paths: Values;
  at(number: number): Link;
  /** The number of a link's path. */
  pathOf(number: number): number;
  /** The number of a link; undefined if it has none yet. */
  find(link: Link): number | undefined;
  /** The number of a link, which is added if it is new. */
  number(link: Link): number;
}

function createLinks(paths: Values): Links {
  const referrers = createValues();
  const numbers = createPairNumbers();
  /** By number of a link. */
  const ofLink = { path: createColumn(), referrer: createColumn() };
  const pathOf = (number: number) => ofLink.path.values[number] ?? 0;
  return {
    get size() {
      return numbers.size;
    },
    paths,
    at: (number) => ({
      path: paths.at(pathOf(number)) ?? "",
      referrer: referrers.at(ofLink.referrer.values[number] ?? 0),
    }),
    pathOf,
    find: ({ path, referrer }) => {
      const ofPath = paths.find(path);
      const ofReferrer = referrer === null ? 0 : referrers.find(referrer);
      return ofPath === undefined || ofReferrer === undefined ? undefined : numbers.find(ofPath, ofReferrer);
    },
    number: ({ path, referrer }) => {
      const [ofPath, ofReferrer] = [paths.number(path), referrers.number(referrer)];
      let number = numbers.find(ofPath, ofReferrer);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(ofPath, ofReferrer, number);
        append(ofLink.path, ofPath);
        append(ofLink.referrer, ofReferrer);
      }
      return number;
    },
  };
}

/** @param paths The paths of the day that failed. */
export const createFailedRequests = (paths: Values): FailedRequests => ({
  links: createLinks(paths),
  ...createRequestRows(),
  bots: 0,
});

/**
 * Counts the requests of a day, whatever their time was: they are kept as sums.
 *
 * @param scanners Whose requests to leave out.
 */
export function countFailed(
  { links, sender, link, requests, bots }: FailedRequests,
  scanners: ReadonlySet<number> = new Set(),
): FailedTally {
  const excluded = { bots, scanners: 0 };
  const byLink = new Uint32Array(links.size);
  const byPath = {
    requests: new Uint32Array(links.paths.size),
    visitors: new Uint32Array(links.paths.size),
  };
  /** By path and sender: several pages can lead one sender to the same path. */
  const known = createPairNumbers();
  for (const [row, count] of readColumn(requests).entries()) {
    const [asking, by] = [sender.values[row] ?? 0, link.values[row] ?? 0];
    if (scanners.has(asking)) {
      excluded.scanners += count;
      continue;
    }
    const path = links.pathOf(by);
    byLink[by] = (byLink[by] ?? 0) + count;
    byPath.requests[path] = (byPath.requests[path] ?? 0) + count;
    if (known.find(path, asking) !== undefined) continue;
    known.set(path, asking, known.size);
    byPath.visitors[path] = (byPath.visitors[path] ?? 0) + 1;
  }
  const asked = [...byPath.requests.keys()].filter((path) => byPath.requests[path] !== 0);
  const indices = new Map(asked.map((path, index) => [path, index]));
  const linked = [...byLink.keys()].filter((by) => byLink[by] !== 0 && links.at(by).referrer !== null);
  return {
    paths: asked.map((path) => links.paths.at(path) ?? OTHER),
    requests: asked.map((path) => byPath.requests[path] ?? 0),
    visitors: asked.map((path) => byPath.visitors[path] ?? 0),
    referrers: {
      paths: linked.map((by) => indices.get(links.pathOf(by)) ?? 0),
      values: linked.map((by) => links.at(by).referrer ?? OTHER),
      requests: linked.map((by) => byLink[by] ?? 0),
    },
    excluded,
  };
}
