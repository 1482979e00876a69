import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import { listHours } from "../../calendar.ts";
import { countKept, type KeptCounts } from "../../measure/count.ts";
import { OTHER } from "../../measure/definition.ts";
import { type KeptHits, keepAll } from "../../measure/hit-filter.ts";
import { columnOf } from "../../measure/hit-table.ts";
import { createHourCounts, type HourTally } from "../../measure/hour-counts.ts";
import type { Tallies } from "../../measure/tallies.ts";
import type { CrawlerTally, DayCounts, DaySummary, DayTables } from "./day-counts.ts";
import { countFailed } from "./failed-requests.ts";
import { isOfOrigin } from "./line-dimensions.ts";
import { type DayInProgress, isView, type OpenDay } from "./open-day.ts";
import { type OpenTable, tabulateDay } from "./open-table.ts";
import { CDN, NO_RELAY } from "./relays.ts";

/** If few addresses have this share of many page views, the log may have a proxy's addresses in place of visitors'. */
const PROXIED = { addresses: 3, share: 0.8 };
/** From how many page views on that is likely, and from how many it is worth a warning: of any addresses, */
const MIN_VIEWS = { likely: 200, suspected: 50 };
/** and of addresses that a proxy beside the server, or a content delivery network, has: then it is certain. */
const MIN_RELAYED_VIEWS = { certain: 50, suspected: 10 };
/**
 * A proxy passes on the user agents of its visitors. Addresses with at most this share of the day's visitors are none, however many
 * page views they have: somebody asks all the time.
 */
const FEW_VISITORS = 0.05;

/** A day that no line changes any more. */
export interface CountedDay {
  counts: DayCounts;
  /** The hits that were counted. */
  table: OpenTable;
}

/** Counts a day by the definition in docs/log-rules.md: who is a visitor, which of them are scanners, what a visit is. */
export function countDay(day: OpenDay, timezone: string): CountedDay {
  const table = tabulateDay(day);
  const kept = keepAll(table);
  const counted = countKept(kept);
  const tables = createTables({
    tallies: countTallies(counted),
    crawlers: countCrawlers(day),
    notFound: countFailed(day.notFound, table.scanners),
    serverErrors: countFailed(day.serverErrors),
    hours: countHours(
      kept,
      listHours(day.date, day.date, timezone).map((start) => start / 1000),
    ),
  });
  return { counts: { ...summarize(day, table, counted), tables }, table };
}

/** @param starts Seconds since 1970. */
function countHours(kept: KeptHits, starts: readonly number[]): HourTally {
  const counts = createHourCounts(starts);
  counts.add(kept);
  const hours = starts.map((_, hour) => counts.read(hour));
  return {
    starts,
    visitors: hours.map(({ visitors }) => visitors),
    pageviews: hours.map(({ pageviews }) => pageviews),
    visits: hours.map(({ visits }) => visits),
    bounces: hours.map(({ bounces }) => bounces),
    visitSeconds: hours.map(({ visitSeconds }) => visitSeconds),
  };
}

/**
 * Counts an open day, up to and including `until` if given, in seconds since 1970. The whole day is counted again only if
 * lines have come.
 */
export function countOpenDay(inProgress: DayInProgress, until?: number): DayCounts {
  if (until !== undefined) return countOpen(inProgress.load(), until);
  const day = inProgress.peek();
  if (day === undefined && inProgress.counts !== undefined) return inProgress.counts;
  return countLoaded(day ?? inProgress.load());
}

function countLoaded(day: OpenDay): DayCounts {
  if (day.counted?.version !== day.version) day.counted = { version: day.version, counts: countOpen(day) };
  return day.counted.counts;
}

/**
 * Counts an open day, or its part up to and including `until`. Each of its tables is counted when it is asked for.
 *
 * @param until Seconds since 1970.
 */
export function countOpen(day: OpenDay, until?: number): DayCounts {
  const table = tabulateDay(day, { until });
  const { scanners } = table;
  let known: ReadonlyMap<Dimension, Tallies> | undefined;
  return {
    ...summarize(day, table, countKept(keepAll(table)), until),
    tables: {
      tallies: (dimension) => {
        // Between questions, a large day takes much less memory than its table.
        known ??= countTallies(countKept(keepAll(tabulateDay(day, { until }))));
        return known.get(dimension);
      },
      crawlers: () => countCrawlers(day),
      notFound: () => countFailed(day.notFound, scanners),
      serverErrors: () => countFailed(day.serverErrors),
      hours: () => undefined,
    },
  };
}

function countTallies({ tally }: KeptCounts): Map<Dimension, Tallies> {
  return new Map(
    dimensions.flatMap((dimension) => {
      const tallies = tally(dimension);
      return tallies === undefined ? [] : [[dimension, tallies]];
    }),
  );
}

function summarize(
  day: OpenDay,
  table: OpenTable,
  { totals, tally }: KeptCounts,
  until?: number,
): DaySummary {
  const addresses = countAddresses(day, table);
  return {
    definition: day.definition,
    totals,
    folded: dimensions.filter(
      (dimension) => mayBeFolded(day, dimension) && tally(dimension)?.values.includes(OTHER),
    ),
    scanners: countScanners(day, table.scanners, until),
    ...(table.strays > 0 && { strays: table.strays }),
    proxy: findProxy(addresses, totals, day.agentCount > 1),
    addresses: describeAddresses(addresses),
    dimensions: dimensions.filter((dimension) => !day.unrecorded.has(columnOf(dimension))),
  };
}

