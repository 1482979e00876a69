import type { ServiceName, SiteTimezones } from "../config/services.ts";
import type { Platform } from "./machine.ts";

/** The server that a person wants to add to an MCP client. */
export interface ServerSpec {
  /** The server's name in the client: letters, digits, `-` and `_`, which need no quotes in any format. */
  name: string;
  platform: Platform;
  server: LocalServer | RemoteServer;
}

export interface LocalServer {
  kind: "local";
  /** Options that replace key and address: `--demo`, or `--profile` and a name. Otherwise empty. */
  options: readonly string[];
  /** The saved profile that provides key and address. */
  profile?: string | undefined;
  /** The service's address without `/api/v1`, if known. */
  baseUrl: string | undefined;
  /** The service, if it has an API of its own, and the timezones that it does not tell. */
  service?: ServiceName | undefined;
  siteTimezones?: SiteTimezones | undefined;
  /** The file that says where a service that only describes itself has its fields. */
  mapping?: string | undefined;
  /** Hosts for which plain http is allowed (`ANALYTICS_ALLOW_HTTP`). */
  allowHttp: string | undefined;
  /** Set only if a person asked to write the key itself into the file. */
  apiKey: string | undefined;
}

export interface RemoteServer {
  kind: "remote";
  url: string;
}

/** Whether the client has to provide a key. */
export const needsKey = ({ server }: ServerSpec): boolean =>
  server.kind === "local" && server.options.length === 0 && server.profile === undefined;

/** A value in a configuration file. */
export type Value = string | number | boolean | Value[] | { [key: string]: Value };
export type Members = { [key: string]: Value };
