import { MAX_REFERRERS } from "../operations/not-found.ts";
import { compareValues } from "../operations/row-order.ts";
import type { NotFoundRow } from "./data-source.ts";

/** Whether a referrer of a dead link is a page of the site itself: hosts cannot begin with a slash, paths do. */
export const isOwnPage = (referrer: string): boolean => referrer.startsWith("/");

/** Adds up requests for what is not there, with all their referrers, and ranks them by requests, then by value. */
export function createNotFoundRanking() {
  const sums = new Map<string, { requests: number; visitors: number; referrers: Map<string, number> }>();
  const find = (path: string) => {
    let sum = sums.get(path);
    if (sum === undefined) {
      sum = { requests: 0, visitors: 0, referrers: new Map() };
      sums.set(path, sum);
    }
    return sum;
  };
  return {
    add: (path: string, requests: number, visitors: number) => {
      const sum = find(path);
      sum.requests += requests;
      sum.visitors += visitors;
    },
    /** @param referrer The path of a page of the site, else a host. */
    addReferrer: (path: string, referrer: string, requests: number) => {
      const { referrers } = find(path);
      referrers.set(referrer, (referrers.get(referrer) ?? 0) + requests);
    },
    /** @param other The path that stands for all paths beyond the limits. */
    rank: (limit: number, other?: string) => {
      const rows = [...sums]
        .map(([path, sum]) => ({ ...sum, ...nameRow(path, other) }))
        .sort((a, b) => b.requests - a.requests || compareValues(a.value, b.value));
      return {
        rows: rows
          .slice(0, limit)
          .map((row): NotFoundRow => ({ ...row, referrers: rankReferrers(row.referrers) })),
        totalRows: rows.length,
        totalRequests: rows.reduce((sum, { requests }) => sum + requests, 0),
      };
    },
  };
}

const nameRow = (path: string, other: string | undefined) =>
  path === other ? { value: null, other: true as const } : { value: path };

const rankReferrers = (referrers: ReadonlyMap<string, number>): NotFoundRow["referrers"] =>
  [...referrers]
    .map(([value, requests]) => ({ value, internal: isOwnPage(value), requests }))
    .sort((a, b) => b.requests - a.requests || compareValues(a.value, b.value))
    .slice(0, MAX_REFERRERS);
