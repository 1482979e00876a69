import { type Column, readColumn } from "../counting/columns.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenDay } from "../counting/open-day.ts";
import { formatIpv4 } from "../counting/senders.ts";
import type { Values } from "../counting/values.ts";
import { createSalt, HASH_BYTES, hashSalted } from "../hashing.ts";
import { COUNTERS, type DayPart, HIT_COLUMNS, NOT_FOUND_COLUMNS, SENDER_COLUMNS } from "./journal-format.ts";

/** How much of a day the journal has. */
interface Written {
  version: number;
  pages: number;
  origins: number;
  profiles: number;
  addresses: number;
  agents: number;
  senders: number;
  hits: number;
  /** The requests of each sender. */
  requests: Uint32Array;
  /** The requests of each crawler, and how many paths it asked for. */
  crawlers: ReadonlyMap<string, { requests: number; paths: number }>;
  /** The requests for what is not there, by row, and how many links. */
  notFound: { requests: Uint32Array; links: number };
}

const NOTHING: Written = {
  version: 0,
  pages: 0,
  origins: 0,
  profiles: 0,
  addresses: 0,
  agents: 0,
  senders: 0,
  hits: 0,
  requests: new Uint32Array(0),
  crawlers: new Map(),
  notFound: { requests: new Uint32Array(0), links: 0 },
};

/** Remembers which parts of open days the journal has. */
export interface JournalWriter {
  /** The salt of a day's hashes. */
  saltOf(day: OpenDay): Uint8Array;
  /** What the journal lacks of a day; undefined if nothing. Once all parts are written, `confirm` must be called. */
  describe(site: string, day: OpenDay): { parts: Iterable<DayPart>; confirm: () => void } | undefined;
  /** Takes over a day that was read from the journal. */
  adopt(day: OpenDay, salt: Uint8Array): void;
}

export function createJournalWriter(): JournalWriter {
  const written = new WeakMap<OpenDay, Written>();
  const salts = new WeakMap<OpenDay, Uint8Array>();
  const saltOf = (day: OpenDay) => {
    let salt = salts.get(day);
    if (salt === undefined) {
      salt = createSalt();
      salts.set(day, salt);
    }
    return salt;
  };
  return {
    saltOf,
    describe: (site, day) => {
      const before = written.get(day);
      if (before?.version === day.version) return undefined;
      const parts = describeNew(site, day, before, saltOf(day));
      const now = measure(day);
      return { parts, confirm: () => void written.set(day, now) };
    },
    adopt: (day, salt) => {
      salts.set(day, salt);
      written.set(day, measure(day));
    },
  };
}

function measure(day: OpenDay): Written {
  return {
    version: day.version,
    pages: day.values.of("pages").size - 1,
    origins: day.origins.list.length,
    profiles: day.profiles.list.length,
    addresses: day.addressCount,
    agents: day.agentCount,
    senders: day.senders.requests.length,
    hits: day.hits.sender.length,
    requests: readColumn(day.senders.requests).slice(),
    notFound: {
      requests: readColumn(day.notFound.requests).slice(),
      links: day.notFound.links.size,
    },
    crawlers: new Map(
      [...day.crawlers].map(([name, { requests, paths }]) => [name, { requests, paths: paths.size }]),
    ),
  };
}

/** How many hits, senders and texts a part has at most: the parts of a large day are in memory one after another. */
const MAX_IN_PART = 20_000;

