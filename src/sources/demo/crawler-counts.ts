import { crawlers } from "../crawler-list.ts";
import type { CrawlerRow } from "../data-source.ts";
import { type CrawlerRequest, createCrawlerRequests } from "./crawler-requests.ts";

type CrawlerCount = Pick<CrawlerRow, "requests" | "pages" | "errors" | "lastSeen">;
type CountsByCrawler = ReadonlyMap<string, CrawlerCount>;

/** A day, or its first part up to and including `until`, in seconds after midnight. `start` is its midnight. */
export interface ElapsedDay {
  date: string;
  start: number;
  until?: number | undefined;
}

/** The rows of some days, in no order. */
export type CrawlerCounts = (days: readonly ElapsedDay[]) => CrawlerRow[];

const listed = new Map(crawlers.map((crawler) => [crawler.value, crawler]));

/** Counts a site's made-up crawlers. The counts of a whole day are cached. */
export function openCrawlerCounts(...site: Parameters<typeof createCrawlerRequests>): CrawlerCounts {
  const requestsOf = createCrawlerRequests(...site);
  const known = new Map<string, CountsByCrawler>();
  const countDay = ({ date, start, until }: ElapsedDay): CountsByCrawler => {
    if (until !== undefined)
      return tally(
        requestsOf(date).filter(({ at }) => at <= until),
        start,
      );
    const counted = known.get(date) ?? tally(requestsOf(date), start);
    known.set(date, counted);
    return counted;
  };
  return (days) =>
    [...addUp(days.map(countDay))].map(([value, counts]) => ({ ...describe(value), ...counts }));
}

function describe(value: string) {
  const crawler = listed.get(value);
  if (crawler === undefined) throw new TypeError(`The list of crawlers has no ${value}.`);
  return crawler;
}

function tally(requests: readonly CrawlerRequest[], start: number): CountsByCrawler {
  const tallies = new Map<string, CrawlerCount>();
  const paths = new Set<string>();
  for (const { crawler, at, path, isError } of requests) {
    const { requests, pages, errors, lastSeen } = tallies.get(crawler) ?? NOTHING;
    const isNew = !paths.has(`${crawler} ${path}`);
    paths.add(`${crawler} ${path}`);
    tallies.set(crawler, {
      requests: requests + 1,
      pages: pages + Number(isNew),
      errors: errors + Number(isError),
      lastSeen: Math.max(lastSeen, start + at * 1000),
    });
  }
  return tallies;
}

const NOTHING: CrawlerCount = { requests: 0, pages: 0, errors: 0, lastSeen: Number.NEGATIVE_INFINITY };

function addUp(days: readonly CountsByCrawler[]): CountsByCrawler {
  const sums = new Map<string, CrawlerCount>();
  for (const [value, day] of days.flatMap((tallies) => [...tallies])) {
    const sum = sums.get(value) ?? NOTHING;
    sums.set(value, {
      requests: sum.requests + day.requests,
      pages: sum.pages + day.pages,
      errors: sum.errors + day.errors,
      lastSeen: Math.max(sum.lastSeen, day.lastSeen),
    });
  }
  return sums;
}
