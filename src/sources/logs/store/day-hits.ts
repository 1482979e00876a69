import { gzipSync } from "node:zlib";
import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";
import { columnsOf } from "../../hits.ts";
import { DOWNLOAD } from "../counting/count-day.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenDay } from "../counting/open-day.ts";
import { findScanners, forEachSender, forEachVisit, isView, orderHits } from "../counting/visits.ts";

const REQUIRED = { repetition_type: "REQUIRED" } as const;
const NUMBER = { type: "INT32", converted_type: "UINT_32", ...REQUIRED } as const;
const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", ...REQUIRED } as const;
const TIME = { type: "INT64", converted_type: "TIMESTAMP_MILLIS", ...REQUIRED } as const;

const VISIT_DIMENSIONS = [...ORIGIN_DIMENSIONS, ...PROFILE_DIMENSIONS] as const;
const TEXT_COLUMNS = [
  "site",
  "day",
  "kind",
  "path",
  "entry_page",
  "exit_page",
  ...VISIT_DIMENSIONS.map((dimension) => columnsOf[dimension]),
  "event",
] as const;

/**
 * The columns of a day file, with the names and meanings of the table of hits (docs/clickhouse.md). A visitor is a number
 * within the site's day; a text is empty for none.
 */
const COLUMNS = [
  { name: "visitor", ...NUMBER },
  { name: "visit", ...NUMBER },
  { name: "time", ...TIME },
  ...TEXT_COLUMNS.map((name) => ({ name, ...TEXT })),
];

const SCHEMA = [{ name: "hit", num_children: COLUMNS.length }, ...COLUMNS];

/** How many hits are in memory as a table. Each group of rows has its own list of texts. */
const ROWS_IN_GROUP = 50_000;

/**
 * The page views and events of a day as an Apache Parquet file, ordered by visitor, time and line. Scanners are left out.
 * Undefined if there are none.
 */
export function formatHits(site: string, day: OpenDay): Uint8Array | undefined {
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: SCHEMA,
    codec: "GZIP",
    compressors: { GZIP: (bytes) => gzipSync(bytes) },
    createdBy: "analytics-mcp",
    // They would let a reader skip groups of rows. Here a day is what is skipped.
    statistics: false,
  });
  let rows = createRows();
  let written = 0;
  const flush = () => {
    // The writer is synchronous, since its file is in memory.
    void file.write({ columnData: rows.columns, rowGroupSize: rows.count() });
    written += rows.count();
    rows = createRows();
  };
  const paths = day.values.of("pages");
  const order = orderHits(day, Number.POSITIVE_INFINITY);
  const scanners = findScanners(day, Number.POSITIVE_INFINITY);
  let visitor = 0;
  forEachSender(day, order, (sender, from, to) => {
    if (scanners.has(sender)) return;
    const visits = createVisits(day, order, sender, from, to);
    if (visits.length === 0) return;
    visitor++;
    let number = 0;
    for (let at = from; at < to; at++) {
      const hit = order[at] ?? 0;
      while (at >= (visits[number]?.to ?? Number.POSITIVE_INFINITY)) number++;
      const page = day.hits.page.values[hit] ?? 0;
      const isPage = isView(day, hit);
      const time = BigInt(1000 * (day.start + (day.hits.second.values[hit] ?? 0)));
      const path = paths.at(page >>> 1) ?? "";
      rows.add(visitor, isPage ? number + 1 : 0, time, site, day.date, path, isPage ? visits[number] : undefined);
    }
    if (rows.count() >= ROWS_IN_GROUP) flush();
  });
  if (rows.count() > 0) flush();
  if (written === 0) return undefined;
  void file.finish();
  return writer.getBytes();
}

interface VisitTexts {
  /** The index after its last page view. */
  to: number;
  entry: string;
  exit: string;
  /** In the order of `VISIT_DIMENSIONS`. */
  texts: readonly string[];
}

function createVisits(
  day: OpenDay,
  order: Uint32Array,
  sender: number,
  from: number,
  to: number,
): VisitTexts[] {
  const paths = day.values.of("pages");
  const profile = day.profiles.list[day.senders.profiles.values[sender] ?? 0];
  const visits: VisitTexts[] = [];
  forEachVisit(day, order, from, to, (visit) => {
    const origin = day.origins.list[visit.origin];
    visits.push({
      to: visit.to,
      entry: paths.at(visit.entry) ?? "",
      exit: paths.at(visit.exit) ?? "",
      texts: [
        ...ORIGIN_DIMENSIONS.map((dimension) => origin?.[dimension] ?? ""),
        ...PROFILE_DIMENSIONS.map((dimension) => profile?.[dimension] ?? ""),
      ],
    });
  });
  return visits;
}

function createRows() {
  const visitors: number[] = [];
  const visits: number[] = [];
  const times: bigint[] = [];
  const texts = TEXT_COLUMNS.map((): string[] => []);
  const [sites = [], days = [], kinds = [], paths = [], entries = [], exits = [], ...rest] = texts;
  const columns: ColumnSource[] = [
    { name: "visitor", data: visitors, encoding: "DELTA_BINARY_PACKED" },
    { name: "visit", data: visits },
    { name: "time", data: times, encoding: "DELTA_BINARY_PACKED" },
    ...TEXT_COLUMNS.map((name, at) => ({ name, data: texts[at] ?? [] })),
  ];
  return {
    columns,
    count: () => visitors.length,
    /** @param texts Of the visit; undefined for an event, which belongs to none. */
    add: (
      visitor: number,
      visit: number,
      time: bigint,
      site: string,
      day: string,
      path: string,
      texts: VisitTexts | undefined,
    ) => {
      visitors.push(visitor);
      visits.push(visit);
      times.push(time);
      sites.push(site);
      days.push(day);
      paths.push(path);
      kinds.push(texts === undefined ? "event" : "pageview");
      entries.push(texts?.entry ?? "");
      exits.push(texts?.exit ?? "");
      for (let at = 0; at < VISIT_DIMENSIONS.length; at++) rest[at]?.push(texts?.texts[at] ?? "");
      rest.at(-1)?.push(texts === undefined ? DOWNLOAD : "");
    },
  };
}
