import type { Call, CallOptions } from "../operations/call.ts";
import type { Days } from "../operations/days.ts";
import { sites, type timeseries } from "../operations/index.ts";
import type { Note } from "../operations/note.ts";
import type { ResultOf } from "../operations/operation.ts";
import type { Window } from "./windows.ts";

/** What a comparison needs to know about the beginning of a site's data. */
export interface DataStart {
  /** Whether the site had data on all days of both windows. */
  comparable: boolean;
  /** The first day with data, if a window reaches it; null if there is no data at all. */
  data_since?: string | null | undefined;
  /** Why a window lacks data, if not because of its beginning. */
  incomplete?: string | undefined;
}

/** Warnings that a window lacks data of some days, or that its days were counted by different rules. */
const INCOMPARABLE = new Set(["gap", "incomplete", "stale", "partial_first_day", "late", "definition"]);

/** Returns the first day with data of each of the key's sites, by id. Bypasses the cache, as all calls of a comparison do. */
export async function readDataStarts(call: Call, options: CallOptions): Promise<Map<string, string | null>> {
  const result = await call(sites, {}, { ...options, fresh: true });
  return new Map(result.sites.map(({ id, data_since }) => [id, data_since]));
}

/** Puts the earlier window first: a period may be compared with a later one. */
const orderWindows = <W extends Days>([a, b]: readonly [W, W]): [first: W, second: W] =>
  b.from < a.from ? [b, a] : [a, b];

type Series = ResultOf<typeof timeseries>;

/**
 * Finds out whether two windows are comparable. The first day with data does not count as a whole day, because counting
 * may have begun in the middle of it.
 *
 * @param series The series of the windows; the first one contains the first day of the earlier window.
 */
export function findDataStart(
  series: readonly [Series, ...Series[]],
  windows: readonly [Window, Window],
  starts: Map<string, string | null>,
): DataStart {
  const [{ site, warnings = [] }] = series;
  const since = starts.get(site.id);
  const [first] = orderWindows(windows);
  if (since === null || (since !== undefined && since >= first.from))
    return { comparable: false, data_since: since };
  if (warnings.some(({ code }) => code === "before_data_since")) return { comparable: false };
  const reason = series
    .flatMap(({ warnings }) => warnings ?? [])
    .find(({ code }) => INCOMPARABLE.has(code))?.detail;
  return reason === undefined ? { comparable: true } : { comparable: false, incomplete: reason };
}

/** Explains why a comparison has no percentages. */
export function describeStart(
  { comparable, data_since, incomplete: reason }: DataStart,
  previous: Window,
  current: Days,
): { notes: Note[]; warnings: Note[] } {
  const [first, second] = orderWindows<Days>([previous, current]);
  const isEarlier = first === previous;
  if (comparable) {
    const name = isEarlier ? "earlier" : "later";
    const note = `The ${name} period had no visitors, so there is no percentage.`;
    return { notes: previous.visitors === 0 ? [note] : [], warnings: [] };
  }
  const warn = (warning: Note) => ({ notes: [], warnings: [warning] });
  if (reason !== undefined) return warn(`${reason} So no percentage is given.`);
  const change = isEarlier ? "a rise is not growth" : "a fall is not a loss";
  const incomplete = `the earlier period is incomplete: ${change}, and no percentage is given.`;
  if (data_since === null) return warn("The site has no data yet, so there is no percentage.");
  if (data_since === undefined) return warn(`The site had no data yet on ${first.from}, so ${incomplete}`);
  const start = `The site's data begins on ${data_since}, perhaps in the middle of the day`;
  return data_since < second.from
    ? warn(`${start}, so ${incomplete}`)
    : warn(`${start}, so both periods are incomplete, and no percentage is given.`);
}
