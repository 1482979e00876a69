import { compareValues } from "../../operations/row-order.ts";
import { describeCrawler } from "../crawler-list.ts";
import type { CrawlerRanking, CrawlerRow } from "../data-source.ts";
import type { CrawlerDay } from "./day-counts.ts";
import { hashText } from "./hash-text.ts";
import type { LogLine } from "./log-line.ts";
import type { OpenDay } from "./open-day.ts";

/** Counts a bot's request if its user agent names a known crawler. */
export function addCrawlerRequest(
  day: OpenDay,
  crawler: string | undefined,
  { status, time }: LogLine,
  path: string,
): void {
  if (crawler === undefined) return;
  let counted = day.crawlers.get(crawler);
  if (counted === undefined) {
    counted = { requests: 0, errors: 0, lastSeen: time, paths: new Set() };
    day.crawlers.set(crawler, counted);
  }
  counted.requests++;
  if (status >= 400) counted.errors++;
  counted.lastSeen = Math.max(counted.lastSeen, time);
  counted.paths.add(hashText(path));
  day.version++;
}

export function closeCrawlers({ crawlers }: OpenDay): Map<string, CrawlerDay> {
  return new Map([...crawlers].map(([name, { paths, ...rest }]) => [name, { ...rest, pages: paths.size }]));
}

/** Adds up days, and ranks by requests, then by name. */
export function rankCrawlers(
  days: readonly ReadonlyMap<string, CrawlerDay>[],
  limit: number,
): CrawlerRanking {
  const sums = new Map<string, CrawlerDay>();
  for (const day of days) {
    for (const [name, { requests, pages, errors, lastSeen }] of day) {
      const sum = sums.get(name) ?? { requests: 0, pages: 0, errors: 0, lastSeen: 0 };
      sums.set(name, {
        requests: sum.requests + requests,
        pages: sum.pages + pages,
        errors: sum.errors + errors,
        lastSeen: Math.max(sum.lastSeen, lastSeen),
      });
    }
  }
  const rows = [...sums]
    .map(
      ([value, { lastSeen, ...counts }]): CrawlerRow => ({
        ...describeCrawler(value),
        ...counts,
        lastSeen: lastSeen * 1000,
      }),
    )
    .sort((a, b) => b.requests - a.requests || compareValues(a.value, b.value));
  return {
    rows: rows.slice(0, limit),
    totalRows: rows.length,
    totalRequests: rows.reduce((sum, { requests }) => sum + requests, 0),
  };
}
