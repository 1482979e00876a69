import type { Place, Source, Technology } from "./profile.ts";
import { drawAt, rankAt, rankOf, skip } from "./random.ts";

/**
 * A visit while it is shown. The same object shows the next one, and what it came with is chosen when it is asked for:
 * whoever counts a year of visits makes and keeps none of them.
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
  /** How many of them are page views, at least one: they come before its custom events. */
  readonly views: number;
  /** Seconds after the site's midnight, for each hit in turn not less than before. */
  at(hit: number): number;
  path(hit: number): string;
  /** The custom event; null for a page view. */
  event(hit: number): string | null;
}

/** What a site's numbers choose, each in [0, 1). */
export interface SiteChoices {
  place: Choose<Place>;
  technology: Choose<Technology>;
  hostname: Choose<string>;
  hour: Choose<number>;
  /** The ranks below which a visit has a second page view, a third, and so on. */
  more: number[];
  /** With the rank below which each happens. */
  events: { name: string; rank: number }[];
}

export interface DayChoices {
  source: Choose<Source>;
  entry: Choose<string>;
  page: Choose<string>;
  /** Seconds. */
  length: number;
  /** Below this rank a visit begins so early that it cannot run past midnight. */
  safe: number;
}

type Choose<T> = (random: number) => T;

export const MOST_VIEWS = 12;
const RETURNS = rankOf(0.12);
/** Seconds: at least, and below how many more. */
const VIEW_PAUSE = [15, 210] as const;
const EVENT_PAUSE = [5, 40] as const;

/** Where in a visitor's numbers which are; a visitor has those of two visits, drawn or not. */
const ofVisitor = { place: 0, technology: 1, source: 2, returns: 3, visits: 4 };
/** Where those of a visit's later page views begin. */
const MORE = 5;
/** The same of a visit. Each page view but the first has two, its pause and its page; an event has its chance and its pause. */
const ofVisit = {
  ...{ hostname: 0, hour: 1, second: 2, entry: 3, views: 4 },
  ...{ more: MORE, events: MORE + 2 * (MOST_VIEWS - 1) },
};

const countOfVisit = ({ events }: SiteChoices) => ofVisit.events + 2 * events.length;

/** How many numbers a visitor has. */
export const countNumbers = (site: SiteChoices) => ofVisitor.visits + 2 * countOfVisit(site);

/** Seconds from the first hit to the last, at most. */
export function longestVisit({ events }: SiteChoices): number {
  const add = ([least, more]: readonly [number, number]) => least + more;
  return (MOST_VIEWS - 1) * add(VIEW_PAUSE) + events.length * add(EVENT_PAUSE);
}

/** Whoever counts asks for lengths alone: an hour and the pauses are drawn where they matter. */
export class DayVisit implements PassingVisit {
  visitor = 0;
  length = 0;
  views = 0;
  private readonly site: SiteChoices;
  private readonly day: DayChoices;
  /** Where the numbers of the visitor begin, and those of the visit. */
  private person = 0;
  private start = 0;
  private knownSource: Source | undefined;
  private knownEntry: string | undefined;
  /** Which of the site's events it has. */
  private readonly raised: number[] = [];
  private isTimed = false;
  private readonly times: number[] = [];

  constructor(site: SiteChoices, day: DayChoices) {
    this.site = site;
    this.day = day;
  }

  /** Shows the next visitor's first visit; false where nothing of it is on this day. */
  arrive(person: number, source: Source | undefined, entry: string | undefined): boolean {
    this.visitor++;
    this.person = person;
    this.knownSource = source;
    this.knownEntry = entry;
    return this.show(skip(person, ofVisitor.visits));
  }

  /** Shows the same visitor's second visit; false where there is none. */
  comeBack(source: Source): boolean {
    if (rankAt(this.person, ofVisitor.returns) >= RETURNS) return false;
    this.knownSource = source;
    this.knownEntry = undefined;
    return this.show(skip(this.person, ofVisitor.visits + countOfVisit(this.site)));
  }

  get hostname() {
    return this.site.hostname(this.draw(ofVisit.hostname));
  }
  get source() {
    return this.knownSource ?? this.day.source(drawAt(this.person, ofVisitor.source));
  }
  get place() {
    return this.site.place(drawAt(this.person, ofVisitor.place));
  }
  get technology() {
    return this.site.technology(drawAt(this.person, ofVisitor.technology));
  }

  at(hit: number): number {
    if (!this.isTimed) this.time();
    return this.times[hit] as number;
  }

  /** What happens on a page happens on the last one that was viewed. */
  path(hit: number): string {
    const view = Math.min(hit, this.views - 1);
    if (view > 0) return this.day.page(this.draw(ofVisit.more + 2 * view - 1));
    return this.knownEntry ?? this.day.entry(this.draw(ofVisit.entry));
  }

  event(hit: number): string | null {
    if (hit < this.views) return null;
    const index = this.raised[hit - this.views];
    return index === undefined ? null : (this.site.events[index]?.name ?? null);
  }

  private show(start: number): boolean {
    const { more, events } = this.site;
    const rank = rankAt(start, ofVisit.views);
    let views = 1;
    while (views < MOST_VIEWS && rank < (more[views - 1] as number)) views++;
    this.raised.length = 0;
    for (let index = 0; index < events.length; index++) {
      const event = rankAt(start, ofVisit.events + 2 * index);
      if (event < (events[index]?.rank as number)) this.raised.push(index);
    }
    this.start = start;
    this.views = views;
    this.length = views + this.raised.length;
    this.isTimed = false;
    if (rankAt(start, ofVisit.hour) >= this.day.safe) this.cut();
    return this.length > 0;
  }

  private draw(number: number): number {
    return drawAt(this.start, number);
  }

  private time(): void {
    this.isTimed = true;
    const pause = ([least, more]: readonly [number, number], number: number) =>
      least + Math.floor(this.draw(number) * more);
    let at = Math.floor((this.site.hour(this.draw(ofVisit.hour)) + this.draw(ofVisit.second)) * 3600);
    let hit = 0;
    this.times[hit++] = at;
    for (let view = 1; view < this.views; view++) {
      at += pause(VIEW_PAUSE, ofVisit.more + 2 * view - 2);
      this.times[hit++] = at;
    }
    for (const index of this.raised) {
      at += pause(EVENT_PAUSE, ofVisit.events + 2 * index + 1);
      this.times[hit++] = at;
    }
  }

  private cut(): void {
    this.time();
    while (this.length > 0 && (this.times[this.length - 1] as number) >= this.day.length) this.length--;
    this.views = Math.min(this.views, this.length);
  }
}
