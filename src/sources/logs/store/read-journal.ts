import { readErrorCode } from "../../../errors.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import { adoptValues } from "../counting/charge-values.ts";
import { type Column, columnOf, growTo } from "../counting/columns.ts";
import type { FailedRequests } from "../counting/failed-requests.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { Numbered } from "../counting/numbered.ts";
import { type KnownSenders, type OpenDay, openDay, type Senders } from "../counting/open-day.ts";
import { createPairNumbers, type PairNumbers } from "../counting/pair-numbers.ts";
import { countAgents } from "../counting/senders.ts";
import type { DaySpan } from "../day-span.ts";
import { HASH_BYTES, hashSalted } from "../hashing.ts";
import { DamagedFile, readOwn } from "./files.ts";
import { createHashIndex, type HashIndex } from "./hash-index.ts";
import {
  ADDED,
  COUNTERS,
  type DayColumn,
  type DayPart,
  FAILED,
  HIT_COLUMNS,
  joinBytes,
  type NamedTexts,
  nameSalt,
  parseParts,
  REQUEST_ROWS,
  type ReadPart,
  ROW_COLUMNS,
  readFloats,
  readIntegers,
  SENDER_COLUMNS,
} from "./journal-format.ts";

/** What a journal says. */
export interface JournalContent {
  /** Puts a site's day together, which can be asked for once. Throws DamagedFile if a part of it cannot be read. */
  takeDay(site: string): OpenDay;
  /** The marks of compared lines, as far as they can be read. */
  marks: Float64Array;
}

export interface JournalToRead {
  path: string;
  /** How many of its bytes count. */
  length: number;
  day: DaySpan;
  /** By site, the salt of its hashes, and how many of its parts count. The lines of other sites do not. */
  days: ReadonlyMap<string, { salt: Uint8Array; parts: number }>;
}

/** Reads the journal of a date, as far as that is possible. Throws what the system throws. */
export function readJournal({ path, length, day, days }: JournalToRead): JournalContent {
  const { bytes, damage } = length === 0 ? { bytes: Buffer.alloc(0) } : readPresent(path);
  const partsOf = new Map<string, ReadPart<DayPart>[]>([...days].map(([site]) => [site, []]));
  const names = new Map([...days].map(([site, { salt }]) => [site, nameSalt(salt)]));
  const marks: (Uint8Array | undefined)[] = [];
  for (const part of parseParts(bytes.subarray(0, length))) {
    if (!("site" in part)) marks.push(part.columns.marks);
    else if (part.salt === names.get(part.site)) partsOf.get(part.site)?.push(part);
  }
  const { date, start, end } = day;
  return {
    takeDay: (site) => {
      const [found, { salt, parts } = { salt: new Uint8Array(0), parts: 0 }] = [
        partsOf.get(site) ?? [],
        days.get(site),
      ];
      partsOf.delete(site);
      const counting = found.filter(({ number }) => number < parts);
      if (counting.length < parts) throw damage ?? new DamagedFile(path, "its bytes have changed");
      return joinParts(openDay(date, start, end), salt, counting);
    },
    marks: readFloats(...marks),
  };
}

/** The sites of which a journal has something. */
export const listJournalSites = (path: string): Set<string> =>
  new Set(parseParts(readPresent(path).bytes).flatMap((part) => ("site" in part ? part.site : [])));

function readPresent(path: string): { bytes: Buffer; damage?: DamagedFile } {
  try {
    return { bytes: readOwn(path) };
  } catch (error) {
    const isMissing = readErrorCode(error) === "ENOENT";
    if (!isMissing && !(error instanceof DamagedFile)) throw error;
    return {
      bytes: Buffer.alloc(0),
      damage: error instanceof DamagedFile ? error : new DamagedFile(path, "it is missing"),
    };
  }
}

/** Puts together what the parts of a day say. */
function joinParts(day: OpenDay, salt: Uint8Array, parts: readonly ReadPart<DayPart>[]): OpenDay {
  const columns = new Map<Column, Uint8Array[]>();
  for (const part of parts) addPart(day, columns, part);
  for (const [column, list] of columns) Object.assign(column, columnOf(readIntegers(...list)));
  const join = (name: "addresses" | "networks" | "agents") =>
    joinBytes(parts.flatMap((part) => part.columns[name] ?? []));
  const hashes = { addresses: join("addresses"), networks: join("networks"), agents: join("agents") };
  day.addressCount = hashes.addresses.length / HASH_BYTES;
  day.networkCount = hashes.networks.length / HASH_BYTES;
  day.agentCount = hashes.agents.length / HASH_BYTES;
  adoptValues(day);
  countAgents(day);
  day.known = createKnownSenders(day.senders, salt, hashes);
  return day;
}

