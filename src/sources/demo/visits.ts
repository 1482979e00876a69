import { addDays } from "../../operations/days.ts";
import { startOfDay } from "../calendar.ts";
import {
  countNumbers,
  type DayChoices,
  DayVisit,
  longestVisit,
  MOST_VIEWS,
  type PassingVisit,
  type SiteChoices,
} from "./day-visit.ts";
import type { Fixtures, SiteProfile, Source } from "./profile.ts";
import { createChoice, drawAt, rankOf, skip, startRow } from "./random.ts";

/** Shows the visits of a day, one after the other. */
export type Visits = (date: string, see: (visit: PassingVisit) => void) => void;

const YEAR_DAYS = 365;
/** Where in a day's row which numbers are: those of its chapters, of which there may be so many, and its visitors. */
const ofDay = { noise: 0, chapters: 1, visitors: 64 };

/**
 * The visits of a site, day by day: made of numbers that hang on site and date alone, so that a day is the same
 * whenever it is asked for. A visit that runs past midnight is cut there. All visits of one visitor follow
 * each other.
 */
export function createVisits(profile: SiteProfile, shared: Fixtures, seed: string, anchor: string): Visits {
  const anchorTime = Date.parse(anchor);
  const site = chooseOfSite(profile, shared);
  const direct = pick(shared.sources, "direct");
  const numbers = countNumbers(site);

  return (date, see) => {
    const day = (Date.parse(date) - anchorTime) / 86_400_000;
    if (profile.data_since === null || day < -profile.data_since) return;
    const row = startRow(`${seed}:${profile.id}:${date}`);
    const visit = new DayVisit(site, chooseOfDay(profile, shared, site, day, date));
    let next = skip(row, ofDay.visitors);

    const arrive = (visitors: number, source?: Source, entry?: string) => {
      for (let left = visitors; left > 0; left--) {
        if (visit.arrive(next, source, entry)) see(visit);
        if (visit.comeBack(direct)) see(visit);
        next = skip(next, numbers);
      }
    };
    const today = profile.story.filter(({ from, days }) => day >= from && day < from + days);
    arrive(countVisitors(profile, day, date, today, drawAt(row, ofDay.noise)));
    for (const [index, { extra }] of today.entries()) {
      if (!extra) continue;
      const noise = drawAt(row, ofDay.chapters + index);
      arrive(
        Math.round(extra.visitors * (0.9 + 0.2 * noise)),
        pick(shared.sources, extra.source),
        extra.path,
      );
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
    const hits = Array.from(
      { length },
      (_, hit): Hit => ({ at: visit.at(hit), path: visit.path(hit), event: visit.event(hit) }),
    );
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

function chooseOfSite(profile: SiteProfile, shared: Fixtures): SiteChoices {
  const another = 1 - 1 / profile.pages_per_visit;
  return {
    place: chooseFrom(profile.places, shared.places),
    technology: chooseFrom(profile.technologies, shared.technologies),
    hostname: createChoice(Object.keys(profile.hostnames), Object.values(profile.hostnames)),
    hour: createChoice([...profile.hours.keys()], profile.hours),
    more: Array.from({ length: MOST_VIEWS - 1 }, (_, index) => rankOf(another ** (index + 1))),
    events: Object.entries(profile.events).map(([name, chance]) => ({ name, rank: rankOf(chance) })),
  };
}

function chooseOfDay(
  profile: SiteProfile,
  shared: Fixtures,
  site: SiteChoices,
  day: number,
  date: string,
): DayChoices {
  const sources = Object.entries(profile.sources);
  const pages = profile.pages.filter(({ from = -Infinity, until = Infinity }) => day >= from && day <= until);
  const paths = pages.map((page) => page.path);
  const length = (startOfDay(addDays(date, 1), profile.timezone) - startOfDay(date, profile.timezone)) / 1000;
  return {
    source: createChoice(
      sources.map(([key]) => pick(shared.sources, key)),
      sources.map(([, each]) => (typeof each === "number" ? each : each.weight * rise(each.from, day))),
    ),
    entry: createChoice(
      paths,
      pages.map((page) => page.entry),
    ),
    page: createChoice(
      paths,
      pages.map((page) => page.view),
    ),
    length,
    safe: rankOf(shareBefore(profile.hours, (length - longestVisit(site)) / 3600)),
  };
}

/** Share of the weight of the hours that are over at a time. A day that a zone skips has none. */
function shareBefore(hours: readonly number[], time: number): number {
  const sum = (weights: readonly number[]) => weights.reduce((total, weight) => total + weight, 0);
  return sum(hours.slice(0, Math.max(0, Math.floor(time)))) / sum(hours);
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
