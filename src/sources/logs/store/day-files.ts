import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { AnalyticsError, readErrorCode } from "../../../errors.ts";
import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import type { Tallies } from "../../measure/tallies.ts";
import type {
  CrawlerTally,
  DayCounts,
  DaySummary,
  DayTables,
  NotFoundTally,
} from "../counting/day-counts.ts";
import { DamagedFile, readNamed, writeNamed } from "./files.ts";

/** A closed day in the list of a site's days. Its files have their hashes in their names. */
export interface StoredDay extends DaySummary {
  /** SHA-256 of the files, in hexadecimal digits. */
  sums: string;
  /** Null if there is no hit, or if there was no room for them. */
  hits: string | null;
  /** Of both files together. */
  bytes: number;
}

/** Another process has probably closed the day or counted it again, and removed what was there. */
export class OutdatedDay extends AnalyticsError {
  /** @param missing The file that is gone: it is named if it is still missing when it is asked for again. */
  constructor(missing?: string) {
    if (missing === undefined) {
      super("unavailable", "Another process has just counted these logs again.", { hint: "Ask again." });
    } else {
      super("unavailable", `A file in the history of these logs is missing: ${missing}`, { hint: RESTORE });
    }
  }
}

const RESTORE =
  "Restore it from a backup. If its log files still exist, remove the folder that it is in: it is made again from them.";

/** The files of a site's closed days. */
export interface DayFiles {
  /**
   * Writes a day. Throws what the system throws.
   *
   * @param hits Its hits as a file (`day-hits.ts`); undefined if it has none, or if they are lost.
   */
  write(date: string, counts: DayCounts, hits?: Uint8Array): StoredDay;
  /** A day whose tables are read when they are asked for. */
  open(date: string, day: StoredDay): DayCounts;
  /** The paths of a day's files. */
  listFiles(date: string, day: StoredDay): string[];
  folder: string;
}

export function createDayFiles(folder: string): DayFiles {
  const nameSums = (date: string, hash: string) => `${date}.${hash}.sums.gz`;
  const nameHits = (date: string, hash: string) => `${date}.${hash}.parquet`;
  return {
    folder,
    write: (date, { tables, readHits: _, ...totals }, hits) => {
      const bytes = Buffer.concat([...compressTables(tables)]);
      const sums = writeNamed((hash) => join(folder, nameSums(date, hash)), bytes);
      const named = hits && writeNamed((hash) => join(folder, nameHits(date, hash)), hits);
      return { ...totals, sums, hits: named ?? null, bytes: bytes.length + (hits?.length ?? 0) };
    },
    open: (date, { sums, hits, bytes: _, ...totals }) => ({
      ...totals,
      tables: createStoredTables(join(folder, nameSums(date, sums)), sums),
      readHits: hits === null ? undefined : () => readFile(join(folder, nameHits(date, hits)), hits),
    }),
    listFiles: (date, { sums, hits }) => [
      join(folder, nameSums(date, sums)),
      ...(hits === null ? [] : [join(folder, nameHits(date, hits))]),
    ],
  };
}

/** In characters: tables are compressed one after another from this length on, so that they take less memory. */
const MIN_PART = 1_000_000;

/** One line of JSON a table, in the order of the dimensions, and then the crawlers and what was not found. Parts of gzip files make one, too. */
function* compressTables(tables: DayTables): Generator<Uint8Array> {
  let part = "";
  for (const line of formatTables(tables)) {
    part += `${line}\n`;
    if (part.length < MIN_PART) continue;
    yield gzipSync(part, { level: 1 });
    part = "";
  }
  yield gzipSync(part, { level: 1 });
}

function* formatTables({ tallies, crawlers, notFound }: DayTables): Generator<string> {
  for (const dimension of dimensions) {
    const found = tallies(dimension);
    if (found === undefined) continue;
    const { values, visitors, hits, ofVisits } = found;
    yield JSON.stringify({
      dimension,
      values,
      visitors: Array.from(visitors),
      hits: Array.from(hits),
      ofVisits: ofVisits && {
        visits: Array.from(ofVisits.visits),
        bounces: Array.from(ofVisits.bounces),
        visitSeconds: Array.from(ofVisits.visitSeconds),
      },
    });
  }
  yield JSON.stringify({ crawlers: Object.fromEntries(crawlers()) });
  yield JSON.stringify({ notFound: notFound() });
}

function createStoredTables(path: string, hash: string): DayTables {
  const known = new Map<Dimension, Tallies | undefined>();
  const find = (dimension: Dimension): Tallies | undefined =>
    findTable(readTables(path, hash), `"dimension":${JSON.stringify(dimension)},`);
  return {
    tallies: (dimension) => {
      if (!known.has(dimension)) known.set(dimension, find(dimension));
      return known.get(dimension);
    },
    crawlers: () => {
      const found = findTable<{ crawlers: Record<string, CrawlerTally> }>(
        readTables(path, hash),
        '"crawlers":',
      );
      return new Map(Object.entries(found?.crawlers ?? {}));
    },
    // An earlier version, which the day's definition names, kept none.
    notFound: () =>
      findTable<{ notFound: NotFoundTally }>(readTables(path, hash), '"notFound":')?.notFound ??
      NOTHING_FOUND,
  };
}

const NOTHING_FOUND: NotFoundTally = {
  paths: [],
  requests: [],
  visitors: [],
  referrers: { paths: [], values: [], requests: [] },
  excluded: { bots: 0, scanners: 0 },
};

/** @param start What the table's JSON begins with, after the brace. */
function findTable<T>(text: string, start: string): T | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`{${start}`));
  return line === undefined ? undefined : JSON.parse(line);
}

const readTables = (path: string, hash: string): string =>
  readFile(path, hash, (bytes) => gunzipSync(bytes)).toString();

function readFile(path: string, hash: string, decode = (bytes: Buffer) => bytes): Buffer {
  try {
    return decode(readNamed(path, hash));
  } catch (cause) {
    if (readErrorCode(cause) === "ENOENT") throw new OutdatedDay(path);
    const reason = cause instanceof DamagedFile ? "is damaged" : "cannot be read";
    throw new AnalyticsError("unavailable", `A file in the history of these logs ${reason}: ${path}`, {
      hint: RESTORE,
      cause,
    });
  }
}
