import { VISIT_GAP } from "../../measure/definition.ts";
import { readColumn } from "./columns.ts";
import type { OpenDay } from "./open-day.ts";
import { countProbes, findServedKinds, MIN_PROBES } from "./probes.ts";

/** A sender with this many requests, of which this share was refused, is a scanner, and so is one with `MIN_PROBES` probes, */
const SCANNER = { requests: 20, errors: 0.8 };
/** unless the address has more than this share of the day's visitors: then it is a proxy. */
const PROXY_SHARE = 0.05;

/** What counting a day begins with. */
export interface SortedHits {
  /** Its page views and downloads by sender, then by time. */
  order: Uint32Array;
  /** By sender, and once more, where their hits begin in the order. */
  starts: Uint32Array;
  scanners: ReadonlySet<number>;
}

/** @param until Seconds since 1970: the hits up to and including then. */
export const sortHits = (day: OpenDay, until = Number.POSITIVE_INFINITY): SortedHits => ({
  ...orderHits(day, until - day.start),
  scanners: findScanners(day, until),
});

/** @param until Seconds after the start of the day. Lines of the same second stay in their order. */
function orderHits({ hits, senders }: OpenDay, until: number): Pick<SortedHits, "order" | "starts"> {
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
  const ends = starts.slice();
  for (let hit = 0; hit < hits.sender.length; hit++) {
    if ((hits.second.values[hit] ?? 0) > until) continue;
    const sender = hits.sender.values[hit] ?? 0;
    const end = ends[sender] ?? 0;
    insertHit(hits, order, hit, starts[sender] ?? 0, end);
    ends[sender] = end + 1;
  }
  return { order, starts };
}

/** Inserts a hit among those of its sender, which are in order from `start` to `end`. */
function insertHit({ second }: OpenDay["hits"], order: Uint32Array, hit: number, start: number, end: number) {
  const time = second.values[hit] ?? 0;
  let at = end;
  // Lines are nearly always in order already.
  while (at > start && time < (second.values[order[at - 1] ?? 0] ?? 0)) {
    order[at] = order[at - 1] ?? 0;
    at--;
  }
  order[at] = hit;
}

/** Calls back for each sender with hits, with the range of these hits in `order`. */
export function forEachSender(
  starts: SortedHits["starts"],
  take: (sender: number, from: number, to: number) => void,
): void {
  for (let sender = 0; sender < starts.length - 1; sender++) {
    const [from, to] = [starts[sender] ?? 0, starts[sender + 1] ?? 0];
    if (from < to) take(sender, from, to);
  }
}

export const isView = ({ hits }: OpenDay, hit: number) => ((hits.page.values[hit] ?? 0) & 1) === 0;

export function countViews(day: OpenDay, order: Uint32Array, from: number, to: number): number {
  let views = 0;
  for (let at = from; at < to; at++) if (isView(day, order[at] ?? 0)) views++;
  return views;
}

/**
 * The senders that are scanners by their requests and not behind a proxy.
 *
 * @param until Seconds since 1970: the visitors up to and including then count.
 * @param senders The senders to judge; all if absent.
 */
export function findScanners(
  day: OpenDay,
  until: number,
  senders: Iterable<number> = readColumn(day.senders.requests).keys(),
): Set<number> {
  const { addresses } = day.senders;
  const suspects: number[] = [];
  // Nearly no day needs its pages looked at.
  let served: ReadonlySet<number> | undefined;
  const isServed = (kind: number) => {
    served ??= findServedKinds(listPages(day, until - day.start));
    return served.has(kind);
  };
  for (const sender of senders) if (isSuspect(day, sender, isServed)) suspects.push(sender);
  if (suspects.length === 0) return new Set();
  const asked = new Set(suspects.map((sender) => addresses.values[sender] ?? 0));
  const { visitors, total } = countVisitors(day, asked, until - day.start);
  const isProxy = (address: number) => {
    const found = visitors.get(address) ?? 0;
    // A single visitor is not a proxy, however few visitors the day has.
    return found > 1 && found > PROXY_SHARE * total;
  };
  return new Set(suspects.filter((sender) => !isProxy(addresses.values[sender] ?? 0)));
}

function isSuspect(
  { senders: { requests, errors, probes } }: OpenDay,
  sender: number,
  isServed: (kind: number) => boolean,
): boolean {
  const [all, refused] = [requests.values[sender] ?? 0, errors.values[sender] ?? 0];
  if (all >= SCANNER.requests && refused >= SCANNER.errors * all) return true;
  const asked = probes.values[sender] ?? 0;
  return countProbes(asked) >= MIN_PROBES && countProbes(asked, isServed) >= MIN_PROBES;
}

/** The paths that were answered with a page. */
function listPages({ hits, values }: OpenDay, until: number): string[] {
  const numbers = new Set<number>();
  for (let hit = 0; hit < hits.page.length; hit++) {
    const page = hits.page.values[hit] ?? 0;
    if ((page & 1) === 0 && (hits.second.values[hit] ?? 0) <= until) numbers.add(page >>> 1);
  }
  const { at } = values.of("pages");
  return [...numbers].map((number) => at(number) ?? "");
}

/** Counts the senders with a page view, scanners included: by address for some addresses, and in total. */
function countVisitors(day: OpenDay, asked: ReadonlySet<number>, until: number) {
  const { hits, senders } = day;
  const seen = new Uint8Array(senders.requests.length);
  const visitors = new Map<number, number>();
  let total = 0;
  for (let hit = 0; hit < hits.sender.length; hit++) {
    const sender = hits.sender.values[hit] ?? 0;
    if (seen[sender] === 1 || (hits.second.values[hit] ?? 0) > until || !isView(day, hit)) continue;
    seen[sender] = 1;
    total++;
    const address = senders.addresses.values[sender] ?? 0;
    if (asked.has(address)) visitors.set(address, (visitors.get(address) ?? 0) + 1);
  }
  return { visitors, total };
}

export interface Visit {
  /** Numbers of paths. */
  entry: number;
  exit: number;
  views: number;
  /** From its first page view to its last one. */
  seconds: number;
  origin: number;
  /** The index of its first page view in the order, and the index after its last one. */
  from: number;
  to: number;
}

/** Cuts a sender's page views into visits. Downloads neither extend a visit nor begin one. */
export function forEachVisit(
  day: OpenDay,
  order: Uint32Array,
  from: number,
  to: number,
  take: (visit: Visit) => void,
): void {
  let visit: Visit | undefined;
  let [first, last] = [0, 0];
  for (let at = from; at < to; at++) {
    const hit = order[at] ?? 0;
    if (!isView(day, hit)) continue;
    const second = day.hits.second.values[hit] ?? 0;
    const path = (day.hits.page.values[hit] ?? 0) >>> 1;
    if (visit === undefined || second - last > VISIT_GAP) {
      if (visit) take(visit);
      const origin = day.hits.origin.values[hit] ?? 0;
      visit = { entry: path, exit: path, views: 0, seconds: 0, origin, from: at, to: at };
      first = second;
    }
    visit.exit = path;
    visit.views++;
    visit.seconds = second - first;
    visit.to = at + 1;
    last = second;
  }
  if (visit) take(visit);
}
