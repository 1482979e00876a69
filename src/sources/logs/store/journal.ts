import { type Column, columnOf, readColumn } from "../counting/columns.ts";
import { OTHER } from "../counting/limits.ts";
import {
  ORIGIN_DIMENSIONS,
  type OriginValues,
  PROFILE_DIMENSIONS,
  type ProfileValues,
} from "../counting/line-dimensions.ts";
import { type KnownSenders, type OpenDay, openDay } from "../counting/open-day.ts";
import { formatAddress } from "../counting/senders.ts";
import { spanOf } from "../day-span.ts";
import { createSalt, HASH_BYTES, hashSalted } from "../hashing.ts";
import { hashFile } from "./files.ts";

/*
 * The journal of a date: what is known of the day while its lines can still come, for all sites. It only grows: each line
 * has what has been read since the line before. Nothing in it is derived, because every line of the log can change which
 * page a visit began with and who is a scanner.
 *
 * A line is the first 16 digits of the SHA-256 of the rest, a space, and JSON (`JournalLine`). Lists of numbers are base64
 * of their bytes, 32 bits each, the lowest byte first.
 */

/** What has come to a site's day. Numbers refer to all lines of the same site, from 0 up. */
export interface JournalLine {
  site: string;
  /** Whether the site's earlier lines do not count any more: the day was read again from the logs. */
  isNew: boolean;
  pages: string[];
  origins: (string | null)[][];
  profiles: (string | null)[][];
  /** Salted hashes, 12 bytes each, in base64. */
  addresses: string;
  senders: { hash: string; address: string; profile: string; relay: string };
  /** What is known by now of the senders that sent something. */
  changed: Record<(typeof COUNTERS)[number] | "sender", string>;
  hits: Record<(typeof HIT_COLUMNS)[number], string>;
  /** The numbers of requests are those of all lines; hashes of paths have 64 bits (floating point). */
  crawlers: { name: string; requests: number; errors: number; lastSeen: number; paths: string }[];
}

const COUNTERS = ["requests", "errors", "probes", "added"] as const;
const HIT_COLUMNS = ["sender", "second", "page", "origin"] as const;

/** How much of a day the journal has. */
interface Written {
  salt: Uint8Array;
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
  describe(site: string, day: OpenDay): { line: JournalLine; confirm: () => void } | undefined;
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
      const now = measure(day, saltOf(day));
      return { line, confirm: () => void written.set(day, now) };
    },
    adopt: (day, salt) => {
      salts.set(day, salt);
      written.set(day, measure(day, salt));
    },
  };
}

