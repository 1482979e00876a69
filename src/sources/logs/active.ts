import type { SiteLog } from "./site-log.ts";
import { findScanners, isView } from "./visits.ts";

/** Distinct visitors with a page view after `from` and not after `to`, both in seconds since 1970. */
export function countActive(log: SiteLog, from: number, to: number): number {
  let active = 0;
  for (const day of log.open.values()) {
    const { start, end, hits } = day;
    if (end <= from || start > to) continue;
    const senders = new Set<number>();
    for (let hit = hits.second.length - 1; hit >= 0; hit--) {
      const time = start + (hits.second.values[hit] ?? 0);
      if (time > from && time <= to && isView(day, hit)) senders.add(hits.sender.values[hit] ?? 0);
    }
    // Visitors of two days count as different people, as everywhere.
    active += senders.size - findScanners(day, to, senders).size;
  }
  return active;
}
