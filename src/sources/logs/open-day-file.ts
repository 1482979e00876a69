import { deserialize, serialize } from "node:v8";
import { type Column, columnOf, readColumn } from "./columns.ts";
import type { OriginValues, ProfileValues } from "./count-day.ts";
import type { DayCounts } from "./day-counts.ts";
import {
  createKnownSenders,
  createSalt,
  HASH_BYTES,
  hashAddress,
  hashSender,
  type SenderHashes,
} from "./known-senders.ts";
import { createNumbered } from "./numbered.ts";
import { type OpenDay, openDay } from "./open-day.ts";

/** A day on disk: no address and no user agent, only hashes under a salt of its own. */
interface KeptDay {
  date: string;
  start: number;
  end: number;
  hashes: SenderHashes;
  senders: Record<keyof OpenDay["senders"], Uint32Array>;
  hits: Record<keyof OpenDay["hits"], Uint32Array>;
  origins: [string, OriginValues][];
  profiles: [string, ProfileValues][];
  crawlers: OpenDay["crawlers"];
  counts: DayCounts;
}

/** The agent of a sender whose user agent only an earlier process knew. */
const NO_AGENT = 0xfffffffe;

/** Packs a day for the disk. Its hashes are the day's once that is written. */
export function packOpenDay(
  day: OpenDay,
  counts: DayCounts,
  userAgents: readonly string[],
): { bytes: Buffer; hashes: SenderHashes } {
  const { date, start, end, senders, hits, origins, profiles } = day;
  const hashes = hashSenders(day, userAgents);
  const kept: KeptDay = {
    ...{ date, start, end, hashes },
    senders: {
      requests: readColumn(senders.requests),
      errors: readColumn(senders.errors),
      probes: readColumn(senders.probes),
      addresses: readColumn(senders.addresses),
      agents: new Uint32Array(senders.agents.length).fill(NO_AGENT),
      profiles: readColumn(senders.profiles),
    },
    hits: {
      sender: readColumn(hits.sender),
      second: readColumn(hits.second),
      page: readColumn(hits.page),
      origin: readColumn(hits.origin),
    },
    origins: pair(origins),
    profiles: pair(profiles),
    crawlers: day.crawlers,
    counts,
  };
  return { bytes: serialize(kept), hashes };
}

export function unpackOpenDay(bytes: Uint8Array): OpenDay {
  const { date, start, end, hashes, senders, hits, origins, profiles, crawlers, counts }: KeptDay =
    deserialize(bytes);
  const column = (values: Uint32Array): Column => columnOf(Uint32Array.from(values));
  return {
    ...openDay(date, start, end),
    addressCount: hashes.addresses.length / HASH_BYTES,
    senders: {
      requests: column(senders.requests),
      errors: column(senders.errors),
      probes: column(senders.probes),
      addresses: column(senders.addresses),
      agents: column(senders.agents),
      profiles: column(senders.profiles),
    },
    hits: {
      sender: column(hits.sender),
      second: column(hits.second),
      page: column(hits.page),
      origin: column(hits.origin),
    },
    origins: createNumbered(origins),
    profiles: createNumbered(profiles),
    ...{ crawlers, hashes, counted: { version: 0, counts } },
    known: createKnownSenders(hashes),
  };
}

/** Hashes the addresses and senders that have come since the day was last written. */
function hashSenders(day: OpenDay, userAgents: readonly string[]): SenderHashes {
  const empty = new Uint8Array(0);
  const { salt, ...before } = day.hashes ?? { salt: createSalt(), addresses: empty, senders: empty };
  const addresses = grow(before.addresses, day.addressCount);
  const groups: string[] = [];
  const knownAddresses = before.addresses.length / HASH_BYTES;
  day.addresses.forEach((group, number) => {
    groups[number] = group;
    if (number < knownAddresses) return;
    addresses.write(hashAddress(salt, group), number * HASH_BYTES, "latin1");
  });
  const { senders } = day;
  const hashes = grow(before.senders, senders.requests.length);
  for (let sender = before.senders.length / HASH_BYTES; sender < senders.requests.length; sender++) {
    const group = groups[senders.addresses.values[sender] ?? 0] ?? "";
    const userAgent = userAgents[senders.agents.values[sender] ?? NO_AGENT] ?? "";
    hashes.write(hashSender(salt, group, userAgent), sender * HASH_BYTES, "latin1");
  }
  return { salt, addresses, senders: hashes };
}

function grow(hashes: Uint8Array, count: number): Buffer {
  const grown = Buffer.alloc(count * HASH_BYTES);
  grown.set(hashes);
  return grown;
}

function pair<T>({ keys, list }: { keys: readonly string[]; list: readonly T[] }): [string, T][] {
  return list.map((thing, index) => [keys[index] ?? "", thing]);
}
