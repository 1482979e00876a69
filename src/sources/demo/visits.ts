import { readMember } from "../../member.ts";
import { addDays } from "../../operations/days.ts";
import { startOfDay } from "../calendar.ts";
import type { Fixtures, PlaceProfile, SiteProfile, Source, Technology } from "./fixture-types.ts";
import { type Choice, createChoice, createRandom, drawBetween, type Random } from "./random.ts";

export interface Visit {
  /** The visitor's number within the day: cookieless analytics cannot recognize anyone on another day. */
  visitor: number;
  hostname: string;
  source: Source;
  place: PlaceProfile;
  technology: Technology;
  /** By time: at least one page view, then custom events. */
  hits: Hit[];
}

/** A page view, or a custom event on the last viewed page. */
export interface Hit {
  /** Seconds after the site's midnight. */
  at: number;
  path: string;
  /** Null for a page view. */
  event: string | null;
}

/** The visits of a site on a date, always the same ones. A visitor's visits are adjacent. */
export type Visits = (date: string) => Visit[];

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
const RETURN_CHANCE = 0.12;
const MAX_VIEWS = 12;
/** Seconds before the next page view, and before a custom event. */
const VIEW_PAUSE = { from: 15, to: 225 };
const EVENT_PAUSE = { from: 5, to: 45 };
/** A day's visitors are multiplied by a number in this range, so that no two days are quite alike. */
const NOISE = { from: 0.92, to: 1.08 };

/**
 * Makes up the visits of a site from its profile. A day's random numbers depend only on seed, site and date.
 *
 * @param anchor The date from which the profile counts days.
 */
export function createVisits(profile: SiteProfile, fixtures: Fixtures, seed: string, anchor: string): Visits {
  return (date) => {
    const day = dayFromAnchor(date, anchor);
    if (profile.data_since === null || day < -profile.data_since) return [];
    const random = createRandom(`${seed}:${profile.id}:${date}`);
    const choices = createChoices(profile, fixtures, day);
    const visits = makeVisits(listCrowds(profile, fixtures, date, day), choices, random);
    // Visitors are counted day by day, so a visit ends with the site's day, which may have 23 hours or 25.
    const [start, end] = [startOfDay(date, profile.timezone), startOfDay(addDays(date, 1), profile.timezone)];
    return visits
      .map((visit) => ({ ...visit, hits: visit.hits.filter(({ at }) => start + at * 1000 < end) }))
      .filter(({ hits }) => hits.length > 0);
  };
}

/** How many days a date is after the anchor; negative before it. */
export const dayFromAnchor = (date: string, anchor: string) =>
  (Date.parse(date) - Date.parse(anchor)) / DAY_MS;

/** Visitors of a day. If a source and a page are given, all come from that source to that page. */
interface Crowd {
  visitors: number;
  source?: Source;
  entry?: string;
}

/** Lists the day's regular visitors, then those that the story's chapters add. */
function listCrowds(profile: SiteProfile, fixtures: Fixtures, date: string, day: number): Crowd[] {
  const chapters = profile.story.filter(({ from, days }) => day >= from && day < from + days);
  const factor = chapters.reduce((product, chapter) => product * (chapter.factor ?? 1), 1);
  const weekday = profile.weekdays[(new Date(date).getUTCDay() + 6) % 7] ?? 1;
  const regular = profile.visitors * growTo(day, profile.growth_from) * weekday * factor;
  const added = chapters.flatMap(({ extra }) => extra ?? []);
  return [
    { visitors: regular },
    ...added.map(({ visitors, source, path }) => ({
      visitors,
      source: find(fixtures.sources, source),
      entry: path,
    })),
  ];
}

function makeVisits(crowds: Crowd[], choices: Choices, random: Random): Visit[] {
  const visits: Visit[] = [];
  let visitor = 0;
  for (const crowd of crowds) {
    const count = Math.round(crowd.visitors * drawBetween(random, NOISE));
    for (let index = 0; index < count; index++) {
      visitor++;
      const place = choices.place(random);
      const technology = choices.technology(random);
      const addVisit = (source: Source, entry: string, hour: Random) => {
        const hostname = choices.hostname(random);
        const hits = makeHits(entry, choices, choices.hour(hour), random);
        visits.push({ visitor, hostname, source, place, technology, hits });
      };
      // One after the other: if all came at random times, a few hours of one day could look like an outage beside those of another.
      const inTurn = () => (index + random()) / count;
      addVisit(crowd.source ?? choices.source(random), crowd.entry ?? choices.entry(random), inTurn);
      if (random() < RETURN_CHANCE) addVisit(choices.direct, choices.entry(random), random);
    }
  }
  return visits;
}

function makeHits(entry: string, choices: Choices, hour: number, random: Random): Hit[] {
  let at = Math.floor((hour + random()) * 3600);
  let path = entry;
  const hits: Hit[] = [{ at, path, event: null }];
  while (hits.length < MAX_VIEWS && random() < choices.nextViewChance) {
    at += Math.floor(drawBetween(random, choices.viewPause));
    path = choices.page(random);
    hits.push({ at, path, event: null });
  }
  for (const [event, chance] of choices.events) {
    if (random() >= chance) continue;
    at += Math.floor(drawBetween(random, EVENT_PAUSE));
    hits.push({ at, path, event });
  }
  return hits;
}

type Choices = ReturnType<typeof createChoices>;

/** Creates the choices a day's visits are drawn from: pages exist on some days only, and sources grow. */
function createChoices(profile: SiteProfile, fixtures: Fixtures, day: number) {
  const pages = profile.pages.filter(({ from = -Infinity, until = Infinity }) => day >= from && day <= until);
  const sources = Object.entries(profile.sources).map(([key, source]): [string, number] => [
    key,
    typeof source === "number" ? source : source.weight * growTo(day, source.from),
  ]);
  return {
    hostname: createChoice(Object.entries(profile.hostnames)),
    place: chooseAmong(fixtures.places, Object.entries(profile.places)),
    technology: chooseAmong(fixtures.technologies, Object.entries(profile.technologies)),
    source: chooseAmong(fixtures.sources, sources),
    direct: find(fixtures.sources, "direct"),
    hour: createChoice(profile.hours.map((weight, hour) => [hour, weight])),
    entry: createChoice(pages.map(({ path, entry }) => [path, entry])),
    page: createChoice(pages.map(({ path, view }) => [path, view])),
    nextViewChance: 1 - 1 / profile.pages_per_visit,
    viewPause: profile.view_pause ?? VIEW_PAUSE,
    events: Object.entries(profile.events),
  };
}

function chooseAmong<T>(all: Record<string, T>, weights: [key: string, weight: number][]): Choice<T> {
  return createChoice(weights.map(([key, weight]) => [find(all, key), weight]));
}

/** Grows linearly from `from` a year before the anchor to 1 at the anchor; constant before and after. */
export function growTo(day: number, from: number): number {
  const progress = Math.min(1, Math.max(0, 1 + day / YEAR_DAYS));
  return from + (1 - from) * progress;
}

function find<T>(all: Record<string, T>, key: string): T {
  const found = readMember(all, key);
  if (found === undefined) throw new Error(`The fixtures refer to ${key}, which they do not define.`);
  return found;
}
