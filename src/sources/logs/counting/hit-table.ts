import type { Dimension } from "../../../operations/dimensions.ts";
import { DOWNLOAD } from "./count-day.ts";
import { ORIGIN_DIMENSIONS, type OriginValues, type ProfileValues } from "./line-dimensions.ts";
import type { OpenDay } from "./open-day.ts";
import { countViews, forEachSender, forEachVisit, isView, sortHits } from "./visits.ts";

/**
 * Hits of a day, as questions with a filter need them: of an open day, or from the file of a closed one. It has all hits of
 * its visitors, ordered by visitor, time and line, and none of scanners.
 */
export interface HitTable {
  readonly length: number;
  /** By row: a number above 0. */
  readonly visitors: Uint32Array;
  /** By row: the number of the visit among those of the visitor; 0 for an event. */
  readonly visits: Uint32Array;
  /** By row, in seconds since 1970. */
  readonly times: Uint32Array;
  /** The values of a dimension that was asked for. */
  column(dimension: HitDimension): HitColumn;
}

/** Entry and exit page are pages, of the first and the last row of a visit. */
export type HitDimension = Exclude<Dimension, "entry_pages" | "exit_pages">;

export interface HitColumn {
  /**
   * By row, the number of its value. Pages are those of page views, events those of events. What a whole visit has in
   * common is only in the row of its first page view.
   */
  readonly numbers: Uint32Array;
  /** By number, each once; 0 is none. */
  readonly texts: readonly (string | null)[];
}

/** The hits of an open day, up to and including `until`, in seconds since 1970. */
export function readOpenDay(day: OpenDay, until?: number): HitTable {
  const { hits, ...rows } = listRows(day, until);
  return { length: hits.length, ...rows, column: (dimension) => readColumnOf(day, hits, dimension) };
}

/** The rows of a table: by row, the number of the hit within the day, and what `HitTable` says of it. */
export function listRows(day: OpenDay, until = Number.POSITIVE_INFINITY) {
  const { order, starts, scanners } = sortHits(day, until);
  const rows = {
    hits: new Uint32Array(order.length),
    visitors: new Uint32Array(order.length),
    visits: new Uint32Array(order.length),
    times: new Uint32Array(order.length),
  };
  let [length, visitor] = [0, 0];
  forEachSender(starts, (sender, from, to) => {
    if (scanners.has(sender) || countViews(day, order, from, to) === 0) return;
    visitor++;
    let number = 0;
    const base = length - from;
    for (let at = from; at < to; at++) {
      const hit = order[at] ?? 0;
      rows.hits[base + at] = hit;
      rows.visitors[base + at] = visitor;
      rows.times[base + at] = day.start + (day.hits.second.values[hit] ?? 0);
    }
    forEachVisit(day, order, from, to, (visit) => {
      number++;
      for (let at = visit.from; at < visit.to; at++)
        if (isView(day, order[at] ?? 0)) rows.visits[base + at] = number;
    });
    length += to - from;
  });
  return {
    hits: rows.hits.subarray(0, length),
    visitors: rows.visitors.subarray(0, length),
    visits: rows.visits.subarray(0, length),
    times: rows.times.subarray(0, length),
  };
}

function readColumnOf(day: OpenDay, hits: Uint32Array, dimension: HitDimension): HitColumn {
  const { page, origin, sender } = day.hits;
  if (dimension === "events") {
    return { numbers: hits.map((hit) => (page.values[hit] ?? 0) & 1), texts: [null, DOWNLOAD] };
  }
  if (dimension === "pages") {
    const { size, at } = day.values.of("pages");
    const numbers = hits.map((hit) => (isView(day, hit) ? (page.values[hit] ?? 0) >>> 1 : 0));
    return { numbers, texts: Array.from({ length: size }, (_, number) => at(number)) };
  }
  if (isOfOrigin(dimension)) {
    const { texts, numberOf } = numberTexts(day.origins.list.map((row) => row[dimension]));
    return { numbers: hits.map((hit) => numberOf[origin.values[hit] ?? 0] ?? 0), texts };
  }
  const { texts, numberOf } = numberTexts(day.profiles.list.map((row) => row[dimension]));
  const { profiles } = day.senders;
  return {
    numbers: hits.map((hit) => numberOf[profiles.values[sender.values[hit] ?? 0] ?? 0] ?? 0),
    texts,
  };
}

const isOfOrigin = (dimension: keyof OriginValues | keyof ProfileValues): dimension is keyof OriginValues =>
  (ORIGIN_DIMENSIONS as readonly string[]).includes(dimension);

/** Several origins, or profiles, have the same text. */
function numberTexts(list: readonly (string | null)[]) {
  const numbers = new Map<string | null, number>([[null, 0]]);
  const numberOf = Uint32Array.from(list, (text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  });
  return { texts: [...numbers.keys()], numberOf };
}
