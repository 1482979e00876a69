import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import { OTHER } from "../../measure/definition.ts";
import type { Tallies } from "../../measure/tallies.ts";
import type { CrawlerDay, DayCounts, DaySummary, DayTables, NotFoundDay } from "./day-counts.ts";
import { createGrowingTally, type GrowingTally } from "./growing-tally.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "./line-dimensions.ts";
import { countNotFound } from "./not-found.ts";
import type { OpenDay } from "./open-day.ts";
import { CDN, NO_RELAY } from "./relays.ts";
import { createValues, type Values } from "./values.ts";
import { countViews, forEachSender, forEachVisit, type SortedHits, sortHits, type Visit } from "./visits.ts";

/** If few addresses have this share of many page views, the log has a proxy's addresses in place of visitors'. */
const PROXIED = { addresses: 3, share: 0.8 };
/** From how many page views on that is certain, and from how many it is worth a warning: of any addresses, */
const MIN_VIEWS = { certain: 200, suspected: 50 };
/** and of addresses that a proxy beside the server, or a content delivery network, has. */
const MIN_RELAYED_VIEWS = { certain: 50, suspected: 10 };

/**
 * Counts a day, or its part up to and including `until`, by the definition in docs/logs.md: who is a visitor, which of
 * them are scanners, what a visit is.
 *
 * @param until Seconds since 1970.
 */
export function countDay(day: OpenDay, until?: number): DayCounts {
  const sorted = sortHits(day, until);
  const tallies = countTallies(day, sorted);
  return {
    ...summarize(day, sorted),
    tables: createTables(tallies, countCrawlers(day), countNotFound(day, sorted.scanners)),
  };
}

/** The same, but each table is counted when it is asked for. */
export function countOpen(day: OpenDay, until?: number): DayCounts {
  const sorted = sortHits(day, until);
  let known: ReadonlyMap<Dimension, Tallies> | undefined;
  const tally = () => {
    known ??= countTallies(day, sorted);
    return known;
  };
  return {
    ...summarize(day, sorted),
    tables: {
      tallies: (dimension) => tally().get(dimension),
      crawlers: () => countCrawlers(day),
      notFound: () => countNotFound(day, sorted.scanners),
    },
  };
}

function summarize(day: OpenDay, { order, starts, scanners }: SortedHits): DaySummary {
  const totals = { visitors: 0, pageviews: 0, events: 0, visits: 0, bounces: 0, visitSeconds: 0 };
  const left = { senders: scanners.size, viewers: 0, pageviews: 0 };
  const addresses = { views: new Uint32Array(day.addressCount), relays: new Uint8Array(day.addressCount) };
  const folding = createFolding(day);
  forEachSender(starts, (sender, from, to) => {
    const views = countViews(day, order, from, to);
    if (views === 0) return;
    if (scanners.has(sender)) {
      left.viewers++;
      left.pageviews += views;
      return;
    }
    totals.visitors++;
    totals.pageviews += views;
    const address = day.senders.addresses.values[sender] ?? 0;
    addresses.views[address] = (addresses.views[address] ?? 0) + views;
    addresses.relays[address] = day.senders.relays.values[sender] ?? NO_RELAY;
    totals.events += to - from - views;
    folding.addHits(order, from, to);
    const profile = day.senders.profiles.values[sender] ?? 0;
    forEachVisit(day, order, from, to, (visit) => {
      totals.visits++;
      if (visit.views === 1) totals.bounces++;
      totals.visitSeconds += visit.seconds;
      folding.addVisit(visit, profile);
    });
  });
  return {
    definition: day.definition,
    totals,
    folded: folding.list(),
    scanners: left,
    proxy: findProxy(addresses, totals.pageviews),
  };
}

/** Finds the dimensions of which values were folded into `OTHER`, among what is counted. */
function createFolding({ values, origins, profiles, hits }: OpenDay) {
  const page = values.of("pages").find(OTHER);
  const [foldedOrigins, foldedProfiles] = [listFolded(origins.list), listFolded(profiles.list)];
  const found = new Set<Dimension>();
  const addAll = (dimensions: readonly Dimension[] = []) => {
    for (const dimension of dimensions) found.add(dimension);
  };
  return {
    addHits: (order: Uint32Array, from: number, to: number) => {
      for (let at = from; page !== undefined && at < to; at++)
        if (hits.page.values[order[at] ?? 0] === 2 * page) found.add("pages");
    },
    /** @param profile The number of the visitor's profile. */
    addVisit: (visit: Visit, profile: number) => {
      if (visit.entry === page) found.add("entry_pages");
      if (visit.exit === page) found.add("exit_pages");
      addAll(foldedOrigins[visit.origin]);
      addAll(foldedProfiles[profile]);
    },
    list: () => dimensions.filter((dimension) => found.has(dimension)),
  };
}

/** By row, the dimensions whose value was folded; no entry where there is none. */
function listFolded<D extends Dimension>(rows: readonly Readonly<Record<D, string | null>>[]): D[][] {
  const found: D[][] = [];
  rows.forEach((row, number) => {
    const names = (Object.keys(row) as D[]).filter((name) => row[name] === OTHER);
    if (names.length > 0) found[number] = names;
  });
  return found;
}

function countTallies(day: OpenDay, { order, starts, scanners }: SortedHits): Map<Dimension, Tallies> {
  const tally = createTally(day);
  forEachSender(starts, (sender, from, to) => {
    if (scanners.has(sender) || countViews(day, order, from, to) === 0) return;
    tally.startVisitor();
    countHits(day, order, from, to, tally);
    const profile = day.senders.profiles.values[sender] ?? 0;
    forEachVisit(day, order, from, to, (visit) => tally.addVisit(visit, profile));
  });
  return tally.finish();
}

