import type { Failure } from "../../operations/not-found.ts";
import { describeCrawler } from "../crawler-list.ts";
import type { CrawlerRanking, CrawlerRow, NotFoundRanking } from "../data-source.ts";
import { OTHER } from "../measure/definition.ts";
import { createNotFoundRanking, rankRequests } from "../not-found-ranking.ts";
import type { CrawlerTally, DayCounts } from "./counting/day-counts.ts";

/** Adds up days, and ranks by requests, then by name. */
export function rankCrawlers(days: readonly DayCounts[], limit: number): CrawlerRanking {
  const sums = new Map<string, CrawlerTally>();
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
  const rows = [...sums].map(
    ([value, { lastSeen, ...counts }]): CrawlerRow => ({
      ...describeCrawler(value),
      ...counts,
      lastSeen: lastSeen * 1000,
    }),
  );
  return rankRequests(rows, limit);
}

/** Adds up days, and ranks by requests, then by path. All referrers are added up, though only the first are shown. */
export function rankNotFound(
  days: readonly DayCounts[],
  limit: number,
  {
    isLeftOut = () => false,
    status = "4xx",
  }: { isLeftOut?: ((path: string) => boolean) | undefined; status?: Failure | undefined } = {},
): NotFoundRanking {
  const ranking = createNotFoundRanking();
  const excluded = { bots: 0, scanners: 0 };
  let folded = false as boolean;
  for (const { tables } of days) {
    const failed = status === "5xx" ? tables.serverErrors() : tables.notFound();
    const { paths, requests, visitors, referrers, excluded: left } = failed;
    const isKept = paths.map((path) => path === OTHER || !isLeftOut(path));
    paths.forEach((path, index) => {
      if (!isKept[index]) return;
      ranking.add(path, requests[index] ?? 0, visitors[index] ?? 0);
      if (path === OTHER) folded = true;
    });
    referrers.values.forEach((referrer, index) => {
      const place = referrers.paths[index] ?? 0;
      if (!isKept[place]) return;
      if (referrer === OTHER) folded = true;
      else ranking.addReferrer(paths[place] ?? OTHER, referrer, referrers.requests[index] ?? 0);
    });
    excluded.bots += left.bots;
    excluded.scanners += left.scanners;
  }
  return { ...ranking.rank(limit, OTHER), excluded, ...(folded && { folded }) };
}
