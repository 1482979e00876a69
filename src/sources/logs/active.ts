import type { SiteLog } from "./site-log.ts";

/** Distinct senders with a page view after `from` and not after `to`, both in seconds since 1970. */
export function countActive(log: SiteLog, from: number, to: number): number {
  let active = 0;
  for (const { start, end, hits } of log.open.values()) {
    if (end <= from || start > to) continue;
    const senders = new Set<number>();
    for (let hit = hits.second.length - 1; hit >= 0; hit--) {
      const time = start + (hits.second.values[hit] ?? 0);
      const isView = ((hits.page.values[hit] ?? 0) & 1) === 0;
      if (isView && time > from && time <= to) senders.add(hits.sender.values[hit] ?? 0);
    }
    // Visitors of two days count as different people, as everywhere.
    active += senders.size;
  }
  return active;
}
