import { OTHER } from "../../measure/definition.ts";
import { append, type Column, createColumn, readColumn } from "./columns.ts";
import type { NotFoundTally } from "./day-counts.ts";
import { createPairNumbers, type PairNumbers } from "./pair-numbers.ts";
import { createValues, type Values } from "./values.ts";

/** The requests of a day for what is not there, as long as lines can come (not-found.ts). */
export interface NotFoundRequests {
  links: Links;
  /** By row: the sender, the number of the link, and how many requests. */
  sender: Column;
  link: Column;
  requests: Column;
  /** The rows by sender and link; those of an earlier process are added when they are needed. */
  rows: PairNumbers;
  /** Requests of bots. */
  bots: number;
}

/** A path that is not there, and the page that led to it. Both are `OTHER` for what is beyond the limits. */
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

/** @param paths The paths of the day that were not found. */
export const createNotFoundRequests = (paths: Values): NotFoundRequests => ({
  links: createLinks(paths),
  sender: createColumn(),
  link: createColumn(),
  requests: createColumn(),
  rows: createPairNumbers(),
  bots: 0,
});

/** Counts the requests of a day, whatever their time was: they are kept as sums. */
export function countNotFound(
  { links, sender, link, requests, bots }: NotFoundRequests,
  scanners: ReadonlySet<number>,
): NotFoundTally {
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
