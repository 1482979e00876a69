import { gunzipSync } from "node:zlib";
import type { FileMetaData } from "hyparquet";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { parquetRead } from "hyparquet/src/read.js";
import { columnsOf } from "../../hits.ts";
import { type HitColumn, type HitDimension, oneText } from "../../measure/hit-table.ts";
import type { PathTable } from "../../measure/leave-out.ts";

/**
 * The hits of a closed day from its file (day-hits.ts), group by group, so that large days need no more memory. All hits of a
 * visitor are in one group. Only the columns of these dimensions are read.
 */
export async function* readHits(
  bytes: Uint8Array,
  dimensions: readonly HitDimension[],
): AsyncGenerator<PathTable> {
  const metadata = parquetMetadata(bytes);
  const file = { byteLength: bytes.length, slice: (from: number, to?: number) => copy(bytes, from, to) };
  const names = new Set(metadata.schema.map(({ name }) => name));
  let rowStart = 0;
  for (const { num_rows, columns: chunks } of metadata.row_groups) {
    const withDictionary = new Set(
      chunks.flatMap(({ meta_data }) =>
        meta_data?.dictionary_page_offset === undefined ? [] : meta_data.path_in_schema,
      ),
    );
    const group: Group = { file, metadata, rowStart, rowEnd: rowStart + Number(num_rows), withDictionary };
    const visits = await readNumbers(group, "visit");
    const columns = new Map<HitDimension, HitColumn>();
    for (const dimension of dimensions) {
      const name = columnsOf[dimension];
      if (names.has(name)) columns.set(dimension, await readTexts(group, name));
    }
    const paths = columns.get("pages") ?? oneText(null);
    // An event's path is the file, not the page that it is on.
    const numbers = paths.numbers.map((number, row) => (visits[row] === 0 ? 0 : number));
    if (columns.has("pages")) columns.set("pages", { texts: paths.texts, numbers });
    yield {
      length: visits.length,
      visitors: await readNumbers(group, "visitor"),
      visits,
      // No event is a hit of a visit.
      events: Uint8Array.from(visits, (visit) => (visit === 0 ? 1 : 0)),
      times: await readNumbers(group, "time"),
      // A column that is empty on the whole day is not in the file.
      column: (dimension) => columns.get(dimension) ?? oneText(null),
      paths: () => paths,
    };
    rowStart = group.rowEnd;
  }
}

interface Group {
  file: { byteLength: number; slice(from: number, to?: number): ArrayBuffer };
  metadata: FileMetaData;
  rowStart: number;
  rowEnd: number;
  /** The columns that are written as a list of their texts, and the numbers of rows in it. */
  withDictionary: ReadonlySet<string>;
}

const copy = (bytes: Uint8Array, from: number, to?: number): ArrayBuffer =>
  Uint8Array.prototype.slice.call(bytes, from, to).buffer;

const compressors = { GZIP: (bytes: Uint8Array) => gunzipSync(bytes) };

/** @param decode A text becomes a number: one that many rows share is decoded once. */
async function readNumbers(
  group: Group,
  column: string,
  decode: (bytes: Uint8Array) => number = Number,
): Promise<Uint32Array> {
  const { file, metadata, rowStart: start, rowEnd } = group;
  const numbers = new Uint32Array(rowEnd - start);
  await parquetRead({
    file,
    metadata,
    rowStart: start,
    rowEnd,
    columns: [column],
    compressors,
    parsers: { stringFromBytes: decode },
    onChunk: ({ columnData, rowStart }) => numbers.set(columnData as ArrayLike<number>, rowStart - start),
  });
  return numbers;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

async function readTexts(group: Group, column: string): Promise<HitColumn> {
  const texts: (string | null)[] = [null];
  const add = (text: string) => texts.push(text) - 1;
  const known = new Map<string, number>();
  const find = (text: string) => {
    const number = known.get(text) ?? add(text);
    known.set(text, number);
    return number;
  };
  // A dictionary has each text once already.
  const number = group.withDictionary.has(column) ? add : find;
  const numbers = await readNumbers(group, column, (bytes) =>
    bytes.length === 0 ? 0 : number(decoder.decode(bytes)),
  );
  return { numbers, texts };
}
