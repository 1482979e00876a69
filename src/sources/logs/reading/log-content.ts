import { createHash } from "node:crypto";

/** How many lines of a content were compared with those of others, and how many were in another. */
export interface Repeats {
  compared: number;
  repeated: number;
  /** The file that had the last of these lines first. */
  path: string;
}

/** Lines of a content that could not be read, between two that could. */
export interface UnreadLines {
  /** Seconds since 1970 of the lines before and after; null if there is none, or none yet. */
  after: number | null;
  before: number | null;
  lines: number;
  bytes: number;
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
  /** The lines that could not be read, and those that were too long: where they are, in their order. */
  unread: UnreadLines[];
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
    unread: [],
    examples: [],
    repeats: { compared: 0, repeated: 0, path: "" },
    earliest: Number.POSITIVE_INFINITY,
    latest: Number.NEGATIVE_INFINITY,
  };
}

export const hashTail = (bytes: Buffer) => createHash("sha256").update(bytes).digest("base64url");
