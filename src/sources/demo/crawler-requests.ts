import { addDays } from "../../operations/days.ts";
import { startOfDay } from "../calendar.ts";
import type { Fixtures, SiteProfile } from "./fixture-types.ts";
import { createChoice, createRandom, drawBetween } from "./random.ts";
import { dayFromAnchor, growTo } from "./visits.ts";

export interface CrawlerRequest {
  /** The crawler's `value` in `crawler-list.ts`. */
  crawler: string;
  /** Seconds after the site's midnight. */
  at: number;
  path: string;
  /** Whether it was answered with 4xx or 5xx. */
  isError: boolean;
}

/** The visitors of a site for which the fixtures state the requests. Interest grows more slowly than size. */
const FULL_SIZE = 900;
/** How much more or less interest a crawler takes in one site than in another, and on one day than on another. */
const INTEREST = { from: 0.6, to: 1.4 };
const NOISE = { from: 0.75, to: 1.25 };
const FOR_CRAWLERS = ["/robots.txt", "/sitemap.xml"];
const NEVER_EXISTED = ["/feed.xml", "/blog/archive", "/wp-login.php"];

/**
 * Makes up the requests of crawlers to a site. A day's random numbers depend only on seed, site and date, and are not those
 * of the visits.
 *
 * @param anchor The date from which the profile counts days.
 */
export function createCrawlerRequests(
  profile: SiteProfile,
  { crawlers }: Fixtures,
  seed: string,
  anchor: string,
): (date: string) => CrawlerRequest[] {
  const { id, timezone, data_since, pages, visitors } = profile;
  const size = Math.sqrt(visitors / FULL_SIZE);
  const profiles = Object.entries(crawlers).map(([crawler, profile]) => {
    const interest = drawBetween(createRandom(`${seed}:crawlers:${id}:${crawler}`), INTEREST);
    return { crawler, ...profile, typical: profile.requests * size * interest };
  });
  return (date) => {
    const day = dayFromAnchor(date, anchor);
    if (data_since === null || day < -data_since) return [];
    const exists = ({ from = -Infinity, until = Infinity }) => day >= from && day <= until;
    const choosePage = createChoice([
      ...pages.filter(exists).map(({ path, entry, view }) => [path, entry + view + 1] as const),
      ...FOR_CRAWLERS.map((path) => [path, 3] as const),
    ]);
    const gone = pages.filter(({ until = Infinity }) => day > until).map(({ path }) => path);
    const chooseMissing = createChoice([...gone, ...NEVER_EXISTED].map((path) => [path, 1]));
    const random = createRandom(`${seed}:crawlers:${id}:${date}`);
    const [start, end] = [startOfDay(date, timezone), startOfDay(addDays(date, 1), timezone)];
    return profiles
      .flatMap(({ crawler, typical, from, errors }): CrawlerRequest[] => {
        // Rounded by chance, so that a crawler of half a request a day comes every other day.
        const count = Math.floor(typical * growTo(day, from) * drawBetween(random, NOISE) + random());
        return Array.from({ length: count }, () => {
          const isError = random() < errors;
          const path = isError ? chooseMissing(random) : choosePage(random);
          return { crawler, at: Math.floor(random() * 86_400), path, isError };
        });
      })
      .filter(({ at }) => start + at * 1000 < end);
  };
}
