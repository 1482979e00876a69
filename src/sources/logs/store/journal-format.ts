import { hashFile } from "./files.ts";

/*
 * The journal of a date: what is known of the day while its lines can still come, for all sites. It only grows: each part
 * has what has been read since the part before. Nothing in it is derived, because every line of the log can change which
 * page a visit began with and who is a scanner.
 *
 * A part is the first 16 digits of the SHA-256 of its body, the length of the body in bytes, and the body: a line of JSON
 * (`DayPart` or `MarksPart`), and the bytes of its columns one after another. The JSON says how long each column is.
 */

/** Lists of numbers by name, the lowest byte of each number first. */
export type Columns<Name extends string> = Readonly<Record<Name, Uint8Array | Uint32Array | Float64Array>>;

/** What has come to a site's day. Numbers refer to all parts of the same site, from 0 up. */
export interface DayPart {
  site: string;
  /** Whether the site's earlier parts do not count any more: the day was read again from the logs. */
  isNew: boolean;
  pages: string[];
  origins: (string | null)[][];
  profiles: (string | null)[][];
  /** The numbers of requests are those of all parts; `paths` is how many hashes of `crawlerPaths` are new ones of theirs. */
  crawlers: { name: string; requests: number; errors: number; lastSeen: number; paths: number }[];
  /** New links (path and referrer), and all requests of bots. */
  notFound: { links: [string, string | null][]; bots: number };
  columns: Columns<DayColumn>;
}

export type DayColumn =
  /** Salted hashes of addresses and of the ids of user agents, `HASH_BYTES` each. */
  | "addresses"
  | "agents"
  | `sender.${(typeof SENDER_COLUMNS)[number]}`
  /** What is known by now of the senders that sent something. */
  | `changed.${(typeof COUNTERS)[number] | "row"}`
  | `hit.${(typeof HIT_COLUMNS)[number]}`
  /** The rows that have changed. */
  | `notFound.${(typeof NOT_FOUND_COLUMNS)[number] | "row"}`
  /** Floating point, as the marks. */
  | "crawlerPaths";

/** Marks of lines that are compared with those of other files (compared-days.ts). */
export interface MarksPart {
  columns: Columns<"marks">;
}

export const SENDER_COLUMNS = ["addresses", "agents", "profiles", "relays"] as const;
export const COUNTERS = ["requests", "errors", "probes", "added", "bytes"] as const;
export const NOT_FOUND_COLUMNS = ["sender", "link", "requests"] as const;
export const HIT_COLUMNS = ["sender", "second", "page", "origin"] as const;

/** A part as it was read. */
export type ReadPart<Part extends DayPart | MarksPart> = Omit<Part, "columns"> & {
  columns: Readonly<Record<keyof Part["columns"], Uint8Array>>;
};

/** The bytes of a list that was written in several parts; as numbers without another copy, since they begin their buffer. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
}

export const readIntegers = (...parts: readonly Uint8Array[]) => new Uint32Array(joinBytes(parts).buffer);
export const readFloats = (...parts: readonly Uint8Array[]) => new Float64Array(joinBytes(parts).buffer);

const CHECK_LENGTH = 16;
/** Of the length of the body, in decimal digits. */
const SIZE_LENGTH = 10;
const HEAD_LENGTH = CHECK_LENGTH + SIZE_LENGTH;
const LINE_FEED = 10;

export function formatPart({ columns, ...texts }: DayPart | MarksPart): Buffer {
  const lists = Object.entries(columns).map(
    ([name, { buffer, byteOffset, byteLength }]) =>
      [name, new Uint8Array(buffer, byteOffset, byteLength)] as const,
  );
  const lengths = Object.fromEntries(lists.map(([name, { length }]) => [name, length]));
  const json = Buffer.from(`${JSON.stringify({ ...texts, columns: lengths })}\n`);
  const bytes = Buffer.concat([Buffer.alloc(HEAD_LENGTH), json, ...lists.map(([, list]) => list)]);
  const body = bytes.subarray(HEAD_LENGTH);
  bytes.write(checkOf(body) + String(body.length).padStart(SIZE_LENGTH, "0"), "latin1");
  return bytes;
}

/** Parses the parts of a journal. Undefined if one of them is damaged. Their columns share the memory of the bytes. */
export function parseParts(bytes: Buffer): (ReadPart<DayPart> | ReadPart<MarksPart>)[] | undefined {
  const parts: (ReadPart<DayPart> | ReadPart<MarksPart>)[] = [];
  for (let from = 0; from < bytes.length; ) {
    const start = from + HEAD_LENGTH;
    const head = bytes.toString("latin1", from, start);
    const end = start + Number(head.slice(CHECK_LENGTH));
    const body = bytes.subarray(start, end);
    if (!(end <= bytes.length) || checkOf(body) !== head.slice(0, CHECK_LENGTH)) return undefined;
    parts.push(parseBody(body));
    from = end;
  }
  return parts;
}

/** @param body Its bytes are those that were written. */
function parseBody(body: Buffer): ReadPart<DayPart> | ReadPart<MarksPart> {
  const line = body.indexOf(LINE_FEED);
  const part: { columns: Record<string, number> } = JSON.parse(body.toString("utf8", 0, line));
  let at = line + 1;
  const columns: Record<string, Uint8Array> = Object.fromEntries(
    Object.entries(part.columns).map(([name, length]) => {
      at += length;
      return [name, body.subarray(at - length, at)];
    }),
  );
  // The writer was given one of the two.
  return { ...part, columns } as ReadPart<DayPart> | ReadPart<MarksPart>;
}

const checkOf = (body: Uint8Array): string => hashFile(body).slice(0, CHECK_LENGTH);
