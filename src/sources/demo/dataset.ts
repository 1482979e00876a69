import { addDays } from "../../operations/days.ts";
import type { Filter } from "../../operations/filter.ts";
import { once } from "../../operations/schemas.ts";
import { startOfDay } from "../calendar.ts";
import type { SourceSite } from "../data-source.ts";
import { type Counts, createCounts } from "./counts.ts";
import type { CrawlerCounts } from "./crawler-counts.ts";
import type { DeadLinkCounts } from "./dead-link-counts.ts";
import type { Fixtures } from "./fixture-types.ts";
import { createVisits } from "./visits.ts";

/** A made-up site, with the counts of its visits and crawlers. */
export interface DemoSite extends SourceSite {
  /** Of everything, or of what a filter keeps. */
  count(filter?: Filter): Counts;
  /** Loaded when first asked for, since most queries are not about crawlers. */
  openCrawlers(): Promise<CrawlerCounts>;
  /** The same. */
  openDeadLinks(): Promise<DeadLinkCounts>;
}

export interface Organization {
  keys: { id: string; sha256: string }[];
  /** Ordered by domain. */
  sites: DemoSite[];
}

/**
 * Creates the organizations of the fixtures with their sites. The fixtures count days from `anchor`, the Monday of the
 * week in which a server starts: servers that start in the same week show the same past, and the past of a dataset
 * never changes.
 */
export function createDataset(fixtures: Fixtures, seed: string, anchor: string): Organization[] {
  const sites = fixtures.sites.map((profile): DemoSite => {
    const { id, domain, name, timezone, added, data_since } = profile;
    return {
      id,
      domain,
      name,
      timezone,
      // A getter, because the first look at a timezone takes milliseconds, and most answers need only one site.
      get createdAt() {
        return startOfDay(addDays(anchor, -added), timezone) + 9 * 3_600_000;
      },
      dataSince: data_since === null ? null : addDays(anchor, -data_since),
      count: createCounts(createVisits(profile, fixtures, seed, anchor)),
      openCrawlers: once(async () => {
        const { openCrawlerCounts } = await import("./crawler-counts.ts");
        return openCrawlerCounts(profile, fixtures, seed, anchor);
      }),
      openDeadLinks: once(async () => {
        const { openDeadLinkCounts } = await import("./dead-link-counts.ts");
        return openDeadLinkCounts(profile, fixtures, seed, anchor);
      }),
    };
  });
  return fixtures.organizations.map(({ keys, sites: ids }) => ({
    keys,
    sites: sites.filter(({ id }) => ids.includes(id)).sort((a, b) => (a.domain < b.domain ? -1 : 1)),
  }));
}

/** The Monday (UTC) of the week of an instant, in milliseconds since 1970. */
export function mondayOf(instant: number): string {
  const today = new Date(instant);
  return addDays(today.toISOString().slice(0, 10), -((today.getUTCDay() + 6) % 7));
}
