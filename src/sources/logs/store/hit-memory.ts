import { AnalyticsError } from "../../../errors.ts";
import type { DayCounts } from "../counting/day-counts.ts";

/** In bytes: some ten million page views. */
const MAX_MEMORY = 64_000_000;

/** Keeps the hits of closed days in memory: of standard input, and where there is no folder for a history. */
export interface HitMemory {
  /** Returns the counts with the hits. */
  keep(counts: DayCounts, hits: Uint8Array | undefined): DayCounts;
}

/** @param maxBytes If there is more, the hits of the days that were closed first are dropped. */
export function createHitMemory(maxBytes = MAX_MEMORY): HitMemory {
  const kept: { bytes: Uint8Array | undefined }[] = [];
  let total = 0;
  return {
    keep: (counts, bytes) => {
      if (bytes === undefined) return counts;
      const entry: (typeof kept)[number] = { bytes };
      kept.push(entry);
      total += bytes.length;
      while (total > maxBytes) {
        const oldest = kept.shift();
        if (oldest === undefined) break;
        total -= oldest.bytes?.length ?? 0;
        oldest.bytes = undefined;
      }
      return {
        ...counts,
        readHits: () => {
          if (entry.bytes !== undefined) return entry.bytes;
          throw new AnalyticsError("usage", "There was no room in memory to keep its hits.", {
            hint: "Choose later days. From log files in place of standard input, hits are kept on disk.",
          });
        },
      };
    },
  };
}
