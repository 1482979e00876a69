import type { Dimension } from "../../../operations/dimensions.ts";
import { nameNetwork } from "../counting/addresses.ts";
import { type Column, readColumn } from "../counting/columns.ts";
import type { FailedRequests, RequestRows } from "../counting/failed-requests.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenDay } from "../counting/open-day.ts";
import { formatIpv4 } from "../counting/senders.ts";
import type { Values } from "../counting/values.ts";
import { createSalt, HASH_BYTES, hashSalted } from "../hashing.ts";
import {
  ADDED,
  COUNTERS,
  type DayPart,
  type FAILED,
  HIT_COLUMNS,
  type NamedTexts,
  nameSalt,
  type REQUEST_ROWS,
  ROW_COLUMNS,
  SENDER_COLUMNS,
} from "./journal-format.ts";

/** How much of a day the journal has. */
interface Written {
  version: number;
  pages: number;
  origins: number;
  profiles: number;
  /** Parts of the journal. */
  parts: number;
  addresses: number;
  networks: number;
  agents: number;
  senders: number;
  hits: number;
  /** The requests of each sender. */
  requests: Uint32Array;
  /** The requests of each crawler, and how many paths it asked for. */
  crawlers: ReadonlyMap<string, { requests: number; paths: number }>;
  /** Of each kind, the requests by row. */
  rows: Readonly<Record<(typeof REQUEST_ROWS)[number], Uint32Array>>;
  /** How many links of requests that failed. */
  links: Readonly<Record<(typeof FAILED)[number], number>>;
  seen: Uint32Array;
}

const NO_NUMBERS = new Uint32Array(0);

const NOTHING: Written = {
  version: 0,
  pages: 0,
  origins: 0,
  profiles: 0,
  parts: 0,
  addresses: 0,
  networks: 0,
  agents: 0,
  senders: 0,
  hits: 0,
  requests: NO_NUMBERS,
  crawlers: new Map(),
  rows: { notFound: NO_NUMBERS, serverErrors: NO_NUMBERS, brokenFiles: NO_NUMBERS },
  links: { notFound: 0, serverErrors: 0 },
  seen: NO_NUMBERS,
};

/** Remembers which parts of open days the journal has. */
export interface JournalWriter {
  /** The salt of a day's hashes. */
  saltOf(day: OpenDay): Uint8Array;
  /** What the journal lacks of a day; undefined if nothing. Once all parts are written, `confirm` must be called. */
  describe(site: string, day: OpenDay): { parts: Iterable<DayPart>; confirm: () => void } | undefined;
  /** How many parts the journal has of a day, with those that `describe` has returned. */
  countParts(day: OpenDay): number;
  /** Takes over a day that was read from the journal. */
  adopt(day: OpenDay, salt: Uint8Array, parts: number): void;
}

export function createJournalWriter(): JournalWriter {
  const written = new WeakMap<OpenDay, Written>();
  const salts = new WeakMap<OpenDay, Uint8Array>();
  const counts = new WeakMap<OpenDay, number>();
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
      const known = before ?? NOTHING;
      const count = countNew(day, known);
      const parts = describeNew(site, day, { known, count, salt: saltOf(day) });
      const now = measure(day, known.parts + count);
      counts.set(day, now.parts);
      return { parts, confirm: () => void written.set(day, now) };
    },
    countParts: (day) => counts.get(day) ?? 0,
    adopt: (day, salt, parts) => {
      salts.set(day, salt);
      counts.set(day, parts);
      written.set(day, measure(day, parts));
    },
  };
}

function measure(day: OpenDay, parts: number): Written {
  const { notFound, serverErrors, brokenFiles } = day;
  const copyRequests = ({ requests }: RequestRows) => readColumn(requests).slice();
  return {
    version: day.version,
    parts,
    pages: day.values.of("pages").size - 1,
    origins: day.origins.list.length,
    profiles: day.profiles.list.length,
    addresses: day.addressCount,
    networks: day.networkCount,
    agents: day.agentCount,
    senders: day.senders.requests.length,
    hits: day.hits.sender.length,
    requests: readColumn(day.senders.requests).slice(),
    rows: {
      notFound: copyRequests(notFound),
      serverErrors: copyRequests(serverErrors),
      brokenFiles: copyRequests(brokenFiles),
    },
    links: { notFound: notFound.links.size, serverErrors: serverErrors.links.size },
    seen: readColumn(day.seen).slice(),
    crawlers: new Map(
      [...day.crawlers].map(([name, { requests, paths }]) => [name, { requests, paths: paths.size }]),
    ),
  };
}

/** How many hits, senders and texts a part has at most: the parts of a large day are in memory one after another. */
const MAX_IN_PART = 20_000;

