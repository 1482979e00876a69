import type { Dimension } from "../../operations/dimensions.ts";
import { closeCrawlers } from "./crawler-days.ts";
import { type DayCounts, DEFINITION, type Tallies, type TalliesByDimension } from "./day-counts.ts";
import type { OpenDay } from "./open-day.ts";
import type { SiteValues } from "./values.ts";

/** A visit ends after this many seconds without a page view. */
const VISIT_GAP = 30 * 60;
/** Who has at least this many requests, of which this share was answered 4xx, is a scanner; */
const SCANNER = { requests: 20, errors: 0.8, probes: 3 };
/** but not if the address has more than this share of the day's visitors: then it is a proxy. */
const PROXY_SHARE = 0.05;
/** If few addresses have this share of many page views, the log has a proxy's addresses in place of visitors'. */
const PROXIED = { views: 1_000, addresses: 3, share: 0.8 };

/** The dimensions of what a visit came from, and of what a sender is. */
const ORIGIN_DIMENSIONS = [
  "hostnames",
  "referrers",
  "channels",
  "utm_sources",
  "utm_mediums",
  "utm_campaigns",
  "utm_terms",
  "utm_contents",
  "languages",
] as const satisfies readonly Dimension[];
const PROFILE_DIMENSIONS = [
  "countries",
  "regions",
  "cities",
  "devices",
  "browsers",
  "operating_systems",
] as const satisfies readonly Dimension[];

/** The numbers of the values. */
export type OriginValues = Readonly<Record<(typeof ORIGIN_DIMENSIONS)[number], number>>;
export type ProfileValues = Readonly<Record<(typeof PROFILE_DIMENSIONS)[number], number>>;

/**
 * Counts a day, or its part up to and including `until`, by the definition in docs/logs.md: who is a visitor, which of
 * them are scanners, what a visit is.
 *
 * @param until Seconds since 1970.
 */
export function countDay(day: OpenDay, values: SiteValues, until = Number.POSITIVE_INFINITY): DayCounts {
  const order = orderHits(day, until - day.start);
  const scanners = findScanners(day, order);
  const tally = createTally(values);
  const totals = { visitors: 0, pageviews: 0, events: 0 };
  let scannerViews = 0;
  const viewsByAddress = new Map<number, number>();
  forEachSender(day, order, (sender, from, to) => {
    const views = countViews(day, order, from, to);
    if (views === 0) return;
    if (scanners.has(sender)) {
      scannerViews += views;
      return;
    }
    totals.visitors++;
    totals.pageviews += views;
    const address = day.senders.addresses.values[sender] ?? 0;
    viewsByAddress.set(address, (viewsByAddress.get(address) ?? 0) + views);
    totals.events += to - from - views;
    tally.startVisitor();
    countHits(day, order, from, to, tally);
    forEachVisit(day, order, from, to, (visit) => countVisit(visit, sender, day, tally));
  });
  return {
    definition: DEFINITION,
    totals,
    tallies: tally.finish(),
    crawlers: closeCrawlers(day),
    scanners: { senders: scanners.size, pageviews: scannerViews },
    isProxied: isProxied(viewsByAddress, totals.pageviews),
  };
}