/** Whether a request, even of a scanner, has a value that was folded into `OTHER`. */
function mayBeFolded({ values, origins, profiles }: OpenDay, dimension: Dimension): boolean {
  const column = columnOf(dimension);
  if (column === "events") return false;
  if (column === "pages") return values.of(column).find(OTHER) !== undefined;
  if (isOfOrigin(column)) return origins.list.some((row) => row[column] === OTHER);
  return profiles.list.some((row) => row[column] === OTHER);
}

/** What is left out because its sender is a scanner. */
function countScanners(
  day: OpenDay,
  scanners: ReadonlySet<number>,
  until = Number.POSITIVE_INFINITY,
): DaySummary["scanners"] {
  const viewers = new Set<number>();
  let pageviews = 0;
  if (scanners.size > 0) {
    for (let hit = 0; hit < day.hits.sender.length; hit++) {
      const sender = day.hits.sender.values[hit] ?? 0;
      if (!scanners.has(sender) || !isView(day, hit)) continue;
      if (day.start + (day.hits.second.values[hit] ?? 0) > until) continue;
      viewers.add(sender);
      pageviews++;
    }
  }
  return { senders: scanners.size, viewers: viewers.size, pageviews };
}

function countAddresses(day: OpenDay, { hits, events, visitors: numbers }: OpenTable): Addresses {
  const views = new Uint32Array(day.addressCount);
  const visitors = new Uint32Array(day.addressCount);
  const relays = new Uint8Array(day.addressCount);
  const { addresses, relays: relayOf } = day.senders;
  let last = 0;
  for (const [row, hit] of hits.entries()) {
    if (events[row] !== 0) continue;
    const sender = day.hits.sender.values[hit] ?? 0;
    const address = addresses.values[sender] ?? 0;
    views[address] = (views[address] ?? 0) + 1;
    relays[address] = relayOf.values[sender] ?? NO_RELAY;
    if (numbers[row] !== last) visitors[address] = (visitors[address] ?? 0) + 1;
    last = numbers[row] ?? 0;
  }
  return { views, visitors, relays };
}

/** Apart from where the day is known: functions hold all that is known where they are made, and tables outlive the day. */
const createTables = ({ tallies, crawlers, notFound, serverErrors, hours }: CountedTables): DayTables => ({
  tallies: (dimension) => tallies.get(dimension),
  crawlers: () => crawlers,
  notFound: () => notFound,
  serverErrors: () => serverErrors,
  hours: () => hours,
});

type CountedTables = { tallies: ReadonlyMap<Dimension, Tallies> } & {
  [Name in Exclude<keyof DayTables, "tallies">]: ReturnType<DayTables[Name]>;
};

function countCrawlers({ crawlers }: OpenDay): Map<string, CrawlerTally> {
  return new Map([...crawlers].map(([name, { paths, ...rest }]) => [name, { ...rest, pages: paths.size }]));
}

/** By address: its page views, its visitors, and what it says about a proxy (relays.ts). */
interface Addresses {
  views: Uint32Array;
  visitors: Uint32Array;
  relays: Uint8Array;
}

function describeAddresses({ views }: Addresses): DaySummary["addresses"] {
  return {
    count: views.reduce((sum, count) => (count === 0 ? sum : sum + 1), 0),
    most: findMost(views, PROXIED.addresses)
      .map((address) => views[address] ?? 0)
      .filter((count) => count > 0),
  };
}

/**
 * Whether the addresses of a day seem to be those of a proxy.
 *
 * @param hasAgents Whether senders differ in their user agents: they all have the same where the log has none.
 */
function findProxy(
  { views, visitors, relays }: Addresses,
  totals: DaySummary["totals"],
  hasAgents: boolean,
): DayCounts["proxy"] {
  const total = totals.pageviews;
  const add = (counts: Uint32Array, addresses: readonly number[]) =>
    addresses.reduce((sum, address) => sum + (counts[address] ?? 0), 0);
  const most = findMost(views, PROXIED.addresses);
  const relayed = most.filter((address) => relays[address] !== NO_RELAY);
  // A network has many addresses, and nobody reads from them.
  const viewsOfNetworks = views.reduce(
    (sum, count, address) => sum + (relays[address] === CDN ? count : 0),
    0,
  );
  if (isMost(add(views, relayed), total) || isMost(viewsOfNetworks, total)) {
    if (total >= MIN_RELAYED_VIEWS.certain) return "certain";
    return total >= MIN_RELAYED_VIEWS.suspected ? "suspected" : "none";
  }
  const few = countFew(
    most.map((address) => views[address] ?? 0),
    total,
  );
  if (few === undefined || total < MIN_VIEWS.suspected) return "none";
  const isFlood = hasAgents && add(visitors, most.slice(0, few)) <= FEW_VISITORS * totals.visitors;
  return isFlood || total < MIN_VIEWS.likely ? "suspected" : "likely";
}

const isMost = (some: number, total: number): boolean => total > 0 && some >= PROXIED.share * total;

/**
 * How many addresses it takes to have most of the page views; undefined if a few are not enough.
 *
 * @param most The page views of the first addresses, highest first.
 */
export function countFew(most: readonly number[], pageviews: number): number | undefined {
  let sum = 0;
  for (const [index, views] of most.entries()) {
    sum += views;
    if (isMost(sum, pageviews)) return index + 1;
  }
  return undefined;
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
