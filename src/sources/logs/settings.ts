import type { Readable } from "node:stream";
import { quoteForShell } from "../../operations/shell-command.ts";
import type { LogCalendar } from "./day-span.ts";
import type { LogFormat } from "./reading/log-line.ts";

/** How logs are read and counted. */
export interface LogSettings {
  /** Globs of files, and the site that these files are about, if it was given. */
  files: readonly LogPattern[];
  /** Whether there may be no file: what was counted of them is known. */
  mayBeGone?: boolean | undefined;
  /** Opens standard input, for the file `-`; undefined where it must not be read. */
  stdin?: (() => Readable) | undefined;
  /** If undefined, each file's format is recognized by its first lines. */
  format?: LogFormat | undefined;
  calendar: LogCalendar;
  /** The domains to show; empty for those that the log names. */
  sites: readonly string[];
  /** The site of lines that name no host, in files whose lines name none. */
  onlySite?: string | undefined;
  /** A site for lines that nothing names, which somebody must confirm. */
  proposedSite?: string | undefined;
  /** The sites that were named: they count however many other hosts there are. */
  named: readonly string[];
  excludePaths: readonly string[];
  excludeAddresses: readonly string[];
  /** Parameters of a page's query that are part of its path. */
  keepQuery: readonly string[];
  /** How many proxies in front of the server add the address that they saw to X-Forwarded-For. */
  trustForwarded: number;
  geoip?: PlaceDatabase | undefined;
  /** Count visitors even where all addresses seem to be a proxy's. */
  acceptProxyAddresses: boolean;
  /** How many days of history to keep, today included; all if undefined. */
  keep?: number | undefined;
  /** The options that were given. The others are those of the history, if there is one. */
  given: Partial<SavedOptions>;
  /** What was typed for `given.timezone`, which may be another name of it: CET for Europe/Brussels. */
  typedTimezone?: string | undefined;
}

export interface LogPattern {
  glob: string;
  site?: string | undefined;
}

/** Patterns as they are typed: `example.com=/var/log/nginx/access.log*`. */
export const formatPatterns = (patterns: readonly LogPattern[]): string[] =>
  patterns.map(({ glob, site }) => (site === undefined ? glob : `${site}=${glob}`));

/** The same as words for a shell. */
export const quotePatterns = (patterns: readonly LogPattern[]): string =>
  formatPatterns(patterns).map(quoteForShell).join(" ");

/** A database of places in MaxMind's format. `name` stays the same if an update changes the path. */
export interface PlaceDatabase {
  name: string;
  path: string;
}

/** The options that are saved with a history, as they are in its manifest. */
export interface SavedOptions {
  /** Null if each file's is recognized. */
  format: string | null;
  timezone: string;
  excludeAddresses: readonly string[];
  keepQuery: readonly string[];
  trustForwarded: number;
  geoip: PlaceDatabase | null;
  keep: number | null;
}

/** Where an address is, as far as the database knows. */
export interface Place {
  country?: string | null | undefined;
  region?: string | null | undefined;
  city?: string | null | undefined;
}