/** Page views and downloads by sender, then by time; lines of the same second stay in their order. */
function orderHits({ hits, senders }: OpenDay, until: number): Uint32Array {
  const starts = new Uint32Array(senders.requests.length + 1);
  let kept = 0;
  for (let hit = 0; hit < hits.sender.length; hit++) {
    if ((hits.second.values[hit] ?? 0) > until) continue;
    kept++;
    const next = (hits.sender.values[hit] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let index = 1; index < starts.length; index++)
    starts[index] = (starts[index] ?? 0) + (starts[index - 1] ?? 0);
  const order = new Uint32Array(kept);
  for (let hit = 0; hit < hits.sender.length; hit++) {
    if ((hits.second.values[hit] ?? 0) > until) continue;
    const sender = hits.sender.values[hit] ?? 0;
    let at = starts[sender] ?? 0;
    starts[sender] = at + 1;
    // Nearly always in order already.
    while (at > 0 && isBefore(hits, hit, order[at - 1] ?? 0)) {
      order[at] = order[at - 1] ?? 0;
      at--;
    }
    order[at] = hit;
  }
  return order;
}

const isBefore = ({ sender, second }: OpenDay["hits"], a: number, b: number) =>
  sender.values[a] === sender.values[b] && (second.values[a] ?? 0) < (second.values[b] ?? 0);

/** Calls back for each sender with hits, and the range of theirs in the order. */
function forEachSender(
  { hits }: OpenDay,
  order: Uint32Array,
  take: (sender: number, from: number, to: number) => void,
): void {
  for (let from = 0; from < order.length; ) {
    const sender = hits.sender.values[order[from] ?? 0];
    let to = from + 1;
    while (to < order.length && hits.sender.values[order[to] ?? 0] === sender) to++;
    take(sender ?? 0, from, to);
    from = to;
  }
}

const isView = ({ hits }: OpenDay, hit: number) => ((hits.page.values[hit] ?? 0) & 1) === 0;

function countViews(day: OpenDay, order: Uint32Array, from: number, to: number): number {
  let views = 0;
  for (let at = from; at < to; at++) if (isView(day, order[at] ?? 0)) views++;
  return views;
}

/** The senders that are scanners by their requests, and are no proxy. */
function findScanners(day: OpenDay, order: Uint32Array): Set<number> {
  const { requests, errors, probes, addresses } = day.senders;
  const suspects: number[] = [];
  for (let sender = 0; sender < requests.length; sender++) {
    const [all, refused] = [requests.values[sender] ?? 0, errors.values[sender] ?? 0];
    const isNoisy = all >= SCANNER.requests && refused >= SCANNER.errors * all;
    if (isNoisy || (probes.values[sender] ?? 0) >= SCANNER.probes) suspects.push(sender);
  }
  if (suspects.length === 0) return new Set();
  const visitors = new Map<number, number>();
  let total = 0;
  forEachSender(day, order, (sender, from, to) => {
    if (countViews(day, order, from, to) === 0) return;
    const address = addresses.values[sender] ?? 0;
    visitors.set(address, (visitors.get(address) ?? 0) + 1);
    total++;
  });
  const isProxy = (address: number) => {
    const found = visitors.get(address) ?? 0;
    // One visitor is no proxy, however few there are on the day.
    return found > 1 && found > PROXY_SHARE * total;
  };
  return new Set(suspects.filter((sender) => !isProxy(addresses.values[sender] ?? 0)));
}

function isProxied(viewsByAddress: Map<number, number>, pageviews: number): boolean {
  if (pageviews < PROXIED.views) return false;
  const most = [...viewsByAddress.values()].sort((a, b) => b - a).slice(0, PROXIED.addresses);
  return most.reduce((sum, views) => sum + views, 0) >= PROXIED.share * pageviews;
}

/** Tallies what each hit has: a path, or the event. */
function countHits(day: OpenDay, order: Uint32Array, from: number, to: number, tally: Tally): void {
  for (let at = from; at < to; at++) {
    const page = day.hits.page.values[order[at] ?? 0] ?? 0;
    if ((page & 1) === 0) tally.add("pages", page >>> 1, 1);
    else tally.addEvent();
  }
}

interface Visit {
  /** Numbers of paths. */
  entry: number;
  exit: number;
  views: number;
  origin: number;
}

/** Cuts a sender's page views into visits. Downloads neither extend a visit nor begin one. */
function forEachVisit(
  day: OpenDay,
  order: Uint32Array,
  from: number,
  to: number,
  take: (visit: Visit) => void,
): void {
  let visit: Visit | undefined;
  let last = 0;
  for (let at = from; at < to; at++) {
    const hit = order[at] ?? 0;
    if (!isView(day, hit)) continue;
    const second = day.hits.second.values[hit] ?? 0;
    const path = (day.hits.page.values[hit] ?? 0) >>> 1;
    if (visit === undefined || second - last > VISIT_GAP) {
      if (visit) take(visit);
      visit = { entry: path, exit: path, views: 0, origin: day.hits.origin.values[hit] ?? 0 };
    }
    visit.exit = path;
    visit.views++;
    last = second;
  }
  if (visit) take(visit);
}

function countVisit(visit: Visit, sender: number, day: OpenDay, tally: Tally): void {
  tally.add("entry_pages", visit.entry, visit.views);
  tally.add("exit_pages", visit.exit, visit.views);
  const origin = day.origins.list[visit.origin];
  const profile = day.profiles.list[day.senders.profiles.values[sender] ?? 0];
  for (const dimension of ORIGIN_DIMENSIONS) tally.add(dimension, origin?.[dimension] ?? 0, visit.views);
  for (const dimension of PROFILE_DIMENSIONS) tally.add(dimension, profile?.[dimension] ?? 0, visit.views);
}

type Tally = ReturnType<typeof createTally>;

/** The event of a download, as the field names it. */
const DOWNLOAD = "File Download";

function createTally(values: SiteValues) {
  const dimensions = new Map<Dimension, GrowingTally>();
  let visitor = 0;
  const add = (dimension: Dimension, value: number, hits: number) => {
    let tally = dimensions.get(dimension);
    if (tally === undefined) {
      tally = createGrowingTally();
      dimensions.set(dimension, tally);
    }
    tally.add(value, visitor, hits);
  };
  return {
    startVisitor: () => void visitor++,
    add,
    addEvent: () => add("events", values("events").number(DOWNLOAD), 1),
    finish: (): TalliesByDimension =>
      new Map([...dimensions].map(([dimension, tally]) => [dimension, tally.finish()])),
  };
}

interface GrowingTally {
  add(value: number, visitor: number, hits: number): void;
  finish(): Tallies;
}

/** Visitors come one after the other, so the last visitor of each value tells whether it is a new one. */
function createGrowingTally(): GrowingTally {
  const rows = new Map<number, { visitors: number; hits: number; last: number }>();
  return {
    add: (value, visitor, hits) => {
      const row = rows.get(value);
      if (row === undefined) {
        rows.set(value, { visitors: 1, hits, last: visitor });
        return;
      }
      row.hits += hits;
      if (row.last === visitor) return;
      row.last = visitor;
      row.visitors++;
    },
    finish: () => ({
      values: Uint32Array.from(rows.keys()),
      visitors: Uint32Array.from(rows.values(), ({ visitors }) => visitors),
      hits: Uint32Array.from(rows.values(), ({ hits }) => hits),
    }),
  };
}
