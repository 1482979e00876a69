import { deserialize, serialize } from "node:v8";
import { formatIpv4 } from "../counting/address-numbers.ts";
import { type Column, columnOf, readColumn } from "../counting/columns.ts";
import type { DayCounts } from "../counting/day-counts.ts";
import type { OriginValues, ProfileValues } from "../counting/line-dimensions.ts";
import { createNumbered } from "../counting/numbered.ts";
import { type OpenDay, openDay, type SenderHashes } from "../counting/open-day.ts";
import { createSalt, HASH_BYTES } from "../hashing.ts";
import { createKnownSenders, hashAddress, hashSender } from "./known-senders.ts";

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
  const addAddress = (group: string, number: number) => {
    addressHashes.add(number, () => hashAddress(salt, group));
  };
  addresses.ipv4.forEach((number, ipv4) => {
    addAddress(formatIpv4(ipv4), number);
  });
  for (const [group, number] of addresses.others) addAddress(group, number);

  const senderHashes = createHashList(senders.requests.length, before?.senders);
  const addSender = (group: string, agent: number, number: number) => {
    senderHashes.add(number, () => hashSender(salt, group, userAgents[agent] ?? ""));
  };
  senderNumbers.ipv4.forEach((number, ipv4, agent) => {
    addSender(formatIpv4(ipv4), agent, number);
  });
  const groups = new Map([...addresses.others].map(([group, number]) => [number, group]));
  senderNumbers.others.forEach((number, address, agent) => {
    addSender(groups.get(address) ?? "", agent, number);
  });
  return { salt, addresses: addressHashes.bytes, senders: senderHashes.bytes };
}

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
