import { type Column, readColumn } from "../counting/columns.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenDay } from "../counting/open-day.ts";
import { formatAddress } from "../counting/senders.ts";
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
}

/** Remembers which parts of open days the journal has. */
export interface JournalWriter {
  /** The salt of a day's hashes. */
  saltOf(day: OpenDay): Uint8Array;
  /** What the journal lacks of a day; undefined if nothing. Once it is written, `confirm` must be called. */
  describe(site: string, day: OpenDay): { line: DayLine; confirm: () => void } | undefined;
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
      const line = describeNew(site, day, before, saltOf(day));
      const now = measure(day);
      return { line, confirm: () => void written.set(day, now) };
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
    crawlers: new Map(
      [...day.crawlers].map(([name, { requests, paths }]) => [name, { requests, paths: paths.size }]),
    ),
  };
}

function describeNew(site: string, day: OpenDay, before: Written | undefined, salt: Uint8Array): DayLine {
  const { senders, hits, origins, profiles } = day;
  const { addresses: knownAddresses, senders: knownSenders } = before ?? { addresses: 0, senders: 0 };
  const hashes = hashNew(day, knownAddresses, knownSenders, salt);
  const changed = listChanged(senders.requests, before?.requests);
  return {
    site,
    isNew: before === undefined,
    pages: listNewPages(day, before?.pages ?? 0),
    origins: origins.list.slice(before?.origins).map((row) => ORIGIN_DIMENSIONS.map((name) => row[name])),
    profiles: profiles.list.slice(before?.profiles).map((row) => PROFILE_DIMENSIONS.map((name) => row[name])),
    addresses: hashes.addresses.toString("base64"),
    senders: {
      hash: hashes.senders.toString("base64"),
      address: encode(readColumn(senders.addresses).subarray(knownSenders)),
      profile: encode(readColumn(senders.profiles).subarray(knownSenders)),
      relay: encode(readColumn(senders.relays).subarray(knownSenders)),
    },
    changed: {
      sender: encode(changed),
      requests: encode(changed.map((sender) => senders.requests.values[sender] ?? 0)),
      errors: encode(changed.map((sender) => senders.errors.values[sender] ?? 0)),
      probes: encode(changed.map((sender) => senders.probes.values[sender] ?? 0)),
      added: encode(changed.map((sender) => senders.added.values[sender] ?? 0)),
      bytes: encode(changed.map((sender) => senders.bytes.values[sender] ?? 0)),
    },
    hits: {
      sender: encode(readColumn(hits.sender).subarray(before?.hits)),
      second: encode(readColumn(hits.second).subarray(before?.hits)),
      page: encode(readColumn(hits.page).subarray(before?.hits)),
      origin: encode(readColumn(hits.origin).subarray(before?.hits)),
    },
    crawlers: [...day.crawlers].flatMap(([name, { requests, errors, lastSeen, paths }]) => {
      const known = before?.crawlers.get(name);
      if (known?.requests === requests) return [];
      return {
        name,
        requests,
        errors,
        lastSeen,
        paths: encode(Float64Array.from([...paths].slice(known?.paths))),
      };
    }),
  };
}

function listNewPages({ values }: OpenDay, from: number): string[] {
  const pages = values.of("pages");
  const found: string[] = [];
  for (let number = from + 1; number < pages.size; number++) found.push(pages.at(number) ?? "");
  return found;
}

/** The senders that have sent something since. */
function listChanged(requests: Column, before: Uint32Array = new Uint32Array(0)): Uint32Array {
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
  /** By number. A large day has hundreds of thousands: they become texts one after another. */
  const byNumber: (string | number)[] = [];
  for (const [address, number] of day.addresses) {
    byNumber[number] = address;
    if (number < knownAddresses) continue;
    const hash = hashSalted(salt, formatAddress(address));
    addresses.write(hash, (number - knownAddresses) * HASH_BYTES, "latin1");
  }
  for (const [agent, numbers] of day.senderNumbers) {
    for (const [address, number] of numbers) {
      if (number < knownSenders) continue;
      const hash = hashSender(salt, formatAddress(byNumber[address] ?? ""), agent);
      senders.write(hash, (number - knownSenders) * HASH_BYTES, "latin1");
    }
  }
  return { addresses, senders };
}
