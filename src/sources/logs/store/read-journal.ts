import { readErrorCode } from "../../../errors.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import { OTHER } from "../../measure/definition.ts";
import { type Column, columnOf, growTo } from "../counting/columns.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { Numbered } from "../counting/numbered.ts";
import { type KnownSenders, type OpenDay, openDay, type Senders } from "../counting/open-day.ts";
import { createPairNumbers, type PairNumbers } from "../counting/pair-numbers.ts";
import { countAgents } from "../counting/senders.ts";
import { spanOf } from "../day-span.ts";
import { HASH_BYTES, hashSalted } from "../hashing.ts";
import { DamagedFile, readOwn } from "./files.ts";
import { createHashIndex, type HashIndex } from "./hash-index.ts";
import {
  COUNTERS,
  type DayPart,
  HIT_COLUMNS,
  joinBytes,
  NOT_FOUND_COLUMNS,
  parseParts,
  type ReadPart,
  readFloats,
  readIntegers,
  SENDER_COLUMNS,
} from "./journal-format.ts";

/** What a journal says. */
export interface JournalContent {
  /** Puts a site's day together, which can be asked for once; undefined if there is none. */
  takeDay(site: string): OpenDay | undefined;
  /** The marks of compared lines. */
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
  const bytes = length === 0 ? Buffer.alloc(0) : readPresent(path);
  const parts = bytes.length < length ? undefined : parseParts(bytes.subarray(0, length));
  if (parts === undefined) throw new DamagedFile(path, "its bytes have changed");
  const partsOf = new Map<string, ReadPart<DayPart>[]>();
  const marks: Uint8Array[] = [];
  for (const part of parts) {
    if ("site" in part) {
      const before = part.isNew ? [] : (partsOf.get(part.site) ?? []);
      before.push(part);
      partsOf.set(part.site, before);
    } else marks.push(part.columns.marks);
  }
  const { start, end } = spanOf(date, timezone);
  return {
    takeDay: (site) => {
      const salt = salts.get(site);
      const found = partsOf.get(site) ?? [];
      partsOf.delete(site);
      return salt && joinParts(openDay(date, start, end), salt, found);
    },
    marks: readFloats(...marks),
  };
}

function readPresent(path: string): Buffer {
  try {
    return readOwn(path);
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") throw new DamagedFile(path, "it is missing");
    throw error;
  }
}

/** Puts together what the parts of a day say. */
function joinParts(day: OpenDay, salt: Uint8Array, parts: readonly ReadPart<DayPart>[]): OpenDay {
  const columns = new Map<Column, Uint8Array[]>();
  for (const part of parts) addPart(day, columns, part);
  for (const [column, list] of columns) Object.assign(column, columnOf(readIntegers(...list)));
  const addresses = joinBytes(parts.map((part) => part.columns.addresses));
  const agents = joinBytes(parts.map((part) => part.columns.agents));
  day.addressCount = addresses.length / HASH_BYTES;
  day.agentCount = agents.length / HASH_BYTES;
  day.values.adopt();
  countAgents(day);
  day.known = createKnownSenders(day.senders, salt, { addresses, agents });
  return day;
}

/** @param columns Gets the lists that the part extends. */
function addPart(day: OpenDay, columns: Map<Column, Uint8Array[]>, part: ReadPart<DayPart>): void {
  const extend = (column: Column, numbers: Uint8Array) => {
    const list = columns.get(column);
    if (list === undefined) columns.set(column, [numbers]);
    else list.push(numbers);
  };
  const pages = day.values.of("pages");
  for (const page of part.pages) pages.number(page);
  for (const texts of part.origins) addRow(day, day.origins, ORIGIN_DIMENSIONS, texts);
  for (const texts of part.profiles) addRow(day, day.profiles, PROFILE_DIMENSIONS, texts);
  for (const name of SENDER_COLUMNS) extend(day.senders[name], part.columns[`sender.${name}`]);
  for (const name of HIT_COLUMNS) extend(day.hits[name], part.columns[`hit.${name}`]);
  const changed = readIntegers(part.columns["changed.row"]);
  for (const name of COUNTERS) change(day.senders[name], changed, part.columns[`changed.${name}`]);
  addNotFoundPart(day, part);
  addCrawlers(day, part);
}

function addNotFoundPart({ notFound }: OpenDay, part: ReadPart<DayPart>): void {
  for (const [path, referrer] of part.notFound.links) notFound.links.number({ path, referrer });
  const rows = readIntegers(part.columns["notFound.row"]);
  for (const name of NOT_FOUND_COLUMNS) change(notFound[name], rows, part.columns[`notFound.${name}`]);
  notFound.bots = part.notFound.bots;
}

function addCrawlers({ crawlers }: OpenDay, part: ReadPart<DayPart>): void {
  const hashes = readFloats(part.columns.crawlerPaths);
  let from = 0;
  for (const { name, paths: count, ...counts } of part.crawlers) {
    const paths = crawlers.get(name)?.paths ?? new Set();
    for (const path of hashes.subarray(from, from + count)) paths.add(path);
    from += count;
    crawlers.set(name, { ...counts, paths });
  }
}

/** Sets the numbers at some places of a column, which are in ascending order. */
function change(column: Column, places: Uint32Array, numbers: Uint8Array): void {
  const values = readIntegers(numbers);
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

/** Recognizes addresses and user agents of earlier processes, from hashes that say nothing about who they were. */
function createKnownSenders(
  { addresses, agents, requests }: Senders,
  salt: Uint8Array,
  hashes: Record<"addresses" | "agents", Uint8Array>,
): KnownSenders {
  const count = requests.length;
  // Built when the first line needs them: most runs find no new line.
  let [ofAddresses, ofAgents]: (HashIndex | undefined)[] = [];
  let pairs: PairNumbers | undefined;
  const numberPairs = () => {
    const numbers = createPairNumbers(count);
    for (let sender = 0; sender < count; sender++)
      numbers.set(addresses.values[sender] ?? 0, agents.values[sender] ?? 0, sender);
    return numbers;
  };
  return {
    findAddress: (group) => {
      ofAddresses ??= createHashIndex(hashes.addresses);
      return ofAddresses.find(hashSalted(salt, group));
    },
    findAgent: (id) => {
      ofAgents ??= createHashIndex(hashes.agents);
      return ofAgents.find(hashSalted(salt, String(id)));
    },
    findSender: (address, agent) => {
      pairs ??= numberPairs();
      return pairs.find(address, agent);
    },
  };
}
