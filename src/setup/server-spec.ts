import type { Platform } from "./machine.ts";

/** What a person wants set up in a client. */
export interface ServerSpec {
  /** The server's name in the client: letters, digits, `-` and `_`, so that every format takes it bare. */
  name: string;
  platform: Platform;
  server: LocalServer | RemoteServer;
}

export interface LocalServer {
  kind: "local";
  /** With what it is started in place of key and address: `--demo`, or `--profile` and a name; else nothing. */
  options: readonly string[];
  /** The profile of this machine that it finds or is told of: it has key and address. */
  profile?: string | undefined;
  /** Where the service is, as far as known; without `/api/v1`. */
  baseUrl: string | undefined;
  /** Hosts to which plain http was allowed by name. */
  allowHttp: string | undefined;
  /** Only where a person asked by name for the key itself to be written into the file. */
  apiKey: string | undefined;
}

export interface RemoteServer {
  kind: "remote";
  url: string;
}

/** A member of a configuration file. */
export type Value = string | number | boolean | Value[] | { [key: string]: Value };
export type Members = { [key: string]: Value };
