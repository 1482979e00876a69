import { readFileSync } from "node:fs";
import type { Dimension } from "../../../operations/dimensions.ts";
import { type Column, columnOf, growTo } from "../counting/columns.ts";
import { OTHER } from "../counting/limits.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { Numbered } from "../counting/numbered.ts";
import { type KnownSenders, type OpenDay, openDay } from "../counting/open-day.ts";
import { countAgents } from "../counting/senders.ts";
import { spanOf } from "../day-span.ts";
import { HASH_BYTES, hashSalted } from "../hashing.ts";
import { DamagedFile } from "./files.ts";
import { createHashIndex, type HashIndex } from "./hash-index.ts";
import {
  COUNTERS,
  type DayLine,
  decode,
  decodeFloats,
  decodeIntegers,
  HIT_COLUMNS,
  hashSender,
  NOT_FOUND_COLUMNS,
  parseLines,
} from "./journal-format.ts";

/** What a journal says: the open days of its date, by site, and the marks of compared lines. */
export interface JournalContent {
  days: ReadonlyMap<string, OpenDay>;
  marks: Float64Array;
}

export interface JournalToRead {
  path: string;
  /** How many of its bytes count. */
  length: number;
  date: string;
  timezone: string;
  /** By site, the salt of its hashes. The lines of other sites do not count. */
  salts: ReadonlyMap<string, Uint8Array>;
}

/** Reads the journal of a date. Throws DamagedFile, or what the system throws. */
export function readJournal({ path, length, date, timezone, salts }: JournalToRead): JournalContent {
  const bytes = length === 0 ? Buffer.alloc(0) : readFileSync(path);
  const lines = bytes.length < length ? undefined : parseLines(bytes.subarray(0, length));
  if (lines === undefined) throw new DamagedFile(path, "its bytes have changed");
  const { start, end } = spanOf(date, timezone);
  const create = (salt: Uint8Array): Parts => ({
    day: openDay(date, start, end),
    salt,
    addresses: [],
    senders: [],
    columns: new Map(),
  });
  const sites = new Map([...salts].map(([site, salt]) => [site, create(salt)]));
  const marks: string[] = [];
  for (const line of lines) {
    if ("marks" in line) {
      marks.push(line.marks);
      continue;
    }
    const known = sites.get(line.site);
    if (known === undefined) continue;
    const parts = line.isNew ? create(known.salt) : known;
    sites.set(line.site, parts);
    addLine(parts, line);
  }
  const days = new Map([...sites].map(([site, parts]) => [site, finishDay(parts)]));
  return { days, marks: decodeFloats(marks) };
}

/** A day, and its lists, line by line. */
interface Parts {
  day: OpenDay;
  salt: Uint8Array;
  addresses: string[];
  senders: string[];
  columns: Map<Column, string[]>;
}

function addLine({ day, addresses, senders, columns }: Parts, line: DayLine): void {
  const extend = (column: Column, numbers: string) => {
    const list = columns.get(column);
    if (list === undefined) columns.set(column, [numbers]);
    else list.push(numbers);
  };
  const pages = day.values.of("pages");
  for (const page of line.pages) pages.number(page);
  for (const texts of line.origins) addRow(day, day.origins, ORIGIN_DIMENSIONS, texts);
  for (const texts of line.profiles) addRow(day, day.profiles, PROFILE_DIMENSIONS, texts);
  addresses.push(line.addresses);
  senders.push(line.senders.hash);
  extend(day.senders.addresses, line.senders.address);
  extend(day.senders.profiles, line.senders.profile);
  extend(day.senders.relays, line.senders.relay);
  for (const name of HIT_COLUMNS) extend(day.hits[name], line.hits[name]);
  const changed = decodeIntegers([line.changed.sender]);
  for (const name of COUNTERS) change(day.senders[name], changed, line.changed[name]);
  if (line.notFound !== undefined) addNotFoundLine(day, line.notFound);
  for (const { name, paths, ...counts } of line.crawlers) {
    const known = day.crawlers.get(name)?.paths ?? new Set();
    for (const path of decodeFloats([paths])) known.add(path);
    day.crawlers.set(name, { ...counts, paths: known });
  }
}

function addNotFoundLine({ notFound }: OpenDay, line: NonNullable<DayLine["notFound"]>): void {
  for (const [path, referrer] of line.links) notFound.links.number({ path, referrer });
  const rows = decodeIntegers([line.row]);
  for (const name of NOT_FOUND_COLUMNS) change(notFound[name], rows, line[name]);
  notFound.bots = line.bots;
}

/** Sets the numbers at some places of a column, which are in ascending order. */
function change(column: Column, places: Uint32Array, numbers: string): void {
  const values = decodeIntegers([numbers]);
  growTo(column, (places.at(-1) ?? -1) + 1);
  places.forEach((place, at) => {
    column.values[place] = values[at] ?? 0;
  });
}

/**
 * Adds an origin or a profile. The values that it has count towards the day's limits.
 *
 * @param texts In the order of the dimensions.
 */
function addRow<D extends Dimension>(
  { values }: OpenDay,
  rows: Numbered<Readonly<Record<D, string | null>>>,
  dimensions: readonly D[],
  texts: readonly (string | null)[],
): void {
  const row = Object.fromEntries(dimensions.map((dimension, at) => [dimension, texts[at] ?? null]));
  for (const [dimension, text] of Object.entries(row)) {
    if (text !== OTHER) values.of(dimension as D).number(text);
  }
  rows.number(JSON.stringify(texts), () => row as Record<D, string | null>);
}

function finishDay({ day, salt, addresses, senders, columns }: Parts): OpenDay {
  for (const [column, parts] of columns) Object.assign(column, columnOf(decodeIntegers(parts)));
  const hashes = { addresses: decode(addresses), senders: decode(senders) };
  day.addressCount = hashes.addresses.length / HASH_BYTES;
  day.values.adopt();
  countAgents(day);
  day.known = createKnownSenders(salt, hashes);
  return day;
}

/** Recognizes the addresses and senders of earlier processes, from hashes that say nothing about who they were. */
function createKnownSenders(
  salt: Uint8Array,
  { addresses, senders }: Record<"addresses" | "senders", Buffer>,
): KnownSenders {
  // Built when the first line needs it: most runs find no new line.
  let [ofAddresses, ofSenders]: (HashIndex | undefined)[] = [];
  return {
    findAddress: (group) => {
      ofAddresses ??= createHashIndex(addresses);
      return ofAddresses.find(hashSalted(salt, group));
    },
    findSender: (group, agent) => {
      ofSenders ??= createHashIndex(senders);
      return ofSenders.find(hashSender(salt, group, agent));
    },
  };
}
