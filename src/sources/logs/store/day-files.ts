import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { AnalyticsError, readErrorCode } from "../../../errors.ts";
import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import type { HourTally } from "../../measure/hour-counts.ts";
import type { Tallies } from "../../measure/tallies.ts";
import type { CrawlerTally, DayCounts, DaySummary, DayTables, FailedTally } from "../counting/day-counts.ts";
import { DamagedFile, readNamed, writeNamed } from "./files.ts";
import type { KeptSite } from "./manifest.ts";

/** A closed day in the list of a site's days. Its files have their hashes in their names. */
export interface StoredDay extends DaySummary {
  /** SHA-256 of the files, in hexadecimal digits. */
  sums: string;
  /** Null if there is no hit, or if there was no room for them. */
  hits: string | null;
  /** Of both files together. */
  bytes: number;
}

/** What the file of a day's sums says about itself, so that the list of days can be made again from these files. */
export interface DayHead {
  site: string;
  date: string;
  /** That of the manifest when the day was written: of two files of a day, the one with the higher number is the newer. */
  generation: number;
  /** What was known of the site by then. */
  log: Pick<KeptSite, "pageviews" | "fields" | "first" | "last" | "places">;
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
  "Restore it from a backup. If the log files of that day still exist, remove it and the file days.….json beside it: the day is counted again.";

/** A day as its file describes it. */
export interface FoundDay {
  head: DayHead;
  day: StoredDay;
}

/** The files of a site's closed days. */
export interface DayFiles {
  /**
   * Writes a day. Throws what the system throws.
   *
   * @param hits Its hits as a file (`day-hits.ts`); undefined if it has none, or if they are lost.
   */
  write(head: DayHead, counts: DayCounts, hits?: Uint8Array): StoredDay;
  /** A day whose tables are read when they are asked for. */
  open(date: string, day: StoredDay): DayCounts;
  /** The days of which the sums can be read, whether they are in the list of days or not. */
  findAll(): FoundDay[];
  /** The paths of a day's files. */
  listFiles(date: string, day: StoredDay): string[];
  folder: string;
}

export function createDayFiles(folder: string): DayFiles {
  const nameSums = (date: string, hash: string) => `${date}.${hash}.sums.gz`;
  const nameHits = (date: string, hash: string) => `${date}.${hash}.parquet`;
  return {
    folder,
    write: (head, { tables, readHits: _, ...summary }, bytesOfHits) => {
      const { date } = head;
      const hits = bytesOfHits && writeNamed((hash) => join(folder, nameHits(date, hash)), bytesOfHits);
      const day = { ...summary, hits: hits ?? null };
      const bytes = Buffer.concat([...compressLines(formatDay({ ...head, ...day }, tables))]);
      const sums = writeNamed((hash) => join(folder, nameSums(date, hash)), bytes);
      return { ...day, sums, bytes: bytes.length + (bytesOfHits?.length ?? 0) };
    },
    open: (date, { sums, hits, bytes: _, ...totals }) => ({
      ...totals,
      tables: createStoredTables(join(folder, nameSums(date, sums)), sums),
      readHits: hits === null ? undefined : () => readFile(join(folder, nameHits(date, hits)), hits),
    }),
    findAll: () =>
      listNames(folder).flatMap((name) => {
        const [, hash] = /^\d{4}-\d\d-\d\d\.([0-9a-f]{64})\.sums\.gz$/.exec(name) ?? [];
        return hash === undefined ? [] : (findDay(folder, name, hash) ?? []);
      }),
    listFiles: (date, { sums, hits }) => [
      join(folder, nameSums(date, sums)),
      ...(hits === null ? [] : [join(folder, nameHits(date, hits))]),
    ],
  };
}

const listNames = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Undefined if the file cannot be read. */
function findDay(folder: string, name: string, sums: string): FoundDay | undefined {
  try {
    const file = readNamed(join(folder, name), sums);
    const found = findTable<{ day: DayHead & Omit<StoredDay, "sums" | "bytes"> }>(
      gunzipSync(file).toString(),
      '"day":',
    );
    if (found === undefined) return undefined;
    const { site, date, generation, log, ...day } = found.day;
    return { head: { site, date, generation, log }, day: { ...day, sums, bytes: file.length } };
  } catch {
    return undefined;
  }
}

/** In characters: tables are compressed one after another from this length on, so that they take less memory. */
const MIN_PART = 1_000_000;

/** Parts of gzip files make one, too. */
function* compressLines(lines: Iterable<string>): Generator<Uint8Array> {
  let part = "";
  for (const line of lines) {
    part += `${line}\n`;
    if (part.length < MIN_PART) continue;
    yield gzipSync(part, { level: 1 });
    part = "";
  }
  yield gzipSync(part, { level: 1 });
}

/** Lines of JSON: what the day is, a table for each dimension, and the other tables. */
function* formatDay(
  day: DayHead & Omit<StoredDay, "sums" | "bytes">,
  { tallies, crawlers, notFound, serverErrors, hours }: DayTables,
): Generator<string> {
  yield JSON.stringify({ day });
  yield JSON.stringify({ hours: hours() });
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
  yield JSON.stringify({ serverErrors: serverErrors() });
}

function createStoredTables(path: string, hash: string): DayTables {
  const known = new Map<Dimension, Tallies | undefined>();
  const find = (dimension: Dimension): Tallies | undefined =>
    findTable(readTables(path, hash), `"dimension":${JSON.stringify(dimension)},`);
  const findFailed = (name: "notFound" | "serverErrors"): FailedTally =>
    findTable<Record<string, FailedTally>>(readTables(path, hash), `"${name}":`)?.[name] ?? NOTHING_FAILED;
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
    notFound: () => findFailed("notFound"),
    serverErrors: () => findFailed("serverErrors"),
    hours: () => findTable<{ hours: HourTally }>(readTables(path, hash), '"hours":')?.hours,
  };
}

export const NOTHING_FAILED: FailedTally = {
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
