import { type Column, readColumn } from "../counting/columns.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenCrawler, OpenDay } from "../counting/open-day.ts";
import { formatIpv4 } from "../counting/senders.ts";
import type { Values } from "../counting/values.ts";
import { createSalt, HASH_BYTES, hashSalted } from "../hashing.ts";
import { type DayLine, encode, hashSender } from "./journal-format.ts";

/** How much of a day the journal has. */
interface Written {
  version: number;
  pages: number;
  origins: number;
  profiles: number;
  addresses: number;
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
  /** What the journal lacks of a day; undefined if nothing. Once all lines are written, `confirm` must be called. */
  describe(site: string, day: OpenDay): { lines: Iterable<DayLine>; confirm: () => void } | undefined;
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
      const lines = describeNew(site, day, before, saltOf(day));
      const now = measure(day);
      return { lines, confirm: () => void written.set(day, now) };
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

/** How many hits, senders and texts a line has at most: the lines of a large day are in memory one after another. */
const MAX_IN_LINE = 20_000;

function* describeNew(
  site: string,
  day: OpenDay,
  before: Written | undefined,
  salt: Uint8Array,
): Generator<DayLine> {
  const { senders, hits, origins, profiles, crawlers } = day;
  const known = before ?? NOTHING;
  const hashes = hashNew(day, known.addresses, known.senders, salt);
  const changed = listChanged(senders.requests, known.requests);
  const pages = day.values.of("pages");
  const counts = [
    pages.size - 1 - known.pages,
    origins.list.length - known.origins,
    profiles.list.length - known.profiles,
    day.addressCount - known.addresses,
    changed.length,
    hits.sender.length - known.hits,
  ];
  // At least one: crawlers may be all that is new.
  for (let from = 0; from === 0 || from < Math.max(...counts); from += MAX_IN_LINE) {
    const to = from + MAX_IN_LINE;
    const cutHashes = (bytes: Buffer) => bytes.toString("base64", from * HASH_BYTES, to * HASH_BYTES);
    const cut = (column: Column, start: number) =>
      encode(readColumn(column).subarray(start + from, start + to));
    const changedNow = changed.subarray(from, to);
    const cutChanged = ({ values }: Column) => encode(changedNow.map((sender) => values[sender] ?? 0));
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
      addresses: cutHashes(hashes.addresses),
      senders: {
        hash: cutHashes(hashes.senders),
        address: cut(senders.addresses, known.senders),
        profile: cut(senders.profiles, known.senders),
        relay: cut(senders.relays, known.senders),
      },
      changed: {
        sender: encode(changedNow),
        requests: cutChanged(senders.requests),
        errors: cutChanged(senders.errors),
        probes: cutChanged(senders.probes),
        added: cutChanged(senders.added),
        bytes: cutChanged(senders.bytes),
      },
      hits: {
        sender: cut(hits.sender, known.hits),
        second: cut(hits.second, known.hits),
        page: cut(hits.page, known.hits),
        origin: cut(hits.origin, known.hits),
      },
      crawlers: from > 0 ? [] : [...crawlers].flatMap((crawler) => describeCrawler(crawler, known)),
      // After all senders that it names.
      ...(to >= Math.max(...counts) && { notFound: describeNotFound(day.notFound, known.notFound) }),
    };
  }
}

function describeNotFound(
  { links, sender, link, requests, bots }: OpenDay["notFound"],
  before: Written["notFound"],
): NonNullable<DayLine["notFound"]> {
  const changed = listChanged(requests, before.requests);
  const pick = ({ values }: Column) => encode(changed.map((row) => values[row] ?? 0));
  return {
    links: Array.from({ length: links.size - before.links }, (_, index) => {
      const { path, referrer } = links.at(before.links + index);
      return [path, referrer];
    }),
    bots,
    row: encode(changed),
    sender: pick(sender),
    link: pick(link),
    requests: pick(requests),
  };
}

function describeCrawler(
  [name, { requests, errors, lastSeen, paths }]: [string, OpenCrawler],
  { crawlers }: Written,
): DayLine["crawlers"] {
  const known = crawlers.get(name);
  if (known?.requests === requests) return [];
  const fresh = Float64Array.from([...paths].slice(known?.paths));
  return [{ name, requests, errors, lastSeen, paths: encode(fresh) }];
}

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

/** No address and no user agent is written, only hashes under a salt of the day, which is destroyed when the day is closed. */
function hashNew(day: OpenDay, knownAddresses: number, knownSenders: number, salt: Uint8Array) {
  const addresses = Buffer.alloc((day.addressCount - knownAddresses) * HASH_BYTES);
  const senders = Buffer.alloc((day.senders.requests.length - knownSenders) * HASH_BYTES);
  const addAddress = (number: number, group: string) => {
    if (number < knownAddresses) return;
    addresses.write(hashSalted(salt, group), (number - knownAddresses) * HASH_BYTES, "latin1");
  };
  const addSender = (number: number, group: string, agent: number) => {
    if (number < knownSenders) return;
    senders.write(hashSender(salt, group, agent), (number - knownSenders) * HASH_BYTES, "latin1");
  };
  /** By number. */
  const others: string[] = [];
  for (const [address, number] of day.addresses.others) {
    others[number] = address;
    addAddress(number, address);
  }
  day.addresses.ipv4.forEach((number, address) => {
    addAddress(number, formatIpv4(address));
  });
  day.senderNumbers.ipv4.forEach((number, address, agent) => {
    addSender(number, formatIpv4(address), agent);
  });
  day.senderNumbers.others.forEach((number, address, agent) => {
    addSender(number, others[address] ?? "", agent);
  });
  return { addresses, senders };
}