/** @param columns Gets the lists that the part extends. */
function addPart(day: OpenDay, columns: Map<Column, Uint8Array[]>, part: ReadPart<DayPart>): void {
  /** A column that the part lacks has 0 in all of its rows. */
  const extend = (column: Column, name: DayColumn, rows: number) => {
    const numbers = part.columns[name] ?? new Uint8Array(4 * rows);
    const list = columns.get(column);
    if (list === undefined) columns.set(column, [numbers]);
    else list.push(numbers);
  };
  const countRows = (name: DayColumn) => (part.columns[name]?.length ?? 0) / 4;
  const pages = day.values.of("pages");
  for (const page of part.pages) pages.number(page);
  const rows = {
    pages: part.pages.length,
    origins: addRows(day, day.origins, ORIGIN_DIMENSIONS, part.origins),
    profiles: addRows(day, day.profiles, PROFILE_DIMENSIONS, part.profiles),
  };
  for (const name of ADDED) extend(day.addedBy[name], `addedBy.${name}`, rows[name]);
  extend(day.networkOf, "networkOf", (part.columns.addresses?.length ?? 0) / HASH_BYTES);
  const senders = countRows("sender.addresses");
  for (const name of SENDER_COLUMNS) extend(day.senders[name], `sender.${name}`, senders);
  const hits = countRows("hit.sender");
  for (const name of HIT_COLUMNS) extend(day.hits[name], `hit.${name}`, hits);
  const changed = readIntegers(part.columns["changed.row"]);
  for (const name of COUNTERS) change(day.senders[name], changed, part.columns[`changed.${name}`]);
  for (const kind of FAILED) addLinks(day[kind], part[kind]);
  for (const kind of REQUEST_ROWS) {
    const places = readIntegers(part.columns[`${kind}.row`]);
    for (const name of ROW_COLUMNS) change(day[kind][name], places, part.columns[`${kind}.${name}`]);
  }
  change(day.seen, readIntegers(part.columns["seen.row"]), part.columns["seen.value"]);
  addCrawlers(day, part);
}

function addLinks(failed: FailedRequests, { links, bots } = NO_LINKS): void {
  for (const [path, referrer] of links) failed.links.number({ path, referrer });
  failed.bots = bots;
}

const NO_LINKS: DayPart["notFound"] = { links: [], bots: 0 };

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
function change(column: Column, places: Uint32Array, numbers: Uint8Array | undefined): void {
  growTo(column, (places.at(-1) ?? -1) + 1);
  if (numbers === undefined) return;
  const values = readIntegers(numbers);
  places.forEach((place, at) => {
    column.values[place] = values[at] ?? 0;
  });
}

/** Adds origins or profiles, and returns how many. */
function addRows<D extends Dimension>(
  { unrecorded }: OpenDay,
  rows: Numbered<Readonly<Record<D, string | null>>>,
  dimensions: readonly D[],
  columns: NamedTexts,
): number {
  const length = Math.max(0, ...Object.values(columns).map((column) => column.length));
  if (length > 0) for (const name of dimensions) if (columns[name] === undefined) unrecorded.add(name);
  for (let at = 0; at < length; at++) {
    const row = Object.fromEntries(dimensions.map((name) => [name, columns[name]?.[at] ?? null]));
    rows.append(JSON.stringify(Object.values(row)), row as Record<D, string | null>);
  }
  return length;
}

/** Recognizes addresses and user agents of earlier processes, from hashes that say nothing about who they were. */
function createKnownSenders(
  { addresses, agents, requests }: Senders,
  salt: Uint8Array,
  hashes: Record<"addresses" | "networks" | "agents", Uint8Array>,
): KnownSenders {
  const count = requests.length;
  // Built when the first line needs them: most runs find no new line.
  let [ofAddresses, ofNetworks, ofAgents]: (HashIndex | undefined)[] = [];
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
    findNetwork: (network) => {
      ofNetworks ??= createHashIndex(hashes.networks);
      return ofNetworks.find(hashSalted(salt, network));
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
