import { addDays } from "../operations/days.ts";
import { startOfDay } from "./calendar.ts";
import type { Fixtures, Place, SiteProfile, Source, Technology } from "./profile.ts";
import { createChoice, createRandom, drawAt } from "./random.ts";

/**
 * A visit while it is shown. The same object shows the next one, and nothing is chosen before it is asked for: whoever
 * counts a year of visits makes and keeps none of them.
 */
export interface PassingVisit {
  /** Numbers the day's visitors: cookieless analytics cannot tell them apart across days. */
  readonly visitor: number;
  readonly hostname: string;
  readonly source: Source;
  readonly place: Place;
  readonly technology: Technology;
  /** How many hits it has, at least one. */
  readonly length: number;
  /** Seconds after the site's midnight, for each hit in turn not less than before. */
  at(hit: number): number;
  path(hit: number): string;
  /** The custom event; null for a page view. */
  event(hit: number): string | null;
}

/** Shows the visits of a day, one after the other. */
export type Visits = (date: string, see: (visit: PassingVisit) => void) => void;

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
  const another = 1 - 1 / profile.pages_per_visit;

  return (date, see) => {
    const day = (Date.parse(date) - anchorTime) / 86_400_000;
    if (profile.data_since === null || day < -profile.data_since) return;
    const random = createRandom(`${seed}:${profile.id}:${date}`);
    const { chooseEntry, choosePage } = choosePages(profile, day);
    const chooseSource = chooseSources(profile, shared, day);
    const length =
      (startOfDay(addDays(date, 1), profile.timezone) - startOfDay(date, profile.timezone)) / 1000;

    // Of the visit that is shown: the numbers that were skipped for it, and what it came with where that is known.
    let visitor = 0;
    let hostname = 0;
    let place = 0;
    let technology = 0;
    let source = 0;
    let entry = 0;
    let size = 0;
    let knownSource: Source | undefined;
    let knownEntry: string | undefined;
    const times: number[] = [];
    /** For each hit the number that was skipped for its page; undefined for the one that the visit began with. */
    const pages: (number | undefined)[] = [];
    const names: (string | null)[] = [];
    const shown: PassingVisit = {
      get visitor() {
        return visitor;
      },
      get hostname() {
        return chooseHostname(drawAt(hostname));
      },
      get source() {
        return knownSource ?? chooseSource(drawAt(source));
      },
      get place() {
        return choosePlace(drawAt(place));
      },
      get technology() {
        return chooseTechnology(drawAt(technology));
      },
      get length() {
        return size;
      },
      at: (hit) => times[hit] as number,
      path: (hit) => {
        const page = pages[hit];
        return page === undefined ? (knownEntry ?? chooseEntry(drawAt(entry))) : choosePage(drawAt(page));
      },
      event: (hit) => names[hit] as string | null,
    };

    const add = (at: number, page: number | undefined, name: string | null) => {
      times[size] = at;
      pages[size] = page;
      names[size] = name;
      size++;
    };
    const visit = () => {
      size = 0;
      hostname = random.skip();
      let at = Math.floor((chooseHour(random.next()) + random.next()) * 3600);
      let page: number | undefined;
      for (let count = 0; at < length && count < 12; count++) {
        add(at, page, null);
        if (random.next() >= another) break;
        at += 15 + Math.floor(random.next() * 210);
        page = random.skip();
      }
      const viewed = pages[size - 1];
      for (const [name, chance] of events) {
        if (size === 0 || random.next() >= chance) continue;
        at += 5 + Math.floor(random.next() * 40);
        // What happens on a page happens on the last one that was viewed.
        if (at < length) add(at, viewed, name);
      }
      if (size > 0) see(shown);
    };
    const arrive = () => {
      visitor++;
      place = random.skip();
      technology = random.skip();
      visit();
      if (random.next() >= SECOND_VISIT_SHARE) return;
      knownSource = direct;
      knownEntry = undefined;
      entry = random.skip();
      visit();
    };

    const today = profile.story.filter(({ from, days }) => day >= from && day < from + days);
    for (let left = countVisitors(profile, day, date, today, random.next()); left > 0; left--) {
      knownSource = undefined;
      knownEntry = undefined;
      source = random.skip();
      entry = random.skip();
      arrive();
    }
    for (const { extra } of today) {
      if (!extra) continue;
      const visitors = Math.round(extra.visitors * (0.9 + 0.2 * random.next()));
      for (let left = visitors; left > 0; left--) {
        knownSource = pick(shared.sources, extra.source);
        knownEntry = extra.path;
        arrive();
      }
    }
  };
}

/** A page view (`event` null) or a custom event, `at` so many seconds after the site's midnight. */
export interface Hit {
  at: number;
  path: string;
  event: string | null;
}

/** A visit to keep. */
export type Visit = Pick<PassingVisit, "visitor" | "hostname" | "source" | "place" | "technology"> & {
  hits: Hit[];
};

/** The visits of a day as a list. */
export function listVisits(visits: Visits, date: string): Visit[] {
  const list: Visit[] = [];
  visits(date, (visit) => {
    const { visitor, hostname, source, place, technology, length } = visit;
    const hits = Array.from({ length }, (_, hit) => ({
      ...{ at: visit.at(hit), path: visit.path(hit), event: visit.event(hit) },
    }));
    list.push({ visitor, hostname, source, place, technology, hits });
  });
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
