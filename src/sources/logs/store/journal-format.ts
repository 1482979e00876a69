import { hashSalted } from "../hashing.ts";
import { hashFile } from "./files.ts";

/*
 * The journal of a date: what is known of the day while its lines can still come, for all sites. It only grows: each line
 * has what has been read since the line before. Nothing in it is derived, because every line of the log can change which
 * page a visit began with and who is a scanner.
 *
 * A line is the first 16 digits of the SHA-256 of the rest, a space, and JSON (`DayLine` or `MarksLine`). Lists of numbers
 * are base64 of their bytes, 32 bits each, the lowest byte first; marks and hashes of paths have 64 bits (floating point).
 */

/** What has come to a site's day. Numbers refer to all lines of the same site, from 0 up. */
export interface DayLine {
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
  /** The numbers of requests are those of all lines. */
  crawlers: { name: string; requests: number; errors: number; lastSeen: number; paths: string }[];
  /** New links (path and referrer), the rows that have changed, and all requests of bots. Absent in earlier versions. */
  notFound?: { links: [string, string | null][]; bots: number } & Record<
    "row" | (typeof NOT_FOUND_COLUMNS)[number],
    string
  >;
}

/** Marks of lines that are compared with those of other files (compared-days.ts). */
export interface MarksLine {
  marks: string;
}

export const COUNTERS = ["requests", "errors", "probes", "added", "bytes"] as const;
export const NOT_FOUND_COLUMNS = ["sender", "link", "requests"] as const;
export const HIT_COLUMNS = ["sender", "second", "page", "origin"] as const;

/** The hash of a sender: who asked, by address and by the id of the user agent. */
export const hashSender = (salt: Uint8Array, group: string, agent: number): string =>
  hashSalted(salt, `${group}\n${agent}`);

export const encode = ({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

/** Decodes the parts of a list one after another. The bytes have a buffer of their own, to be read as numbers without a copy. */
export function decode(parts: readonly string[]): Buffer<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part, "base64"), 0);
  const bytes = Buffer.from(new ArrayBuffer(length));
  let end = 0;
  for (const part of parts) end += bytes.write(part, end, "base64");
  return bytes;
}

export const decodeIntegers = (parts: readonly string[]) => new Uint32Array(decode(parts).buffer);
export const decodeFloats = (parts: readonly string[]) => new Float64Array(decode(parts).buffer);

const CHECK_LENGTH = 16;
const LINE_FEED = 10;

/** A line of a journal, with its line feed. */
export function formatLine(line: DayLine | MarksLine): Buffer {
  const json = JSON.stringify(line);
  const start = CHECK_LENGTH + 1;
  // Some megabytes on a large day: they are not copied again.
  const bytes = Buffer.alloc(start + Buffer.byteLength(json) + 1, LINE_FEED);
  bytes.write(json, start);
  bytes.write(`${hashFile(bytes.subarray(start, -1)).slice(0, CHECK_LENGTH)} `);
  return bytes;
}

/** Parses the lines of a journal. Undefined if one of them is damaged. */
export function parseLines(bytes: Buffer): (DayLine | MarksLine)[] | undefined {
  const lines: (DayLine | MarksLine)[] = [];
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