function measure(day: OpenDay, salt: Uint8Array): Written {
  return {
    salt,
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

function describeNew(site: string, day: OpenDay, before: Written | undefined, salt: Uint8Array): JournalLine {
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
      return { name, requests, errors, lastSeen, paths: encodePaths([...paths].slice(known?.paths)) };
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
  const found: { agent: number; address: number; number: number }[] = [];
  for (const [agent, numbers] of day.senderNumbers) {
    for (const [address, number] of numbers) {
      if (number >= knownSenders) found.push({ agent, address, number });
    }
  }
  const needed = new Set(found.map(({ address }) => address));
  const groups = new Map<number, string>();
  for (const [address, number] of day.addresses) {
    const isNew = number >= knownAddresses;
    if (!isNew && !needed.has(number)) continue;
    const group = formatAddress(address);
    groups.set(number, group);
    if (isNew) addresses.write(hashSalted(salt, group), (number - knownAddresses) * HASH_BYTES, "latin1");
  }
  for (const { agent, address, number } of found) {
    const hash = hashSender(salt, groups.get(address) ?? "", agent);
    senders.write(hash, (number - knownSenders) * HASH_BYTES, "latin1");
  }
  return { addresses, senders };
}

const hashSender = (salt: Uint8Array, group: string, agent: number): string =>
  hashSalted(salt, `${group}\n${agent}`);

const encode = ({ buffer, byteOffset, byteLength }: Uint32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

function decode(text: string): Uint32Array {
  const bytes = Buffer.from(text, "base64");
  // The bytes of a small buffer can begin anywhere in a larger one.
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

const encodePaths = (hashes: readonly number[]): string =>
  Buffer.from(Float64Array.from(hashes).buffer).toString("base64");

const decodePaths = (text: string): Float64Array =>
  new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);

/** Puts the lines of a site's day together. */
export function createJournalDay(date: string, timezone: string, salt: Uint8Array) {
  const { start, end } = spanOf(date, timezone);
  let parts = createParts(date, start, end);
  return {
    add: (line: JournalLine) => {
      if (line.isNew) parts = createParts(date, start, end);
      addLine(parts, line);
    },
    finish: (): OpenDay => finishDay(parts, salt),
  };
}

interface Parts {
  day: OpenDay;
  addresses: Buffer[];
  senders: Buffer[];
  columns: Map<Column, Uint32Array[]>;
}

const createParts = (date: string, start: number, end: number): Parts => ({
  day: openDay(date, start, end),
  addresses: [],
  senders: [],
  columns: new Map(),
});

function addLine({ day, addresses, senders, columns }: Parts, line: JournalLine): void {
  const extend = (column: Column, numbers: Uint32Array) => {
    const list = columns.get(column);
    if (list === undefined) columns.set(column, [numbers]);
    else list.push(numbers);
  };
  const pages = day.values.of("pages");
  for (const page of line.pages) pages.number(page);
  for (const texts of line.origins) {
    addRow(day, ORIGIN_DIMENSIONS, texts);
    // In the order in which they were written.
    const row = Object.fromEntries(
      ORIGIN_DIMENSIONS.map((name, at) => [name, texts[at] ?? null]),
    ) as OriginValues;
    day.origins.number(JSON.stringify(texts), () => row);
  }
  for (const texts of line.profiles) {
    addRow(day, PROFILE_DIMENSIONS, texts);
    const row = Object.fromEntries(
      PROFILE_DIMENSIONS.map((name, at) => [name, texts[at] ?? null]),
    ) as ProfileValues;
    day.profiles.number(JSON.stringify(texts), () => row);
  }
  addresses.push(Buffer.from(line.addresses, "base64"));
  senders.push(Buffer.from(line.senders.hash, "base64"));
  extend(day.senders.addresses, decode(line.senders.address));
  extend(day.senders.profiles, decode(line.senders.profile));
  extend(day.senders.relays, decode(line.senders.relay));
  for (const name of HIT_COLUMNS) extend(day.hits[name], decode(line.hits[name]));
  const changed = decode(line.changed.sender);
  for (const name of COUNTERS) {
    const column = day.senders[name];
    const values = decode(line.changed[name]);
    growTo(column, (changed.at(-1) ?? -1) + 1);
    changed.forEach((sender, at) => {
      column.values[sender] = values[at] ?? 0;
    });
  }
  for (const { name, paths, ...counts } of line.crawlers) {
    const known = day.crawlers.get(name)?.paths ?? new Set();
    for (const path of decodePaths(paths)) known.add(path);
    day.crawlers.set(name, { ...counts, paths: known });
  }
}

/** The values that the row has count towards the day's limits. */
function addRow(
  { values }: OpenDay,
  dimensions: typeof ORIGIN_DIMENSIONS | typeof PROFILE_DIMENSIONS,
  texts: readonly (string | null)[],
): void {
  dimensions.forEach((dimension, at) => {
    const text = texts[at] ?? null;
    if (text !== OTHER) values.of(dimension).number(text);
  });
}

function growTo(column: Column, length: number): void {
  if (length > column.values.length) {
    const grown = new Uint32Array(2 * length);
    grown.set(column.values);
    column.values = grown;
  }
  column.length = Math.max(column.length, length);
}

function finishDay({ day, addresses, senders, columns }: Parts, salt: Uint8Array): OpenDay {
  for (const [column, parts] of columns) Object.assign(column, columnOf(join(parts)));
  const hashes = { addresses: Buffer.concat(addresses), senders: Buffer.concat(senders) };
  day.addressCount = hashes.addresses.length / HASH_BYTES;
  day.known = createKnownSenders(salt, hashes);
  return day;
}

function join(parts: readonly Uint32Array[]): Uint32Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const all = new Uint32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Recognizes the addresses and senders of earlier processes, from hashes that say nothing about who they were. */
function createKnownSenders(
  salt: Uint8Array,
  { addresses, senders }: Record<"addresses" | "senders", Buffer>,
): KnownSenders {
  // Built when the first line needs it: most runs find no new line.
  let addressNumbers: Map<string, number> | undefined;
  let numbers: Map<string, number> | undefined;
  return {
    findAddress: (group) => {
      addressNumbers ??= numberHashes(addresses);
      return addressNumbers.get(hashSalted(salt, group));
    },
    findSender: (group, agent) => {
      numbers ??= numberHashes(senders);
      return numbers.get(hashSender(salt, group, agent));
    },
  };
}

function numberHashes(bytes: Buffer): Map<string, number> {
  const numbers = new Map<string, number>();
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    numbers.set(bytes.toString("latin1", at, at + HASH_BYTES), at / HASH_BYTES);
  }
  return numbers;
}

const CHECK_LENGTH = 16;

/** A line of a journal, with its line feed. */
export function formatLine(line: object): Buffer {
  const json = Buffer.from(`${JSON.stringify(line)}\n`);
  return Buffer.concat([Buffer.from(`${hashFile(json.subarray(0, -1)).slice(0, CHECK_LENGTH)} `), json]);
}

/** Parses the lines of a journal. Undefined if one of them is damaged. */
export function parseLines<T>(bytes: Buffer): T[] | undefined {
  const lines: T[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end < 0) return undefined;
    const json = bytes.subarray(from + CHECK_LENGTH + 1, end);
    const check = bytes.toString("latin1", from, from + CHECK_LENGTH);
    if (hashFile(json).slice(0, CHECK_LENGTH) !== check) return undefined;
    lines.push(JSON.parse(json.toString()));
    from = end + 1;
  }
  return lines;
}

const LINE_FEED = 10;
