import { MAX_REFERRERS } from "../operations/not-found.ts";
import { compareRequests } from "../operations/row-order.ts";
import type { NotFoundRow } from "./data-source.ts";
import { createLookup } from "./lookup.ts";

/** Whether a referrer of a dead link is a page of the site itself: hosts cannot begin with a slash, paths do. */
export const isOwnPage = (referrer: string): boolean => referrer.startsWith("/");

/** Adds up requests for what is not there, with all their referrers, and ranks them by requests, then by value. */
export function createNotFoundRanking() {
  const sums = createLookup((_: string) => ({
    requests: 0,
    visitors: 0,
    referrers: new Map<string, number>(),
  }));
  return {
    add: (path: string, requests: number, visitors: number) => {
      const sum = sums.get(path);
      sum.requests += requests;
      sum.visitors += visitors;
    },
    /** @param referrer The path of a page of the site, else a host. */
    addReferrer: (path: string, referrer: string, requests: number) => {
      const { referrers } = sums.get(path);
      referrers.set(referrer, (referrers.get(referrer) ?? 0) + requests);
    },
    /** @param other The path that stands for all paths beyond the limits. */
    rank: (limit: number, other?: string) => {
      const { rows, ...totals } = rankRequests(
        [...sums.all].map(([path, sum]) => ({ ...sum, ...nameRow(path, other) })),
        limit,
      );
      return {
        rows: rows.map((row): NotFoundRow => ({ ...row, referrers: rankReferrers(row.referrers) })),
        ...totals,
      };
    },
  };
}

/** The first of some rows of requests, and how many rows and requests there are in all. */
export const rankRequests = <Row extends { value: string | null; requests: number }>(
  rows: readonly Row[],
  limit: number,
) => ({
  rows: rows.toSorted(compareRequests).slice(0, limit),
  totalRows: rows.length,
  totalRequests: rows.reduce((sum, { requests }) => sum + requests, 0),
});

const nameRow = (path: string, other: string | undefined) =>
  path === other ? { value: null, other: true as const } : { value: path };

const rankReferrers = (referrers: ReadonlyMap<string, number>): NotFoundRow["referrers"] =>
  [...referrers]
    .map(([value, requests]) => ({ value, internal: isOwnPage(value), requests }))
    .sort(compareRequests)
    .slice(0, MAX_REFERRERS);
