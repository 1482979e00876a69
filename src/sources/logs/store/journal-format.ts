import type { Dimension } from "../../../operations/dimensions.ts";
import { hashFile } from "./files.ts";

/*
 * The journal of a date: what is known of the day while its lines can still come, for all sites. It only grows: each part
 * has what has been read since the part before. Nothing in it is derived, because every line of the log can change which
 * page a visit began with and who is a scanner.
 *
 * A part is a mark, the first 16 digits of the SHA-256 of its body, the length of the body in bytes, and the body: a line of
 * JSON (`DayPart` or `MarksPart`), and the bytes of its columns one after another. The JSON says how long each column is.
 *
 * All columns have names: a version of this program with more of them reads what one with fewer has written, and the other
 * way round. Numbers that are missing are 0; values are null, and their dimensions are `unrecorded`.
 */

/** Lists of numbers by name, the lowest byte of each number first. */
export type Columns<Name extends string> = Readonly<Record<Name, Uint8Array | Uint32Array | Float64Array>>;

/** What has come to a site's day. Numbers refer to all parts of the same site, from 0 up. */
export interface DayPart {
  site: string;
  /** Which salt its hashes have (`nameSalt`): another one if the day was read again from the logs. */
  salt: string;
  /** Its place among the site's parts of this salt, from 0 up. */
  number: number;
  pages: string[];
  origins: NamedTexts;
  profiles: NamedTexts;
  /** The numbers of requests are those of all parts; `paths` is how many hashes of `crawlerPaths` are new ones of theirs. */
  crawlers: { name: string; requests: number; errors: number; lastSeen: number; paths: number }[];
  /** New links (path and referrer), and all requests of bots. */
  notFound: FailedPart;
  serverErrors: FailedPart;
  columns: Columns<DayColumn>;
}

interface FailedPart {
  links: [string, string | null][];
  bots: number;
}

/** By dimension, its values in all rows. */
export type NamedTexts = Readonly<Partial<Record<Dimension, (string | null)[]>>>;

export type DayColumn =
  /** Salted hashes of addresses, networks and the ids of user agents, `HASH_BYTES` each. */
  | "addresses"
  | "networks"
  | "agents"
  /** By address, the number of its network. */
  | "networkOf"
  /** By page, origin and profile, the sender that it was added for. */
  | `addedBy.${(typeof ADDED)[number]}`
  | `sender.${(typeof SENDER_COLUMNS)[number]}`
  /** What is known by now of the senders that sent something. */
  | `changed.${(typeof COUNTERS)[number] | "row"}`
  | `hit.${(typeof HIT_COLUMNS)[number]}`
  /** The rows that have changed. */
  | `${(typeof REQUEST_ROWS)[number]}.${(typeof ROW_COLUMNS)[number] | "row"}`
  /** What came when little was left of a limit (limits.ts). */
  | `seen.${"row" | "value"}`
  /** Floating point, as the marks. */
  | "crawlerPaths";

/** Marks of lines that are compared with those of other files (compared-days.ts). */
export interface MarksPart {
  columns: Columns<"marks">;
}

export const SENDER_COLUMNS = ["addresses", "agents", "profiles", "relays"] as const;
export const COUNTERS = ["requests", "errors", "probes", "files"] as const;
export const ADDED = ["pages", "origins", "profiles"] as const;
export const FAILED = ["notFound", "serverErrors"] as const;
export const REQUEST_ROWS = [...FAILED, "brokenFiles"] as const;
export const ROW_COLUMNS = ["sender", "link", "requests"] as const;
export const HIT_COLUMNS = ["sender", "second", "page", "origin"] as const;

/** A part as it was read. Another version of this program may have written it, without some columns. */
export type ReadPart<Part extends DayPart | MarksPart> = Omit<Part, "columns"> & {
  columns: Readonly<Partial<Record<keyof Part["columns"], Uint8Array>>>;
};

/** Says which salt it is, and nothing else about it. */
export const nameSalt = (salt: Uint8Array): string => hashFile(salt).slice(0, CHECK_LENGTH);

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

export const readIntegers = (...parts: readonly (Uint8Array | undefined)[]) =>
  new Uint32Array(joinBytes(parts.flatMap((part) => part ?? [])).buffer);
export const readFloats = (...parts: readonly (Uint8Array | undefined)[]) =>
  new Float64Array(joinBytes(parts.flatMap((part) => part ?? [])).buffer);

/** Where a part begins. After damage, the next whole part is found by it. */
const MARK = Buffer.from("\npart ");
const CHECK_LENGTH = 16;
/** Of the length of the body, in decimal digits. */
const SIZE_LENGTH = 10;
const HEAD_LENGTH = MARK.length + CHECK_LENGTH + SIZE_LENGTH;
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
  const head = MARK.toString() + checkOf(body) + String(body.length).padStart(SIZE_LENGTH, "0");
  bytes.write(head, "latin1");
  return bytes;
}

/** The whole parts of a journal. Their columns share the memory of the bytes. */
export function parseParts(bytes: Buffer): (ReadPart<DayPart> | ReadPart<MarksPart>)[] {
  const parts: (ReadPart<DayPart> | ReadPart<MarksPart>)[] = [];
  for (let from = bytes.indexOf(MARK); from >= 0; ) {
    const start = from + HEAD_LENGTH;
    const [check, size] = [start - SIZE_LENGTH - CHECK_LENGTH, start - SIZE_LENGTH];
    const end = start + Number(bytes.toString("latin1", size, start));
    const body = bytes.subarray(start, end);
    const isWhole = end <= bytes.length && checkOf(body) === bytes.toString("latin1", check, size);
    if (isWhole) parts.push(parseBody(body));
    from = bytes.indexOf(MARK, isWhole ? end : from + 1);
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
