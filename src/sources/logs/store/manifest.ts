import { existsSync } from "node:fs";
import { readErrorCode } from "../../../errors.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import type { Damage } from "../counting/day-counts.ts";
import type { SiteLog } from "../counting/site-log.ts";
import type { NewMarks } from "../reading/compared-days.ts";
import type { LogContent, UnreadFile } from "../reading/log-content.ts";
import type { DimensionLists, ShortSummary } from "./day-summary.ts";
import { DamagedFile, hashFile, readOwn, writeWhole } from "./files.ts";
import type { HistoryLogs } from "./history-logs.ts";

/** The version of the format of all files here. Increase it when an earlier program could not read them. */
export const FORMAT = 4;

/** What the history of a set of logs is made of. It is replaced as a whole: what it does not name does not count. */
export interface Manifest {
  format: typeof FORMAT;
  /** Increases with each save. */
  generation: number;
  /** The highest version of the counting rules that was used. */
  definition: number;
  logs: HistoryLogs;
  contents: KeptContent[];
  /** Files in no known format, by the fingerprint of their first line. Absent in earlier versions. */
  unreadFiles?: (readonly [string, UnreadFile])[];
  /** By date, how many bytes of the journal count. */
  journals: Record<string, number>;
  /** The days whose lines are compared with those of other files. */
  compared: { start: number; end: number; salt: string; journal: string }[];
  /** Those of the open days. */
  dimensions: DimensionLists;
  sites: KeptSite[];
}

/** Without the lines that could not be read, which are anything. */
export interface KeptContent
  extends Omit<LogContent, "examples" | "earliest" | "latest" | NewMember>,
    Partial<Pick<LogContent, NewMember>> {
  /** Null before the first line. */
  earliest: number | null;
  latest: number | null;
}

/** Earlier versions lack them. */
type NewMember = "future" | "days" | "written";

export interface KeptSite extends Pick<SiteLog, "domain" | "pageviews"> {
  /** Those that the program knew which wrote it. */
  fields: Partial<SiteLog["fields"]>;
  first: number | null;
  last: number | null;
  late: Record<string, number>;
  /** As in `SiteLog`. */
  lost: Record<string, Damage>;
  settled: string;
  places: Dimension[];
  /** By date of an open day, the salt of its hashes in base64, how many parts of the journal it has, and its counts at the last save. */
  open: Record<string, { salt: string; parts: number; counts: ShortSummary }>;
  /** The hash of the list of its closed days; null if there is none. */
  days: string | null;
  /** The closed days, as spans such as `2026-11-01/2026-11-20`: if their list is lost, they are named. */
  closed: string[];
}

/** What a journal needs to be read. */
export const readNamedDay = ({ salt, parts }: KeptSite["open"][string]) => ({
  salt: Buffer.from(salt, "base64"),
  parts,
});

/** An earlier version of this program wrote it. */
export class EarlierFormat extends DamagedFile {
  constructor(path: string) {
    super(path, "an earlier version of this program wrote it");
  }
}

/** A newer version of this program wrote it. */
export class NewerFormat extends Error {
  constructor() {
    super("a newer version of this program wrote it");
  }
}

/** The manifest is written twice: all other files can be read without it, but what belongs to open days cannot. */
export const copyOf = (path: string): string => `${path}.copy`;

/**
 * Undefined if there is none. Throws DamagedFile if neither it nor its copy can be read, EarlierFormat, NewerFormat, or what the
 * system throws.
 *
 * @param onDamage Called if only the copy can be read.
 */
export function readManifest(
  path: string,
  definition: number,
  onDamage: (damage: DamagedFile) => void = () => {},
): Manifest | undefined {
  let damage: DamagedFile;
  try {
    const found = readOne(path, definition);
    if (found !== undefined || !existsSync(copyOf(path))) return found;
    damage = new DamagedFile(path, "it is missing");
  } catch (error) {
    if (!(error instanceof DamagedFile) || error instanceof EarlierFormat) throw error;
    damage = error;
  }
  const copy = readCopy(copyOf(path), definition);
  if (copy === undefined) throw damage;
  onDamage(damage);
  return copy;
}

function readCopy(path: string, definition: number): Manifest | undefined {
  try {
    return readOne(path, definition);
  } catch (error) {
    if (error instanceof DamagedFile) return undefined;
    throw error;
  }
}

/** The first line is the SHA-256 of the rest, which is JSON. Throws DamagedFile, NewerFormat, or what the system throws. */
export function readOne(path: string, definition: number): Manifest | undefined {
  let text: string;
  try {
    text = readOwn(path).toString();
  } catch (error) {
    if (readErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const [check = "", ...rest] = text.split("\n");
  const json = rest.join("\n");
  if (hashFile(json) !== check) throw new DamagedFile(path, "its bytes have changed");
  const manifest = JSON.parse(json);
  if (manifest.format > FORMAT || manifest.definition > definition) throw new NewerFormat();
  if (manifest.format < FORMAT) throw new EarlierFormat(path);
  return manifest;
}

/** All that reading the logs has found. */
export interface LogState {
  contents: readonly LogContent[];
  unreadFiles: ReadonlyMap<string, UnreadFile>;
  /** For comparison with the lines of other contents. */
  marks: readonly NewMarks[];
  sites: readonly SiteLog[];
  logs: HistoryLogs;
}

/** Whether all lines that were read of some contents count in a manifest, too, by the same options. */
export function hasLines(
  manifest: Manifest,
  { contents, sites, logs }: Pick<LogState, "contents" | "sites" | "logs">,
): boolean {
  const others = [...manifest.contents];
  const isRead = ({ fingerprint, read }: LogContent) => {
    const at = others.findIndex((other) => other.fingerprint === fingerprint && other.read >= read);
    return at >= 0 && others.splice(at, 1).length > 0;
  };
  // Late lines were read, and do not count.
  const isLate = ({ domain, late }: KeptSite) => {
    const known = sites.find((site) => site.domain === domain)?.late;
    return Object.entries(late).some(([date, lines]) => lines > (known?.get(date) ?? 0));
  };
  const isSame =
    JSON.stringify([logs.options, logs.names]) ===
    JSON.stringify([manifest.logs.options, manifest.logs.names]);
  return isSame && contents.every(isRead) && !manifest.sites.some(isLate);
}

export function writeManifest(path: string, manifest: Omit<Manifest, "format">): void {
  const json = `${JSON.stringify({ format: FORMAT, ...manifest })}\n`;
  const text = `${hashFile(json)}\n${json}`;
  writeWhole(path, text);
  writeWhole(copyOf(path), text);
}