/** How many rows of its longest list the journal lacks of a day. */
const measureNew = (day: OpenDay, known: Written): number =>
  Math.max(
    day.values.of("pages").size - 1 - known.pages,
    day.origins.list.length - known.origins,
    day.profiles.list.length - known.profiles,
    day.addressCount - known.addresses,
    day.agentCount - known.agents,
    listChanged(day.senders.requests, known.requests).length,
    day.hits.sender.length - known.hits,
  );

/** How many parts that makes. At least one: crawlers may be all that is new. */
const countNew = (day: OpenDay, known: Written): number =>
  Math.max(1, Math.ceil(measureNew(day, known) / MAX_IN_PART));

function* describeNew(
  site: string,
  day: OpenDay,
  { known, count, salt }: { known: Written; count: number; salt: Uint8Array },
): Generator<DayPart> {
  const { senders, hits, origins, profiles, addedBy } = day;
  const addresses = hashAddresses(day, known.addresses, salt);
  const networks = hashNetworks(day, known.networks, salt);
  const agents = hashAgents(day, known.agents, salt);
  const changed = listChanged(senders.requests, known.requests);
  const pages = day.values.of("pages");
  for (let part = 0; part < count; part++) {
    const from = part * MAX_IN_PART;
    const to = from + MAX_IN_PART;
    const cutHashes = (bytes: Buffer) => bytes.subarray(from * HASH_BYTES, to * HASH_BYTES);
    const cut = (column: Column, start: number) => readColumn(column).subarray(start + from, start + to);
    const crawlers = from > 0 ? [] : listCrawlers(day, known);
    // After all senders that they name.
    const isLast = part === count - 1;
    const describeFailed = (kind: (typeof FAILED)[number]) => ({
      links: isLast ? listLinks(day[kind], known.links[kind]) : [],
      bots: day[kind].bots,
    });
    const pickChanged = <Kind extends (typeof REQUEST_ROWS)[number]>(kind: Kind) => {
      const rows = isLast ? listChanged(day[kind].requests, known.rows[kind]) : NO_NUMBERS;
      return pickRows(kind, rows, ROW_COLUMNS, day[kind]);
    };
    yield {
      site,
      salt: nameSalt(salt),
      number: known.parts + part,
      pages: listPages(pages, known.pages + from, known.pages + to),
      origins: nameTexts(ORIGIN_DIMENSIONS, origins.list.slice(known.origins + from, known.origins + to)),
      profiles: nameTexts(
        PROFILE_DIMENSIONS,
        profiles.list.slice(known.profiles + from, known.profiles + to),
      ),
      crawlers: crawlers.map((crawler) => ({ ...crawler, paths: crawler.paths.length })),
      notFound: describeFailed("notFound"),
      serverErrors: describeFailed("serverErrors"),
      columns: {
        addresses: cutHashes(addresses),
        // With the first addresses: there are fewer networks than these.
        networks: from > 0 ? NO_NUMBERS : networks,
        agents: cutHashes(agents),
        networkOf: cut(day.networkOf, known.addresses),
        ...nameColumns("addedBy", ADDED, (name) => cut(addedBy[name], known[name])),
        ...nameColumns("sender", SENDER_COLUMNS, (name) => cut(senders[name], known.senders)),
        ...pickRows("changed", changed.subarray(from, to), COUNTERS, senders),
        ...nameColumns("hit", HIT_COLUMNS, (name) => cut(hits[name], known.hits)),
        ...pickChanged("notFound"),
        ...pickChanged("serverErrors"),
        ...pickChanged("brokenFiles"),
        ...pickRows("seen", isLast ? listChanged(day.seen, known.seen) : NO_NUMBERS, ["value"], {
          value: day.seen,
        }),
        crawlerPaths: Float64Array.from(crawlers.flatMap(({ paths }) => paths)),
      },
    };
  }
}

/** Rows by the names of their dimensions. */
const nameTexts = <D extends Dimension>(
  names: readonly D[],
  rows: readonly Readonly<Record<D, string | null>>[],
): NamedTexts => Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]));

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

const listLinks = ({ links }: FailedRequests, known: number): DayPart["notFound"]["links"] =>
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

/** The places of a column whose numbers have changed since, such as the senders that have requests. */
function listChanged(column: Column, before: Uint32Array): Uint32Array {
  const changed: number[] = [];
  for (let place = 0; place < column.length; place++) {
    if (column.values[place] !== (before[place] ?? 0)) changed.push(place);
  }
  return Uint32Array.from(changed);
}

/*
 * No address, network or user agent is written, only hashes under a salt of the day, which is destroyed when the day is closed. Those
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

function hashNetworks({ networks, networkCount }: OpenDay, known: number, salt: Uint8Array): Buffer {
  const hashes = createHashes(networkCount, known, salt);
  for (const [network, number] of networks.others) if (number >= known) hashes.add(number, network);
  networks.ipv4.forEach((number, bits) => {
    if (number >= known) hashes.add(number, nameNetwork(formatIpv4(bits << 8)));
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
