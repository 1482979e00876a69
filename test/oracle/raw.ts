import { createCrawlerRequests } from "../../src/sources/demo/crawler-requests.ts";
import { createDeadLinkRequests } from "../../src/sources/demo/dead-link-requests.ts";
import type { Fixtures } from "../../src/sources/demo/fixture-types.ts";
import { createVisits } from "../../src/sources/demo/visits.ts";
import { moveDate } from "./calendar.ts";
import type { RawSite } from "./count.ts";

const DAY = 86_400_000;

/** The raw visits of fixtures, as the reference API gets them. Fixtures count days from the Monday of the week in UTC. */
export function readRaw(fixtures: Fixtures, seed: string, start: number): RawSite[] {
  const weekday = (new Date(start).getUTCDay() + 6) % 7;
  const monday = new Date(start - weekday * DAY).toISOString().slice(0, 10);
  return fixtures.sites.map((profile) => {
    const { id, domain, name, timezone, data_since } = profile;
    const since = data_since === null ? null : moveDate(monday, -data_since);
    const added = moveDate(monday, -profile.added);
    return {
      id,
      domain,
      name,
      timezone,
      since,
      added,
      visits: keep(createVisits(profile, fixtures, seed, monday)),
      crawlers: keep(createCrawlerRequests(profile, fixtures, seed, monday)),
      deadLinks: keep(createDeadLinkRequests(profile, fixtures, seed, monday)),
    };
  });
}

function keep<T>(make: (date: string) => T): (date: string) => T {
  const last = new Map<string, T>();
  return (date) => {
    const made = last.get(date) ?? make(date);
    if (last.size > 60) last.clear();
    last.set(date, made);
    return made;
  };
}
