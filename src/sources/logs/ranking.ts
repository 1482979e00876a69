import type { Dimension } from "../../operations/dimensions.ts";
import { compareRows, compareValues } from "../../operations/row-order.ts";
import { describeCrawler } from "../crawler-list.ts";
import type {
  CrawlerRanking,
  CrawlerRow,
  NotFoundRanking,
  RankedRow,
  Ranking,
  VisitTotals,
} from "../data-source.ts";
import { createNotFoundRanking } from "../not-found-ranking.ts";
import type { CrawlerDay, DayCounts, Tallies } from "./counting/day-counts.ts";
import { OTHER } from "./counting/limits.ts";
import { nameValue } from "./labels.ts";

/** Adds up days, or parts of them. The visitors of a span are by definition the sum of daily visitors. */
export function createRanking(dimension: Dimension) {
  const sums = new Map<string | null, { visitors: number; hits: number } & VisitTotals>();
  let hasVisits = true;
  return {
    add: ({ values, visitors, hits, ofVisits }: Tallies) => {
      if (values.length > 0 && ofVisits === undefined) hasVisits = false;
      values.forEach((value, index) => {
        let sum = sums.get(value);
        if (sum === undefined) {
          sum = { visitors: 0, hits: 0, visits: 0, bounces: 0, visitSeconds: 0 };
          sums.set(value, sum);
        }
        sum.visitors += visitors[index] ?? 0;
        sum.hits += hits[index] ?? 0;
        if (ofVisits === undefined) return;
        sum.visits += ofVisits.visits[index] ?? 0;
        sum.bounces += ofVisits.bounces[index] ?? 0;
        sum.visitSeconds += ofVisits.visitSeconds[index] ?? 0;
      });
    },
    rank: (limit: number): Ranking => {
      const rows = [...sums].map(([value, counts]) => ({ value, ...counts })).sort(compareRows);
      return {
        rows: rows.slice(0, limit).map((row) => nameRow(dimension, hasVisits ? row : withoutVisits(row))),
        totalRows: rows.length,
      };
    },
  };
}

const withoutVisits = ({ value, visitors, hits }: Omit<RankedRow, "label">) => ({ value, visitors, hits });

function nameRow(dimension: Dimension, row: Omit<RankedRow, "label">): RankedRow {
  if (row.value === OTHER) return { ...row, value: null, label: OTHER, other: true };
  return { ...row, label: nameValue(dimension, row.value) };
}

/** Adds up days, and ranks by requests, then by name. */
export function rankCrawlers(days: readonly DayCounts[], limit: number): CrawlerRanking {
  const sums = new Map<string, CrawlerDay>();
  for (const { tables } of days) {
    for (const [name, { requests, pages, errors, lastSeen }] of tables.crawlers()) {
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

/** Adds up days, and ranks by requests, then by path. All referrers are added up, though only the first are shown. */
export function rankNotFound(days: readonly DayCounts[], limit: number): NotFoundRanking {
  const ranking = createNotFoundRanking();
  const excluded = { bots: 0, scanners: 0 };
  let folded = false;
  for (const { tables } of days) {
    const { paths, requests, visitors, referrers, excluded: left } = tables.notFound();
    for (const [index, path] of paths.entries()) {
      ranking.add(path, requests[index] ?? 0, visitors[index] ?? 0);
      if (path === OTHER) folded = true;
    }
    for (const [index, referrer] of referrers.values.entries()) {
      const path = paths[referrers.paths[index] ?? 0] ?? OTHER;
      if (referrer === OTHER) folded = true;
      else ranking.addReferrer(path, referrer, referrers.requests[index] ?? 0);
    }
    excluded.bots += left.bots;
    excluded.scanners += left.scanners;
  }
  return { ...ranking.rank(limit, OTHER), excluded, ...(folded && { folded }) };
}
