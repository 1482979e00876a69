import type { Readable } from "node:stream";
import type { LogFormat } from "./reading/log-line.ts";

/** How logs are read and counted. A change of any of these can change the counts. */
export interface LogSettings {
  /** Globs of files, and the site that these files are about, if it was given. */
  files: readonly { glob: string; site?: string | undefined }[];
  /** Opens standard input, for the file `-`; undefined where it must not be read. */
  stdin?: (() => Readable) | undefined;
  /** If undefined, each file's format is recognized by its first lines. */
  format?: LogFormat | undefined;
  /** IANA name. */
  timezone: string;
  /** The domains to count; empty for those that the log names. */
  sites: readonly string[];
  /** The site of lines that name no host. */
  onlySite?: string | undefined;
  excludePaths: readonly string[];
  excludeAddresses: readonly string[];
  /** Parameters of a page's query that are part of its path. */
  keepQuery: readonly string[];
  /** How many proxies in front of the server add the address that they saw to X-Forwarded-For. */
  trustForwarded: number;
  /** A database of places in MaxMind's format. `name` stays the same if an update changes the path. */
  geoip?: { name: string; path: string } | undefined;
  /** Count visitors even where all addresses seem to be a proxy's. */
  acceptProxyAddresses: boolean;
  /** How many days of history to keep, today included; all if undefined. */
  keep?: number | undefined;
}

/** Where an address is, as far as the database knows. */
export interface Place {
  country?: string | null | undefined;
  region?: string | null | undefined;
  city?: string | null | undefined;
}
