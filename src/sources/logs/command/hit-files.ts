import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import { explainSystemError } from "../../../config/system-error.ts";
import { AnalyticsError } from "../../../errors.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import { columnsOf, type Hit } from "../../hits.ts";

/** Writes hits as Parquet files, one for each site and day: `<folder>/example.com/2026-11-20.parquet`. */
export interface HitFiles {
  /** Takes the hits of a day one after the other; the last is of kind `day`. Throws AnalyticsError `usage`. */
  write(hit: Hit): void;
  /** Removes the file of a day that was not written to its end. */
  abandon(): void;
}

/** The types of columns, by Parquet's names, and how a value is written. What a hit lacks is written as an empty text, or 0. */
const ENCODINGS = {
  UTF8: { type: "BYTE_ARRAY", encode: (text: unknown) => text ?? "" },
  DATE: { type: "INT32", encode: (day: unknown) => Date.parse(`${day}`) / 86_400_000 },
  TIMESTAMP_MILLIS: { type: "INT64", encode: (seconds: unknown) => BigInt(`${seconds}`) * 1_000n },
  UINT_64: { type: "INT64", encode: (number: unknown) => BigInt(`${number ?? 0}`) },
  UINT_32: { type: "INT32", encode: (number: unknown) => number ?? 0 },
  UINT_16: { type: "INT32", encode: (number: unknown) => number ?? 0 },
  UINT_8: { type: "INT32", encode: (number: unknown) => number ?? 0 },
} as const;

/** The only list: the dimensions that a day's log does not have. */
const LIST = "unrecorded";

/** A column for each dimension. */
const DIMENSIONS = Object.fromEntries(Object.values(columnsOf).map((name) => [name, "UTF8"])) as Record<
  (typeof columnsOf)[Dimension],
  "UTF8"
>;

/** All other members of a hit as columns, in the order of `deploy/clickhouse/hits.sql`. */
const TYPES: Readonly<Record<Exclude<keyof Hit, typeof LIST>, keyof typeof ENCODINGS>> = {
  kind: "UTF8",
  site: "UTF8",
  day: "DATE",
  time: "TIMESTAMP_MILLIS",
  visitor: "UINT_64",
  id: "UINT_64",
  sequence: "UINT_32",
  visit: "UINT_16",
  ...DIMENSIONS,
  crawler: "UTF8",
  status: "UINT_16",
  pageviews: "UINT_64",
  bots_not_found: "UINT_64",
  scanners_not_found: "UINT_64",
  digest: "UINT_64",
  definition: "UINT_8",
  timezone: "UTF8",
};

const COLUMNS = Object.entries(TYPES).map(([name, converted_type]) => {
  const { type, encode } = ENCODINGS[converted_type];
  return { name, type, converted_type, read: (hit: Hit) => encode(hit[name as keyof Hit]) };
});

const REQUIRED = { repetition_type: "REQUIRED" } as const;

/** Apache Parquet's description of the columns (parquet.thrift, SchemaElement). */
const SCHEMA = [
  { name: "hit", num_children: COLUMNS.length + 1 },
  ...COLUMNS.map(({ name, type, converted_type }) => ({ name, type, converted_type, ...REQUIRED })),
  { name: LIST, converted_type: "LIST" as const, num_children: 1, ...REQUIRED },
  { name: "list", repetition_type: "REPEATED" as const, num_children: 1 },
  { name: "element", type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const, ...REQUIRED },
];

/** How many hits are kept in memory until they are written. */
const ROWS_IN_GROUP = 50_000;

export function createHitFiles(folder: string): HitFiles {
  let file: DayFile | undefined;
  return {
    write: (hit) => {
      const path = join(folder, nameFolder(hit.site), `${hit.day}.parquet`);
      try {
        file ??= createDayFile(path);
        file.add(hit);
        if (hit.kind !== "day") return;
        file.finish();
        file = undefined;
      } catch (cause) {
        if (Object(cause).syscall === undefined) throw cause;
        throw new AnalyticsError(
          "usage",
          `The hits could not be written to ${path}: ${explainSystemError(cause)}.`,
          { hint: "Days that were written completely are there. Run it again for the others.", cause },
        );
      }
    },
    abandon: () => file?.remove(),
  };
}

/** A site is named after a host, which is a folder's name. Whatever else it is, it stays below the folder. */
const nameFolder = (site: string) => site.replaceAll(/[^a-z0-9.-]/gi, "_").replace(/^\.+/, "_");

type DayFile = ReturnType<typeof createDayFile>;

/**
 * A day's file, under a name of its own until it is complete, since two exports may write the same day. It replaces the file
 * of an earlier export.
 */
function createDayFile(path: string) {
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.unfinished`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A visitor's number is a pseudonym, so it is for the owner alone.
  writeFileSync(unfinished, "", { mode: 0o600, flag: "wx" });
  removeLeftovers(path, statSync(unfinished).mtimeMs);
  const writer = new ParquetWriter({
    writer: fileWriter(unfinished),
    schema: SCHEMA,
    codec: "GZIP",
    compressors: { GZIP: (bytes) => gzipSync(bytes) },
    createdBy: "analytics-mcp",
  });
  let hits: Hit[] = [];
  const writeGroup = () => {
    const columns = [
      ...COLUMNS.map(({ name, read }) => ({ name, data: hits.map(read) })),
      { name: LIST, data: hits.map(({ unrecorded = [] }) => unrecorded) },
    ];
    // The writer is synchronous with a synchronous file.
    void writer.write({ columnData: columns, rowGroupSize: hits.length });
    hits = [];
  };
  return {
    add: (hit: Hit) => {
      hits.push(hit);
      if (hits.length >= ROWS_IN_GROUP) writeGroup();
    },
    finish: () => {
      if (hits.length > 0) writeGroup();
      void writer.finish();
      const descriptor = openSync(unfinished, "r+");
      fsyncSync(descriptor);
      closeSync(descriptor);
      renameSync(unfinished, path);
    },
    remove: () => rmSync(unfinished, { force: true }),
  };
}

/** A day is written in seconds or minutes. */
const MAX_WRITING_MS = 3_600_000;

/** Removes what exports that were killed have left of a day. */
function removeLeftovers(path: string, now: number): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".unfinished")) continue;
    const file = join(dirname(path), name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > MAX_WRITING_MS) rmSync(file, { force: true });
  }
}
