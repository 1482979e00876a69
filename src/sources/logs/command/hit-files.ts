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
import type { Hit, TextColumn } from "../../hits.ts";

/** Writes hits as Parquet files, one for each site and day: `<folder>/example.com/2026-11-20.parquet`. */
export interface HitFiles {
  /** Takes the hits of a day one after the other; the last is of kind `day`. Throws AnalyticsError `usage`. */
  write(hit: Hit): void;
  /** Removes the file of a day that was not written to its end. */
  abandon(): void;
}

/** The columns of a table of hits, in the order of `deploy/clickhouse/hits.sql`. A text is empty for none. */
const COLUMNS: readonly Column[] = [
  text("kind"),
  text("site"),
  { type: "INT32", converted_type: "DATE", name: "day", read: ({ day }) => Date.parse(day) / 86_400_000 },
  {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    name: "time",
    read: ({ time }) => BigInt(time) * 1_000n,
  },
  big("visitor"),
  big("id"),
  number("sequence", "UINT_32"),
  number("visit", "UINT_16"),
  ...(
    [
      "path",
      "entry_page",
      "exit_page",
      "hostname",
      "referrer",
      "channel",
      "utm_source",
      "utm_medium",
      "utm_campaign",
      "utm_term",
      "utm_content",
      "country",
      "region",
      "city",
      "language",
      "device",
      "browser",
      "operating_system",
      "event",
      "crawler",
    ] satisfies TextColumn[]
  ).map(text),
  number("status", "UINT_16"),
  big("pageviews"),
  big("bots_not_found"),
  big("scanners_not_found"),
  big("digest"),
  number("definition", "UINT_8"),
  text("timezone"),
];

/** The only list: the dimensions that a day's log does not have. */
const LIST = "unrecorded";

interface Column {
  name: string;
  type: "BYTE_ARRAY" | "INT32" | "INT64";
  converted_type: "UTF8" | "DATE" | "TIMESTAMP_MILLIS" | "UINT_64" | "UINT_32" | "UINT_16" | "UINT_8";
  read(hit: Hit): unknown;
}

type NameOf<Value> = {
  [Name in keyof Hit]-?: NonNullable<Hit[Name]> extends Value ? Name : never;
}[keyof Hit];

function text(name: NameOf<string>): Column {
  return { name, type: "BYTE_ARRAY", converted_type: "UTF8", read: (hit) => hit[name] ?? "" };
}

function number(name: NameOf<number>, type: "UINT_32" | "UINT_16" | "UINT_8"): Column {
  return { name, type: "INT32", converted_type: type, read: (hit) => hit[name] ?? 0 };
}

function big(
  name: "visitor" | "id" | "pageviews" | "bots_not_found" | "scanners_not_found" | "digest",
): Column {
  return { name, type: "INT64", converted_type: "UINT_64", read: (hit) => BigInt(hit[name] ?? 0) };
}

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
          { hint: "Days that were written to their end are there. Run it again for the others.", cause },
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
