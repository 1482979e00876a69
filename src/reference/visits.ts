import { addDays } from "../operations/period.ts";
import { startOfDay } from "./calendar.ts";
import type { Fixtures, Place, SiteProfile, Source, Technology } from "./profile.ts";
import { createChoice, createRandom } from "./random.ts";

/** A page view (`event` null) or a custom event, `at` so many seconds after the site's midnight. */
export interface Hit {
  at: number;
  path: string;
  event: string | null;
}

/** One visit. `visitor` numbers the day's visitors: cookieless analytics cannot tell them apart across days. */
export interface Visit {
  visitor: number;
  hostname: string;
  source: Source;
  place: Place;
  technology: Technology;
  hits: Hit[];
}

/** Shows the visits of a day, one after the other: a year of them would be a lot to hold. */
export type Visits = (date: string, see: (visit: Visit) => void) => void;

const YEAR_DAYS = 365;
const SECOND_VISIT_SHARE = 0.12;

/**
 * The visits of a site, day by day: made by a generator seeded with site and date, so that a day is the same
 * whenever it is asked for. A visit that runs past midnight is cut there. All visits of one visitor follow
 * each other.
 */
export function createVisits(profile: SiteProfile, shared: Fixtures, seed: string, anchor: string): Visits {
  const anchorTime = Date.parse(anchor);
  const choosePlace = chooseFrom(profile.places, shared.places);
  const chooseTechnology = chooseFrom(profile.technologies, shared.technologies);
  const chooseHostname = createChoice(Object.keys(profile.hostnames), Object.values(profile.hostnames));
  const chooseHour = createChoice([...profile.hours.keys()], profile.hours);
  const direct = pick(shared.sources, "direct");
  const events = Object.entries(profile.events);

  return (date, see) => {
    const day = (Date.parse(date) - anchorTime) / 86_400_000;
    if (profile.data_since === null || day < -profile.data_since) return;
    const random = createRandom(`${seed}:${profile.id}:${date}`);
    const { chooseEntry, choosePage } = choosePages(profile, day);
    const chooseSource = chooseSources(profile, shared, day);
    const length =
      (startOfDay(addDays(date, 1), profile.timezone) - startOfDay(date, profile.timezone)) / 1000;

    const visit = (visitor: number, source: Source, entry: string, place: Place, technology: Technology) => {
      const hits: Hit[] = [];
      const hostname = chooseHostname(random());
      let at = Math.floor((chooseHour(random()) + random()) * 3600);
      let path = entry;
      const another = 1 - 1 / profile.pages_per_visit;
      for (let pages = 0; at < length && pages < 12; pages++) {
        hits.push({ at, path, event: null });
        if (random() >= another) break;
        at += 15 + Math.floor(random() * 210);
        path = choosePage(random());
      }
      for (const [event, chance] of events) {
        if (hits.length === 0 || random() >= chance) continue;
        at += 5 + Math.floor(random() * 40);
        if (at < length) hits.push({ at, path, event });
      }
      if (hits.length > 0) see({ visitor, hostname, source, place, technology, hits });
    };

    let visitor = 0;
    const arrive = (source: Source, entry: string) => {
      visitor++;
      const place = choosePlace(random());
      const technology = chooseTechnology(random());
      visit(visitor, source, entry, place, technology);
      if (random() < SECOND_VISIT_SHARE) visit(visitor, direct, chooseEntry(random()), place, technology);
    };

    const today = profile.story.filter(({ from, days }) => day >= from && day < from + days);
    for (let left = countVisitors(profile, day, date, today, random()); left > 0; left--) {
      arrive(chooseSource(random()), chooseEntry(random()));
    }
    for (const { extra } of today) {
      if (!extra) continue;
      const visitors = Math.round(extra.visitors * (0.9 + 0.2 * random()));
      for (let left = visitors; left > 0; left--) arrive(pick(shared.sources, extra.source), extra.path);
    }
  };
}

/** The visits of a day as a list. */
export function listVisits(visits: Visits, date: string): Visit[] {
  const list: Visit[] = [];
  visits(date, (visit) => list.push(visit));
  return list;
}

function countVisitors(
  profile: SiteProfile,
  day: number,
  date: string,
  today: SiteProfile["story"],
  noise: number,
): number {
  const weekday = (new Date(date).getUTCDay() + 6) % 7;
  const trend = rise(profile.growth_from, day);
  const factor = today.reduce((product, chapter) => product * (chapter.factor ?? 1), 1);
  return Math.round(
    profile.visitors * trend * (profile.weekdays[weekday] ?? 1) * factor * (0.92 + 0.16 * noise),
  );
}

/** From `from` a year before the anchor to 1 at the anchor, level before and after. */
function rise(from: number, day: number): number {
  const progress = Math.min(1, Math.max(0, 1 + day / YEAR_DAYS));
  return from + (1 - from) * progress;
}

function chooseSources(profile: SiteProfile, shared: Fixtures, day: number): (random: number) => Source {
  const entries = Object.entries(profile.sources);
  return createChoice(
    entries.map(([key]) => pick(shared.sources, key)),
    entries.map(([, each]) => (typeof each === "number" ? each : each.weight * rise(each.from, day))),
  );
}

function choosePages(profile: SiteProfile, day: number) {
  const pages = profile.pages.filter(({ from = -Infinity, until = Infinity }) => day >= from && day <= until);
  const paths = pages.map((page) => page.path);
  return {
    chooseEntry: createChoice(
      paths,
      pages.map((page) => page.entry),
    ),
    choosePage: createChoice(
      paths,
      pages.map((page) => page.view),
    ),
  };
}

function chooseFrom<T>(weights: Record<string, number>, shared: Record<string, T>): (random: number) => T {
  return createChoice(
    Object.keys(weights).map((key) => pick(shared, key)),
    Object.values(weights),
  );
}

function pick<T>(record: Record<string, T>, key: string): T {
  const value = record[key];
  if (value === undefined) throw new Error(`The fixtures name ${key}, which they do not define.`);
  return value;
}
