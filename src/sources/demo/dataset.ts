import { addDays } from "../../operations/days.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { startOfDay } from "../calendar.ts";
import { type Counts, createCounts } from "./counts.ts";
import type { Fixtures } from "./fixture-types.ts";
import { createVisits } from "./visits.ts";

export interface Site {
  id: string;
  domain: string;
  name: string;
  timezone: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Date; null if nothing was ever recorded. */
  dataSince: string | null;
  counts: Counts;
}

export interface Organization {
  id: string;
  name: string;
  keys: { id: string; sha256: string }[];
  /** Ordered by domain. */
  sites: Site[];
  /** By id or domain, as a person may write it, among the organization's own sites. */
  findSite(name: string): Site | undefined;
}

/**
 * Creates the organizations of the fixtures with their sites. The fixtures count days from the Monday (UTC) of the week
 * of `start` (milliseconds since 1970): servers that start in the same week show the same past, and the past of a
 * dataset never changes.
 */
export function createDataset(fixtures: Fixtures, seed: string, start: number): Organization[] {
  const anchor = mondayOf(start);
  const sites = fixtures.sites.map((profile): Site => {
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
      counts: createCounts(createVisits(profile, fixtures, seed, anchor)),
    };
  });
  return fixtures.organizations.map(({ id, name, keys, sites: ids }) => {
    const own = sites.filter((site) => ids.includes(site.id)).sort((a, b) => (a.domain < b.domain ? -1 : 1));
    const byName = new Map(own.flatMap((site) => [[site.id, site] as const, [site.domain, site] as const]));
    return { id, name, keys, sites: own, findSite: (text) => byName.get(normalizeSite(text)) };
  });
}

function mondayOf(instant: number): string {
  const today = new Date(instant);
  return addDays(today.toISOString().slice(0, 10), -((today.getUTCDay() + 6) % 7));
}
