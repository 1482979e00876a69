import { gzipSync } from "node:zlib";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { columnsOf } from "../../hits.ts";
import { findVisits } from "../../measure/visits.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenDay } from "../counting/open-day.ts";
import { DOWNLOAD, type OpenTable } from "../counting/open-table.ts";

const REQUIRED = { repetition_type: "REQUIRED" } as const;
const NUMBER = { type: "INT32", converted_type: "UINT_32", ...REQUIRED } as const;
const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", ...REQUIRED } as const;

const INCREASING = { encoding: "DELTA_BINARY_PACKED" } as const;

/** How many hits are in memory as a table. Each group of rows has its own list of texts. */
const ROWS_IN_GROUP = 15_000;

/**
 * The page views and events of a day as an Apache Parquet file, ordered by visitor, time and line. Scanners are left out.
 * Undefined if there are none.
 *
 * The columns have the names and meanings of the table of hits (docs/clickhouse.md), but for `visitor`, a number within the
 * site's day, and `time`, in seconds since 1970. A column that is empty on the whole day is left out.
 */
export function formatHits(day: OpenDay, table: OpenTable): Uint8Array | undefined {
  const { length, visitors } = table;
  if (length === 0) return undefined;
  const columns = listColumns(day, table);
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: [{ name: "hit", num_children: columns.length }, ...columns.map(({ schema }) => schema)],
    codec: "GZIP",
    // The lowest level is twice as fast, and its files are 6 % larger.
    compressors: { GZIP: (bytes) => gzipSync(bytes, { level: 1 }) },
    createdBy: "analytics-mcp",
    // They would let a reader skip groups of rows. Here a day is what is skipped.
    statistics: false,
  });
  for (let from = 0; from < length; ) {
    let to = Math.min(from + ROWS_IN_GROUP, length);
    while (to < length && visitors[to] === visitors[to - 1]) to++;
    const columnData = columns.map((column) => cutColumn(column, from, to));
    // The writer is synchronous, since its file is in memory.
    void file.write({ columnData, rowGroupSize: to - from, pageSize: 0 });
    from = to;
  }
  void file.finish();
  return writer.getBytes();
}

/** Calling zlib for a column takes longer than anything else in writing a small day, */
const MIN_COMPRESSED = 1_000;
/** and makes little of columns that are packed into a few bits a row: with them, files would be 4 % smaller. */
const MIN_TEXTS = 64;

interface HitFileColumn {
  schema: SchemaElement;
  options?: Pick<ColumnSource, "encoding">;
  /** How many rows it must have to be compressed. */
  minCompressed: number;
  /** The values of some rows. */
  cut(from: number, to: number): ColumnSource["data"];
}

function cutColumn(
  { schema: { name }, options, minCompressed, cut }: HitFileColumn,
  from: number,
  to: number,
): ColumnSource {
  const column = { name, ...options, data: cut(from, to) };
  return to - from < minCompressed ? { ...column, codec: "UNCOMPRESSED" } : column;
}

function listColumns(day: OpenDay, table: OpenTable): HitFileColumn[] {
  const { hits, events } = table;
  const pages = day.values.of("pages");
  const heads = listHeads(table);
  const number = (
    name: string,
    values: Uint32Array,
    options: HitFileColumn["options"] = {},
  ): HitFileColumn => ({
    schema: { name, ...NUMBER },
    options,
    minCompressed: options === INCREASING ? Number.POSITIVE_INFINITY : MIN_COMPRESSED,
    cut: (from, to) => values.subarray(from, to),
  });
  const text = (
    name: string,
    textOf: (row: number) => string,
    minCompressed = Number.POSITIVE_INFINITY,
  ): HitFileColumn => ({
    schema: { name, ...TEXT },
    minCompressed,
    // A reader decodes each text once, not in each row.
    options: { encoding: "RLE_DICTIONARY" },
    cut: (from, to) => {
      const texts: string[] = [];
      for (let row = from; row < to; row++) texts.push(textOf(row));
      return texts;
    },
  });
  /** What each page view of a visit repeats, and an event lacks. Entry and exit page are a visit's first and last path. */
  const ofVisits = [...ORIGIN_DIMENSIONS, ...PROFILE_DIMENSIONS].flatMap((dimension) => {
    const { numbers, texts } = table.column(dimension);
    if (texts.length === 1 && texts[0] === null) return [];
    return text(
      columnsOf[dimension],
      (row) => (events[row] === 0 ? (texts[numbers[heads[row] ?? 0] ?? 0] ?? "") : ""),
      texts.length < MIN_TEXTS ? undefined : MIN_COMPRESSED,
    );
  });
  return [
    number("visitor", table.visitors, INCREASING),
    number("visit", table.visits),
    number("time", table.times, INCREASING),
    text("day", () => day.date),
    text("path", (row) => pages.at((day.hits.page.values[hits[row] ?? 0] ?? 0) >>> 1) ?? "", 0),
    text("event", (row) => (events[row] === 0 ? "" : DOWNLOAD)),
    ...ofVisits,
  ];
}

/** By row, that of its visit's first page view. */
function listHeads(table: OpenTable): Uint32Array {
  const { first, ofRow } = findVisits(table);
  return ofRow.map((visit) => first[visit] ?? 0);
}
