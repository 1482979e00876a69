import { countFew, countOpenDay } from "./count-day.ts";
import { type DayCounts, type DaySummary, DEFINITION } from "./day-counts.ts";
import type { SiteLog } from "./site-log.ts";

/**
 * Behind a new proxy, there is nearly nobody beside its addresses. If there are at least so many addresses beside the few, with this
 * share of the page views that the median of the days before had, people still come from their own, and the few are a flood.
 */
const FLOODED = { addresses: 10, share: 0.5 };
/** How many days before are looked at, and how many there must be. */
const BEFORE = { most: 28, least: 3 };

/**
 * Whether the visitors of a day cannot be counted because its addresses are those of a proxy. It depends on the days of the log
 * alone, never on what was asked before.
 *
 * @param counts What was counted of the day.
 */
export function isProxied(log: SiteLog, date: string, { proxy, ...counts }: DaySummary): boolean {
  if (proxy !== "likely") return proxy === "certain";
  const before = listBefore(log, date);
  const others = describeOthers(counts);
  const isFlood =
    before.length >= BEFORE.least &&
    others.addresses >= FLOODED.addresses &&
    others.pageviews >=
      FLOODED.share *
        (before.map((day) => describeOthers(day).pageviews).sort((a, b) => a - b)[before.length >> 1] ?? 0);
  return !isFlood;
}

/** Those of some days whose visitors a proxy hides. */
export const listProxied = (
  log: SiteLog,
  days: readonly { date: string; counts: DaySummary | undefined }[],
): string[] =>
  days.flatMap(({ date, counts }) => (counts !== undefined && isProxied(log, date, counts) ? date : []));

/** The days of a log, and what was counted of each. */
export const listCounts = ({ open, closed }: SiteLog): { date: string; counts: DayCounts }[] => [
  ...[...closed].map(([date, counts]) => ({ date, counts })),
  ...[...open].flatMap(([date, day]) => (closed.has(date) ? [] : { date, counts: countOpenDay(day) })),
];

/** The latest days before one of which no proxy is likely. */
const listBefore = (log: SiteLog, before: string): DayCounts[] =>
  listCounts(log)
    .filter(({ date, counts: { definition, proxy } }) => {
      const isClear = proxy === "none" || proxy === "suspected";
      return date < before && isClear && definition === DEFINITION;
    })
    .sort((a, b) => (a.date < b.date ? 1 : -1))
    .slice(0, BEFORE.most)
    .map(({ counts }) => counts);

/** What a day has beside the few addresses with most page views, if these have most of all; else everything. */
function describeOthers({
  addresses: { count, most },
  totals: { pageviews },
}: Pick<DaySummary, "addresses" | "totals">) {
  const few = countFew(most, pageviews) ?? 0;
  return {
    addresses: count - few,
    pageviews: most.slice(0, few).reduce((left, views) => left - views, pageviews),
  };
}
