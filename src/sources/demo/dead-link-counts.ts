import type { Failure } from "../../operations/not-found.ts";
import type { NotFoundRanking } from "../data-source.ts";
import { createNotFoundRanking } from "../not-found-ranking.ts";
import type { ElapsedDay } from "./crawler-counts.ts";
import { type CrawlerRequest, createCrawlerRequests } from "./crawler-requests.ts";
import { createDeadLinkRequests, type DeadLinkRequest } from "./dead-link-requests.ts";

/** The dead links of some days, or the pages that failed. */
export type DeadLinkCounts = (
  days: readonly ElapsedDay[],
  limit: number,
  status?: Failure,
) => NotFoundRanking;

/** Counts a site's made-up requests that fail. Those of crawlers are all for what is not there. */
export function openDeadLinkCounts(...site: Parameters<typeof createDeadLinkRequests>): DeadLinkCounts {
  const requestsOf = createDeadLinkRequests(...site);
  const crawledOf = createCrawlerRequests(...site);
  return (days, limit, status = "4xx") => {
    const ranking = createNotFoundRanking();
    const excluded = { bots: 0, scanners: 0 };
    for (const { date, until = Number.POSITIVE_INFINITY } of days) {
      const isPast = ({ at }: DeadLinkRequest | CrawlerRequest) => at <= until;
      if (status === "4xx")
        excluded.bots += crawledOf(date).filter((request) => request.isError && isPast(request)).length;
      const requests = requestsOf(date, status).filter(isPast);
      const people = requests.filter(({ isScanner }) => !isScanner);
      excluded.scanners += requests.length - people.length;
      const known = new Set<string>();
      for (const { sender, path, referrer } of people) {
        const key = `${sender} ${path}`;
        ranking.add(path, 1, known.has(key) ? 0 : 1);
        known.add(key);
        if (referrer !== null) ranking.addReferrer(path, referrer, 1);
      }
    }
    return { ...ranking.rank(limit), excluded };
  };
}