/** Apart from where the day is known: functions hold all that is known where they are made, and tables outlive the day. */
const createTables = (
  tallies: ReadonlyMap<Dimension, Tallies>,
  crawlers: ReadonlyMap<string, CrawlerDay>,
  notFound: NotFoundDay,
): DayTables => ({
  tallies: (dimension) => tallies.get(dimension),
  crawlers: () => crawlers,
  notFound: () => notFound,
});

function countCrawlers({ crawlers }: OpenDay): Map<string, CrawlerDay> {
  return new Map([...crawlers].map(([name, { paths, ...rest }]) => [name, { ...rest, pages: paths.size }]));
}

/** By address: its page views, and what it says about a proxy (relays.ts). */
interface Addresses {
  views: Uint32Array;
  relays: Uint8Array;
}

/** Whether the addresses of a day seem to be those of a proxy. */
function findProxy({ views, relays }: Addresses, total: number): DayCounts["proxy"] {
  const isMost = (some: number) => total > 0 && some >= PROXIED.share * total;
  const most = findMost(views, PROXIED.addresses);
  const add = (addresses: readonly number[]) =>
    addresses.reduce((sum, address) => sum + (views[address] ?? 0), 0);
  // A network has many addresses, and nobody reads from them.
  const viewsOfNetworks = views.reduce(
    (sum, count, address) => sum + (relays[address] === CDN ? count : 0),
    0,
  );
  const isRelayed =
    isMost(add(most.filter((address) => relays[address] !== NO_RELAY))) || isMost(viewsOfNetworks);
  if (!isRelayed && !isMost(add(most))) return "none";
  const min = isRelayed ? MIN_RELAYED_VIEWS : MIN_VIEWS;
  if (total >= min.certain) return "certain";
  return total >= min.suspected ? "suspected" : "none";
}

/** The indices of the highest numbers, at most `count`. */
function findMost(numbers: Uint32Array, count: number): number[] {
  const most: number[] = [];
  numbers.forEach((number, index) => {
    const last = most[count - 1];
    if (last !== undefined && number <= (numbers[last] ?? 0)) return;
    most.push(index);
    most.sort((a, b) => (numbers[b] ?? 0) - (numbers[a] ?? 0));
    most.length = Math.min(most.length, count);
  });
  return most;
}

/** Tallies what each hit has: a path, or the event. */
function countHits(day: OpenDay, order: Uint32Array, from: number, to: number, tally: Tally): void {
  for (let at = from; at < to; at++) {
    const page = day.hits.page.values[order[at] ?? 0] ?? 0;
    if ((page & 1) === 0) tally.addPage(page >>> 1);
    else tally.addEvent();
  }
}

/** The event of a download, as the field names it. */
export const DOWNLOAD = "File Download";

type Tally = ReturnType<typeof createTally>;

function createTally({ values, origins, profiles }: OpenDay) {
  const tallies = new Map<Dimension, { values: Values; tally: GrowingTally }>();
  const createTallyOf = (dimension: Dimension, values: Values, tally = createGrowingTally()) => {
    tallies.set(dimension, { values, tally });
    return tally;
  };
  const paths = values.of("pages");
  const pages = createTallyOf("pages", paths);
  const [entryPages, exitPages] = [createTallyOf("entry_pages", paths), createTallyOf("exit_pages", paths)];
  const eventNames = createValues();
  const events = createTallyOf("events", eventNames);
  const download = eventNames.number(DOWNLOAD);
  const addOrigin = createRowTally(ORIGIN_DIMENSIONS, origins.list, createTallyOf);
  const addProfile = createRowTally(PROFILE_DIMENSIONS, profiles.list, createTallyOf);
  let visitor = 0;
  return {
    startVisitor: () => void visitor++,
    addPage: (page: number) => pages.add(page, visitor, 1),
    addEvent: () => events.add(download, visitor, 1),
    /** @param profile The number of the visitor's profile. */
    addVisit: (visit: Visit, profile: number) => {
      entryPages.add(visit.entry, visitor, visit.views, visit);
      exitPages.add(visit.exit, visitor, visit.views, visit);
      addOrigin(visit.origin, visitor, visit);
      addProfile(profile, visitor, visit);
    },
    finish: (): Map<Dimension, Tallies> => {
      const used = [...tallies].filter(([, { tally }]) => tally.size > 0);
      return new Map(used.map(([dimension, { values, tally }]) => [dimension, tally.finish(values.at)]));
    },
  };
}

/**
 * Tallies all values of something, such as an origin, by its number. Dimensions that divide all numbers alike share a tally: of
 * most logs, several have one value alone.
 */
function createRowTally<D extends Dimension>(
  dimensions: readonly D[],
  rows: readonly Readonly<Record<D, string | null>>[],
  createTallyOf: (dimension: Dimension, values: Values, tally?: GrowingTally) => GrowingTally,
) {
  const different: { numbers: Uint32Array; tally: GrowingTally }[] = [];
  for (const dimension of dimensions) {
    const values = createValues();
    const numbers = Uint32Array.from(rows, (row) => values.number(row[dimension]));
    const alike = different.find((each) => numbers.every((number, row) => number === each.numbers[row]));
    const tally = createTallyOf(dimension, values, alike?.tally);
    if (alike === undefined) different.push({ numbers, tally });
  }
  return (number: number, visitor: number, visit: Visit) => {
    for (const { numbers, tally } of different) tally.add(numbers[number] ?? 0, visitor, visit.views, visit);
  };
}