function* describeNew(
  site: string,
  day: OpenDay,
  before: Written | undefined,
  salt: Uint8Array,
): Generator<DayPart> {
  const { senders, hits, origins, profiles, notFound } = day;
  const known = before ?? NOTHING;
  const addresses = hashAddresses(day, known.addresses, salt);
  const agents = hashAgents(day, known.agents, salt);
  const changed = listChanged(senders.requests, known.requests);
  const pages = day.values.of("pages");
  const count = Math.max(
    pages.size - 1 - known.pages,
    origins.list.length - known.origins,
    profiles.list.length - known.profiles,
    day.addressCount - known.addresses,
    day.agentCount - known.agents,
    changed.length,
    hits.sender.length - known.hits,
  );
  // At least one: crawlers may be all that is new.
  for (let from = 0; from === 0 || from < count; from += MAX_IN_PART) {
    const to = from + MAX_IN_PART;
    const cutHashes = (bytes: Buffer) => bytes.subarray(from * HASH_BYTES, to * HASH_BYTES);
    const cut = (column: Column, start: number) => readColumn(column).subarray(start + from, start + to);
    const crawlers = from > 0 ? [] : listCrawlers(day, known);
    // After all senders that it names.
    const isLast = to >= count;
    yield {
      site,
      isNew: before === undefined && from === 0,
      pages: listPages(pages, known.pages + from, known.pages + to),
      origins: origins.list
        .slice(known.origins + from, known.origins + to)
        .map((row) => ORIGIN_DIMENSIONS.map((name) => row[name])),
      profiles: profiles.list
        .slice(known.profiles + from, known.profiles + to)
        .map((row) => PROFILE_DIMENSIONS.map((name) => row[name])),
      crawlers: crawlers.map((crawler) => ({ ...crawler, paths: crawler.paths.length })),
      notFound: { links: isLast ? listLinks(notFound, known.notFound.links) : [], bots: notFound.bots },
      columns: {
        addresses: cutHashes(addresses),
        agents: cutHashes(agents),
        ...nameColumns("sender", SENDER_COLUMNS, (name) => cut(senders[name], known.senders)),
        ...pickRows("changed", changed.subarray(from, to), COUNTERS, senders),
        ...nameColumns("hit", HIT_COLUMNS, (name) => cut(hits[name], known.hits)),
        ...pickRows(
          "notFound",
          isLast ? listChanged(notFound.requests, known.notFound.requests) : new Uint32Array(0),
          NOT_FOUND_COLUMNS,
          notFound,
        ),
        crawlerPaths: Float64Array.from(crawlers.flatMap(({ paths }) => paths)),
      },
    };
  }
}

/** Puts a word before the names of columns. */
const nameColumns = <Prefix extends string, Name extends string>(
  prefix: Prefix,
  names: readonly Name[],
  columnOf: (name: Name) => Uint32Array,
) =>
  // The names are those of the parameter.
  Object.fromEntries(names.map((name) => [`${prefix}.${name}`, columnOf(name)])) as Record<
    `${Prefix}.${Name}`,
    Uint32Array
  >;

/** The numbers of some rows, and what they are in some columns. */
const pickRows = <Prefix extends string, Name extends string>(
  prefix: Prefix,
  rows: Uint32Array,
  names: readonly Name[],
  columns: Readonly<Record<Name, Column>>,
) => ({
  ...nameColumns(prefix, ["row"], () => rows),
  ...nameColumns(prefix, names, (name) => rows.map((row) => columns[name].values[row] ?? 0)),
});

const listLinks = ({ links }: OpenDay["notFound"], known: number): DayPart["notFound"]["links"] =>
  Array.from({ length: links.size - known }, (_, index) => {
    const { path, referrer } = links.at(known + index);
    return [path, referrer];
  });

/** The crawlers that have requests since, and the hashes of the paths that are new ones of theirs. */
const listCrawlers = (day: OpenDay, { crawlers }: Written) =>
  [...day.crawlers].flatMap(([name, { paths, ...counts }]) => {
    const known = crawlers.get(name);
    return known?.requests === counts.requests
      ? []
      : { name, ...counts, paths: [...paths].slice(known?.paths) };
  });

const listPages = (pages: Values, from: number, to: number): string[] => {
  const found: string[] = [];
  for (let number = from + 1; number <= to && number < pages.size; number++)
    found.push(pages.at(number) ?? "");
  return found;
};

/** The senders, or rows, that have requests since. */
function listChanged(requests: Column, before: Uint32Array): Uint32Array {
  const changed: number[] = [];
  for (let sender = 0; sender < requests.length; sender++) {
    if (requests.values[sender] !== before[sender]) changed.push(sender);
  }
  return Uint32Array.from(changed);
}

/*
 * No address and no user agent is written, only hashes under a salt of the day, which is destroyed when the day is closed. Those
 * with a number below `known` are written already.
 */

function hashAddresses({ addresses, addressCount }: OpenDay, known: number, salt: Uint8Array): Buffer {
  const hashes = createHashes(addressCount, known, salt);
  for (const [address, number] of addresses.others) if (number >= known) hashes.add(number, address);
  addresses.ipv4.forEach((number, address) => {
    if (number >= known) hashes.add(number, formatIpv4(address));
  });
  return hashes.bytes;
}

function hashAgents({ agents, agentCount }: OpenDay, known: number, salt: Uint8Array): Buffer {
  const hashes = createHashes(agentCount, known, salt);
  agents.forEach((number, id) => {
    if (number >= known) hashes.add(number, String(id));
  });
  return hashes.bytes;
}

function createHashes(count: number, known: number, salt: Uint8Array) {
  const bytes = Buffer.alloc((count - known) * HASH_BYTES);
  const add = (number: number, text: string) => {
    bytes.write(hashSalted(salt, text), (number - known) * HASH_BYTES, "latin1");
  };
  return { bytes, add };
}
