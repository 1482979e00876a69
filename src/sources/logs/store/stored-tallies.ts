import { AnalyticsError } from "../../../errors.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import { type Database, readBytes } from "../../../sqlite/driver.ts";
import type { DayCounts, Tallies } from "../counting/day-counts.ts";

/** The day was counted again by another process, whose values may have other numbers. */
export class OutdatedTallies extends AnalyticsError {
  constructor() {
    super("unavailable", "Another process has just counted these logs again.", { hint: "Ask again." });
  }
}

/** @param generation The generation in which the day was written. */
export function createStoredTallies(
  db: Database,
  site: string,
  date: string,
  generation: number,
): DayCounts["tallies"] {
  const known = new Map<Dimension, Tallies | undefined>();
  const read = (dimension: Dimension) => {
    const row = db
      .prepare(
        `SELECT generation, counts FROM closed_days AS day LEFT JOIN tallies
        ON tallies.site = day.site AND tallies.date = day.date AND dimension = ?
        WHERE day.site = ? AND day.date = ?`,
      )
      .get(dimension, site, date);
    if (row?.generation !== generation) throw new OutdatedTallies();
    return row.counts === null ? undefined : unpackTallies(readBytes(row.counts));
  };
  return {
    get: (dimension) => {
      if (known.has(dimension)) return known.get(dimension);
      const tallies = explainDamage(() => read(dimension));
      known.set(dimension, tallies);
      return tallies;
    },
  };
}

function explainDamage<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof OutdatedTallies) throw cause;
    throw new AnalyticsError("unavailable", "The index of these logs cannot be read.", {
      hint: "Remove its file, in the folder logs of this program's state folder: it is made again from the logs.",
      cause,
    });
  }
}

export function packTallies({ values, visitors, hits }: Tallies): Buffer {
  return Buffer.concat(
    [values, visitors, hits].map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    ),
  );
}

function unpackTallies(bytes: Uint8Array): Tallies {
  const all = new Uint32Array(bytes.buffer);
  const rows = all.length / 3;
  return {
    values: all.subarray(0, rows),
    visitors: all.subarray(rows, 2 * rows),
    hits: all.subarray(2 * rows),
  };
}
