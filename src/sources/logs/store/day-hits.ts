import { gzipSync } from "node:zlib";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { columnsOf } from "../../hits.ts";
import { DOWNLOAD } from "../counting/count-day.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenDay } from "../counting/open-day.ts";
import {
  countViews,
  findScanners,
  forEachSender,
  forEachVisit,
  isView,
  orderHits,
} from "../counting/visits.ts";

const REQUIRED = { repetition_type: "REQUIRED" } as const;
const NUMBER = { type: "INT32", converted_type: "UINT_32", ...REQUIRED } as const;
const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", ...REQUIRED } as const;

/** A reader decodes each text once, not in each row. */
const TEXT_ENCODING = "RLE_DICTIONARY" as const;

/** The dimensions of visits, which each of its page views repeats. Entry and exit page are its first and last path. */
const VISIT_DIMENSIONS = [...ORIGIN_DIMENSIONS, ...PROFILE_DIMENSIONS] as const;

/** How many hits are in memory as a table. Each group of rows has its own list of texts. */
const ROWS_IN_GROUP = 15_000;

/**
 * The page views and events of a day as an Apache Parquet file, ordered by visitor, time and line. Scanners are left out.
 * Undefined if there are none.
 *
 * The columns have the names and meanings of the table of hits (docs/clickhouse.md), but for `visitor`, a number within the
 * site's day, and `time`, in seconds since 1970. A column that is empty on the whole day is left out.
 */
export function formatHits(day: OpenDay): Uint8Array | undefined {
  const order = orderHits(day, Number.POSITIVE_INFINITY);
  const scanners = findScanners(day, Number.POSITIVE_INFINITY);
  const texts = listTexts(day);
  const writer = new ByteWriter();
  let file: ParquetWriter | undefined;
  let rows = createRows(texts);
  const flush = () => {
    file ??= new ParquetWriter({
      writer,
      schema: [{ name: "hit", num_children: rows.columns.length }, ...rows.schema],
      codec: "GZIP",
      // The lowest level is twice as fast, and its files are 6 % larger.
      compressors: { GZIP: (bytes) => gzipSync(bytes, { level: 1 }) },
      createdBy: "analytics-mcp",
      // They would let a reader skip groups of rows. Here a day is what is skipped.
      statistics: false,
    });
    // The writer is synchronous, since its file is in memory.
    void file.write({ columnData: chooseCodecs(rows.columns), rowGroupSize: rows.visitors.length });
    rows = createRows(texts);
  };
  let visitor = 0;
  forEachSender(day, order, (sender, from, to) => {
    if (scanners.has(sender) || countViews(day, order, from, to) === 0) return;
    visitor++;
    addVisitor(rows, day, order, { sender, visitor, from, to });
    if (rows.visitors.length >= ROWS_IN_GROUP) flush();
  });
  if (rows.visitors.length > 0) flush();
  void file?.finish();
  return file && writer.getBytes();
}

/** Calling zlib for a column takes longer than anything else in writing a small day. */
const MIN_COMPRESSED = 1_000;

const chooseCodecs = (columns: ColumnSource[]): ColumnSource[] =>
  columns.map((column) =>
    column.data.length < MIN_COMPRESSED && column.name !== "path"
      ? { ...column, codec: "UNCOMPRESSED" as const }
      : column,
  );

/** The texts of origins and profiles, by dimension; without those that no visit has. */
function listTexts({ origins, profiles }: OpenDay): VisitColumn[] {
  const collect = <D extends VisitDimension>(
    dimensions: readonly D[],
    rows: readonly Readonly<Record<D, string | null>>[],
    isOfSender: boolean,
  ) =>
    dimensions.map((dimension) => ({
      name: columnsOf[dimension],
      isOfSender,
      texts: rows.map((row) => row[dimension] ?? ""),
    }));
  const all = [
    ...collect(ORIGIN_DIMENSIONS, origins.list, false),
    ...collect(PROFILE_DIMENSIONS, profiles.list, true),
  ];
  return all.filter(({ texts }) => texts.some((text) => text !== ""));
}

type VisitDimension = (typeof VISIT_DIMENSIONS)[number];

interface VisitColumn {
  name: string;
  /** Whether the texts are numbered as profiles are, not as origins. */
  isOfSender: boolean;
  texts: readonly string[];
}

function createRows(visitColumns: readonly VisitColumn[]) {
  const visitors: number[] = [];
  const visits: number[] = [];
  const times: number[] = [];
  const days: string[] = [];
  const paths: string[] = [];
  const events: string[] = [];
  const ofVisit = visitColumns.map((column) => ({ ...column, data: [] as string[] }));
  const schema = [
    { name: "visitor", ...NUMBER },
    { name: "visit", ...NUMBER },
    { name: "time", ...NUMBER },
    ...["day", "path", "event", ...visitColumns.map(({ name }) => name)].map((name) => ({ name, ...TEXT })),
  ];
  const columns: ColumnSource[] = [
    { name: "visitor", data: visitors, encoding: "DELTA_BINARY_PACKED" },
    { name: "visit", data: visits },
    { name: "time", data: times, encoding: "DELTA_BINARY_PACKED" },
    ...[
      { name: "day", data: days },
      { name: "path", data: paths },
      { name: "event", data: events },
      ...ofVisit.map(({ name, data }) => ({ name, data })),
    ].map((column) => ({ ...column, encoding: TEXT_ENCODING })),
  ];
  return { schema, columns, visitors, visits, times, days, paths, events, ofVisit };
}

/** Adds the hits of one visitor. An event belongs to no visit. */
function addVisitor(
  rows: ReturnType<typeof createRows>,
  day: OpenDay,
  order: Uint32Array,
  { sender, visitor, from, to }: { sender: number; visitor: number; from: number; to: number },
): void {
  const pages = day.values.of("pages");
  const profile = day.senders.profiles.values[sender] ?? 0;
  const add = (at: number, visit: number, origin: number) => {
    const hit = order[at] ?? 0;
    rows.visitors.push(visitor);
    rows.visits.push(visit);
    rows.times.push(day.start + (day.hits.second.values[hit] ?? 0));
    rows.days.push(day.date);
    rows.paths.push(pages.at((day.hits.page.values[hit] ?? 0) >>> 1) ?? "");
    rows.events.push(visit === 0 ? DOWNLOAD : "");
    for (const { texts, isOfSender, data } of rows.ofVisit) {
      data.push(visit === 0 ? "" : (texts[isOfSender ? profile : origin] ?? ""));
    }
  };
  let next = from;
  let visits = 0;
  forEachVisit(day, order, from, to, (visit) => {
    visits++;
    for (; next < visit.to; next++) {
      if (isView(day, order[next] ?? 0)) add(next, visits, visit.origin);
      else add(next, 0, 0);
    }
  });
  for (; next < to; next++) add(next, 0, 0);
}
