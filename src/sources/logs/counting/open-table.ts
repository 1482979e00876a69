import { type HitColumn, type HitDimension, numberTexts } from "../../measure/hit-table.ts";
import type { PathTable } from "../../measure/leave-out.ts";
import { numberVisits } from "../../measure/visits.ts";
import { isOfOrigin } from "./line-dimensions.ts";
import { isView, type OpenDay } from "./open-day.ts";
import { findScanners } from "./scanners.ts";

/** The event of a download, as the field names it. */
export const DOWNLOAD = "File Download";

/** The hits of a day in memory, ordered by visitor, time and line. */
export interface OpenTable extends PathTable {
  /** By row, the number of the hit within the day. */
  readonly hits: Uint32Array;
  readonly scanners: ReadonlySet<number>;
  /** How many downloads are not in it, because who asked for them viewed no page. */
  readonly strays: number;
}

interface Tabulated {
  /** Seconds since 1970: only the hits up to and including then. */
  until?: number | undefined;
  /** The senders whose hits are wanted; all if absent. */
  senders?: ReadonlySet<number>;
  /** Whether to have scanners in the table, too. */
  withScanners?: boolean;
}

/**
 * Makes a table of the hits of those who have a page view, but scanners. By default a table has all of them: to count, it must
 * have all hits of each visitor.
 */
export function tabulateDay(
  day: OpenDay,
  { until = Number.POSITIVE_INFINITY, senders, withScanners = false }: Tabulated = {},
): OpenTable {
  const { order, starts } = orderHits(day, until - day.start, senders);
  const scanners = findScanners(day, until, senders);
  const visitors = new Uint32Array(order.length);
  let [length, visitor, strays] = [0, 0, 0];
  // The rows that stay move to the front of the order.
  for (let sender = 0; sender < starts.length - 1; sender++) {
    const [from, to] = [starts[sender] ?? 0, starts[sender + 1] ?? 0];
    if (scanners.has(sender) && !withScanners) continue;
    if (!hasView(day, order, from, to)) {
      strays += to - from;
      continue;
    }
    order.copyWithin(length, from, to);
    visitors.fill(++visitor, length, length + to - from);
    length += to - from;
  }
  const hits = order.subarray(0, length);
  const { second } = day.hits;
  const rows = {
    length,
    visitors: visitors.subarray(0, length),
    times: hits.map((hit) => day.start + (second.values[hit] ?? 0)),
    events: Uint8Array.from(hits, (hit) => (isView(day, hit) ? 0 : 1)),
  };
  return {
    ...rows,
    visits: numberVisits(rows),
    hits,
    scanners,
    strays,
    column: (dimension) => readColumnOf(day, hits, dimension),
    paths: () => ({
      numbers: hits.map((hit) => (day.hits.page.values[hit] ?? 0) >>> 1),
      texts: listPages(day),
    }),
  };
}

/**
 * The numbers of hits by sender, then by time, and by sender, and once more, where their hits begin.
 *
 * @param until Seconds after the start of the day. Lines of the same second stay in their order.
 */
function orderHits({ hits, senders }: OpenDay, until: number, wanted: ReadonlySet<number> | undefined) {
  const starts = new Uint32Array(senders.requests.length + 1);
  const isLeftOut = (hit: number, sender: number) =>
    (hits.second.values[hit] ?? 0) > until || wanted?.has(sender) === false;
  let kept = 0;
  for (let hit = 0; hit < hits.sender.length; hit++) {
    const sender = hits.sender.values[hit] ?? 0;
    if (isLeftOut(hit, sender)) continue;
    kept++;
    starts[sender + 1] = (starts[sender + 1] ?? 0) + 1;
  }
  for (let index = 1; index < starts.length; index++)
    starts[index] = (starts[index] ?? 0) + (starts[index - 1] ?? 0);
  const order = new Uint32Array(kept);
  const ends = starts.slice();
  for (let hit = 0; hit < hits.sender.length; hit++) {
    const sender = hits.sender.values[hit] ?? 0;
    if (isLeftOut(hit, sender)) continue;
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

function hasView(day: OpenDay, order: Uint32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (isView(day, order[at] ?? 0)) return true;
  return false;
}

function listPages(day: OpenDay): (string | null)[] {
  const { size, at } = day.values.of("pages");
  return Array.from({ length: size }, (_, number) => at(number));
}

function readColumnOf(day: OpenDay, hits: Uint32Array, dimension: HitDimension): HitColumn {
  const { page, origin, sender } = day.hits;
  if (dimension === "events")
    return { numbers: hits.map((hit) => (page.values[hit] ?? 0) & 1), texts: [null, DOWNLOAD] };
  if (dimension === "pages") {
    const numbers = hits.map((hit) => (isView(day, hit) ? (page.values[hit] ?? 0) >>> 1 : 0));
    return { numbers, texts: listPages(day) };
  }
  if (isOfOrigin(dimension)) {
    const { texts, numbers } = numberTexts(day.origins.list.map((row) => row[dimension]));
    if (texts.length === 1) return { texts, numbers };
    return { texts, numbers: hits.map((hit) => numbers[origin.values[hit] ?? 0] ?? 0) };
  }
  const { texts, numbers } = numberTexts(day.profiles.list.map((row) => row[dimension]));
  if (texts.length === 1) return { texts, numbers };
  const { profiles } = day.senders;
  return {
    texts,
    numbers: hits.map((hit) => numbers[profiles.values[sender.values[hit] ?? 0] ?? 0] ?? 0),
  };
}
