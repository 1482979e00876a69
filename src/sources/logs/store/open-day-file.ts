import { deserialize, serialize } from "node:v8";
import { type Column, columnOf, readColumn } from "../counting/columns.ts";
import type { DayCounts } from "../counting/day-counts.ts";
import type { OriginValues, ProfileValues } from "../counting/line-dimensions.ts";
import { createNumbered } from "../counting/numbered.ts";
import { type KnownSenders, type OpenDay, openDay, type SenderHashes } from "../counting/open-day.ts";
import { formatAddress } from "../counting/senders.ts";
import { createSalt, HASH_BYTES, hashSalted } from "../hashing.ts";

/** What a day has on disk besides its columns and hashes, which are parts of their own. */
interface KeptHead {
  start: number;
  end: number;
  salt: Uint8Array;
  origins: [string, OriginValues][];
  profiles: [string, ProfileValues][];
  crawlers: OpenDay["crawlers"];
  counts: DayCounts;
}

const HEAD = "head";
const ADDRESSES = "address hashes";
const SENDERS = "sender hashes";

/**
 * Packs a day for the disk: no address and no user agent, only hashes under a salt of its own. Its columns are not copied,
 * since they are large. The hashes are the day's once all parts are written.
 *
 * @param userAgents By number.
 */
export function packOpenDay(
  day: OpenDay,
  counts: DayCounts,
  userAgents: readonly string[],
): { parts: [name: string, bytes: Uint8Array][]; hashes: SenderHashes } {
  const { start, end, origins, profiles, crawlers } = day;
  const hashes = hashSenders(day, userAgents);
  const head: KeptHead = {
    start,
    end,
    salt: hashes.salt,
    crawlers,
    counts,
    origins: pair(origins),
    profiles: pair(profiles),
  };
  const columns = listColumns(day).map(([name, column]): [string, Uint8Array] => {
    const { buffer, byteOffset, byteLength } = readColumn(column);
    return [name, new Uint8Array(buffer, byteOffset, byteLength)];
  });
  return {
    parts: [[HEAD, serialize(head)], [ADDRESSES, hashes.addresses], [SENDERS, hashes.senders], ...columns],
    hashes,
  };
}

/** @param read Returns a copy of the bytes of a part, which the day may change. */
export function unpackOpenDay(date: string, read: (part: string) => Uint8Array): OpenDay {
  const { start, end, salt, origins, profiles, crawlers, counts }: KeptHead = deserialize(read(HEAD));
  const hashes = { salt, addresses: read(ADDRESSES), senders: read(SENDERS) };
  const day = openDay(date, start, end);
  for (const [name, column] of listColumns(day)) {
    Object.assign(column, columnOf(new Uint32Array(read(name).buffer)));
  }
  return {
    ...day,
    addressCount: hashes.addresses.length / HASH_BYTES,
    origins: createNumbered(origins),
    profiles: createNumbered(profiles),
    crawlers,
    hashes,
    counted: { version: 0, counts },
    known: createKnownSenders(hashes),
  };
}

function listColumns({ senders, hits }: OpenDay): [name: string, column: Column][] {
  return Object.entries({ senders, hits }).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, column]): [string, Column] => [`${table} ${name}`, column]),
  );
}

/** Hashes the addresses and senders that have come since the day was last written. */
function hashSenders(
  { hashes: before, addresses, addressCount, senderNumbers, senders }: OpenDay,
  userAgents: readonly string[],
): SenderHashes {
  const salt = before?.salt ?? createSalt();
  const addressHashes = createHashList(addressCount, before?.addresses);
  const senderHashes = createHashList(senders.requests.length, before?.senders);
  const groups: string[] = [];
  for (const [address, number] of addresses) {
    const group = formatAddress(address);
    groups[number] = group;
    addressHashes.add(number, () => hashSalted(salt, group));
  }
  for (const [agent, numbers] of senderNumbers) {
    for (const [address, number] of numbers) {
      senderHashes.add(number, () => hashSender(salt, groups[address] ?? "", userAgents[agent] ?? ""));
    }
  }
  return { salt, addresses: addressHashes.bytes, senders: senderHashes.bytes };
}

const hashSender = (salt: Uint8Array, group: string, userAgent: string): string =>
  hashSalted(salt, `${group}\n${userAgent}`);

/** A list of hashes, by number, that keeps the earlier ones. */
function createHashList(count: number, before: Uint8Array = new Uint8Array(0)) {
  const bytes = Buffer.alloc(count * HASH_BYTES);
  bytes.set(before);
  const known = before.length / HASH_BYTES;
  return {
    bytes,
    add: (number: number, hash: () => string) => {
      if (number >= known) bytes.write(hash(), number * HASH_BYTES, "latin1");
    },
  };
}

function pair<T>({ keys, list }: { keys: readonly string[]; list: readonly T[] }): [string, T][] {
  return list.map((thing, index) => [keys[index] ?? "", thing]);
}

/** Recognizes the addresses and senders that an earlier process has kept, from hashes that say nothing about who they were. */
function createKnownSenders({ salt, addresses, senders }: SenderHashes): KnownSenders {
  // Built when the first line needs it: most runs find no new line.
  let addressNumbers: Map<string, number> | undefined;
  let numbers: Map<string, number> | undefined;
  return {
    findAddress: (group) => {
      addressNumbers ??= numberHashes(addresses);
      return addressNumbers.get(hashSalted(salt, group));
    },
    findSender: (group, userAgent) => {
      numbers ??= numberHashes(senders);
      return numbers.get(hashSender(salt, group, userAgent));
    },
  };
}

function numberHashes({ buffer, byteOffset, byteLength }: Uint8Array): Map<string, number> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const numbers = new Map<string, number>();
  for (let at = 0; at < byteLength; at += HASH_BYTES) {
    numbers.set(bytes.toString("latin1", at, at + HASH_BYTES), at / HASH_BYTES);
  }
  return numbers;
}
