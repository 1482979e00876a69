import { stamp, startOf } from "./calendar.ts";
import type { RawSite } from "./count.ts";

export interface CrawlerCount {
  value: string;
  requests: number;
  pages: number;
  error_percentage: number;
  last_seen: string;
}

/** The crawlers of some dates, counted from their raw requests up to now, in the contract's order. */
export function countCrawlers(site: RawSite, dates: readonly string[], now: number): CrawlerCount[] {
  const requests = dates.flatMap((date) =>
    site
      .crawlers(date)
      .map((each) => ({ ...each, date, instant: startOf(date, site.timezone) + each.at * 1000 }))
      .filter(({ instant }) => instant <= now),
  );
  return [...new Set(requests.map(({ crawler }) => crawler))]
    .map((value) => {
      const own = requests.filter(({ crawler }) => crawler === value);
      const failed = own.filter(({ isError }) => isError).length;
      return {
        value,
        requests: own.length,
        pages: new Set(own.map(({ date, path }) => `${date} ${path}`)).size,
        // Whole numbers, so that halves are exact.
        error_percentage: Math.floor((2000 * failed + own.length) / (2 * own.length)) / 10,
        last_seen: stamp(Math.max(...own.map(({ instant }) => instant)), site.timezone),
      };
    })
    .sort((a, b) => b.requests - a.requests || (a.value < b.value ? -1 : 1));
}
