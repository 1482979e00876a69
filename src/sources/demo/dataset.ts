import { addDays } from "../../operations/days.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { startOfDay } from "../calendar.ts";
import { type Counts, createCounts } from "./counts.ts";
import type { Fixtures } from "./profile.ts";
import { createVisits, listVisits, type Visit } from "./visits.ts";

/** A site with everything that can be asked about it. */
export interface Site {
  id: string;
  domain: string;
  name: string;
  timezone: string;
  /** Instant at which the site was added. */
  createdAt: number;
  dataSince: string | null;
  visits(date: string): Visit[];
  counts: Counts;
}

export interface Organization {
  id: string;
  name: string;
  keys: { id: string; sha256: string }[];
  /** In order of domain. */
  sites: Site[];
  /** By id or domain as somebody wrote it; knows this organization's sites alone. */
  findSite(name: string): Site | undefined;
}

/**
 * The organizations of the fixtures with their sites. The story is told relative to the Monday (UTC) of the
 * week of `start`, so the same week shows the same past, and within one dataset the past never changes.
 */
export function createDataset(fixtures: Fixtures, seed: string, start: number): Organization[] {
  const anchor = mondayOf(start);
  const sites = fixtures.sites.map((profile): Site => {
    const visits = createVisits(profile, fixtures, seed, anchor);
    const { id, domain, name, timezone, added, data_since } = profile;
    return {
      id,
      domain,
      name,
      timezone,
      // Asked for seldom, and the first look at a timezone takes some milliseconds.
      get createdAt() {
        return startOfDay(addDays(anchor, -added), timezone) + 9 * 3_600_000;
      },
      dataSince: data_since === null ? null : addDays(anchor, -data_since),
      visits: (date) => listVisits(visits, date),
      counts: createCounts(visits),
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
