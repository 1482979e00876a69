import type { Dimension } from "../../operations/dimensions.ts";
import { compareRows, compareValues } from "../../operations/row-order.ts";
import { describeCrawler } from "../crawler-list.ts";
import type { CrawlerRanking, CrawlerRow, RankedRow } from "../data-source.ts";
import type { CrawlerDay, DayCounts } from "./counting/day-counts.ts";
import type { SiteLog } from "./counting/site-log.ts";
import { spaceOf } from "./counting/values.ts";
import { nameValue } from "./labels.ts";

/** Adds up days. The visitors of a span are by definition the sum of daily visitors. */
export function rankValues(
  log: SiteLog,
  dimension: Dimension,
  limit: number,
  days: readonly DayCounts[],
): { rows: RankedRow[]; totalRows: number } {
  const values = log.values(spaceOf(dimension));
  const visitors = new Float64Array(values.size);
  const hits = new Float64Array(values.size);
  for (const day of days) {
    const tallies = day.tallies.get(dimension);
    tallies?.values.forEach((value, index) => {
      visitors[value] = (visitors[value] ?? 0) + (tallies.visitors[index] ?? 0);
      hits[value] = (hits[value] ?? 0) + (tallies.hits[index] ?? 0);
    });
  }
  const rows: { value: string | null; visitors: number; hits: number }[] = [];
  visitors.forEach((count, number) => {
    if (count > 0) rows.push({ value: values.at(number), visitors: count, hits: hits[number] ?? 0 });
  });
  rows.sort(compareRows);
  return {
    rows: rows.slice(0, limit).map((row) => ({ ...row, label: nameValue(dimension, row.value) })),
    totalRows: rows.length,
  };
}

/** Adds up days, and ranks by requests, then by name. */
export function rankCrawlers(days: readonly DayCounts[], limit: number): CrawlerRanking {
  const sums = new Map<string, CrawlerDay>();
  for (const { crawlers } of days) {
    for (const [name, { requests, pages, errors, lastSeen }] of crawlers) {
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
