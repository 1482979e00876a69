import { createHash } from "node:crypto";

/** How many lines of a content were compared with those of others, and how many were in another. */
export interface Repeats {
  compared: number;
  repeated: number;
  /** The file that had the last of these lines first. */
  path: string;
  /** Set if its first line came again, after later ones. */
  isTwice?: true;
}

/** Lines of a content that could not be read, between two that could. */
export interface UnreadLines {
  /** Seconds since 1970 of the lines before and after; null if there is none, or none yet. */
  after: number | null;
  before: number | null;
  lines: number;
  bytes: number;
  /** How many of the lines are dated more than a day ahead. */
  future?: number | undefined;
}

/** A file whose lines are in no known format. */
export interface UnreadFile {
  path: string;
  site?: string | undefined;
  /** How many files these are, if the oldest ones were put together. */
  files: number;
  /** On disk. */
  bytes: number;
  /** Seconds since 1970 of the first line that it can have; null if nobody knows. */
  from: number | null;
  /** When it was last written. */
  until: number;
}

/** The content of a log, under whatever name its file has today. */
export interface LogContent {
  /** Of its first request. Contents with the same first line have the same fingerprint. */
  fingerprint: string;
  /** Empty if another log has taken its name and it was not found under a new one. */
  path: string;
  format: string;
  site: string | undefined;
  /** Whether its first lines name hosts that can be sites. */
  hasHosts: boolean;
  /** How many bytes of its text were read, and SHA-256 of the last of them. */
  read: number;
  tail: string;
  /** The last line that names columns, which applies to the lines after it. */
  header?: string | undefined;
  lines: number;
  comments: number;
  unreadable: number;
  tooLong: number;
  /** Those dated more than a day ahead. */
  future: number;
  /** The lines of these three kinds: where they are, in their order. */
  unread: UnreadLines[];
  /** By date of the site, about how many bytes the lines have that could be read. */
  days: Record<string, number>;
  /** When the file was last written before it was read, in seconds since 1970. */
  written: number;
  /** The first unreadable lines, cleaned. */
  examples: string[];
  /** If reading ended early: why, and the last time (seconds since 1970) of which lines can be missing. */
  damage?: { reason: string; until: number } | undefined;
  repeats: Repeats;
  /** Seconds since 1970 of its earliest and latest line. */
  earliest: number;
  latest: number;
}

export function createContent(
  { path, site }: { path: string; site?: string | undefined },
  { fingerprint, hasHosts }: Pick<LogContent, "fingerprint" | "hasHosts">,
  format: string,
): LogContent {
  return {
    fingerprint,
    path,
    format,
    site,
    hasHosts,
    read: 0,
    tail: hashTail(Buffer.alloc(0)),
    lines: 0,
    comments: 0,
    unreadable: 0,
    tooLong: 0,
    future: 0,
    unread: [],
    days: {},
    written: 0,
    examples: [],
    repeats: { compared: 0, repeated: 0, path: "" },
    earliest: Number.POSITIVE_INFINITY,
    latest: Number.NEGATIVE_INFINITY,
  };
}

export const fingerprintLine = (line: string) => createHash("sha256").update(line).digest("base64url");

export const hashTail = (bytes: Buffer) => createHash("sha256").update(bytes).digest("base64url");
