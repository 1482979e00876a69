import type { Readable } from "node:stream";
import type { LogFormat } from "./log-line.ts";

/** How logs are read and counted. Another answer to any of these is another count. */
export interface LogSettings {
  /** Where the files are: globs, and the domain that a file's lines are about. */
  files: readonly { glob: string; site?: string | undefined }[];
  /** Opens standard input, which the file `-` stands for; undefined where it is not to be read. */
  stdin?: (() => Readable) | undefined;
  /** Undefined: each file's own, by its first lines. */
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
  /** A database of places in MaxMind's format. Its name stays the same where its path does not. */
  geoip?: { name: string; path: string } | undefined;
  /** Count visitors even where all addresses seem to be a proxy's. */
  acceptProxyAddresses: boolean;
}

/** Where an address is, as far as it is known. */
export interface Place {
  country?: string | null | undefined;
  region?: string | null | undefined;
  city?: string | null | undefined;
}
