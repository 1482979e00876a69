import type { Readable } from "node:stream";
import type { HttpClientOptions } from "../client/http-client.ts";
import type { Fetch } from "../client/http-request.ts";
import type { Access, AccessFlags } from "../config/access.ts";
import type { Environment } from "../config/variables.ts";
import type { Call } from "../operations/call.ts";
import type { DataSource } from "./data-source.ts";
import type { Keyring } from "./keyring.ts";

/** How a source is spoken of. */
export interface About {
  /** What it is, for people: `made-up data`. */
  label: string;
  /** Stands with every answer that a model gets. */
  note?: string;
  /** Told to a model before it asks. */
  instruction?: string;
  /** Stands on the pages where people are asked for a key. */
  notice?: { title: string; text: string };
}

/** What a source is opened with. */
export interface SourceContext {
  environment: Environment;
  /** Milliseconds since 1970. */
  clock: () => number;
  readonly stdin: Readable & { isTTY?: boolean };
  /** Shown to the person who runs the program. */
  warn: (text: string) => void | Promise<void>;
}

/**
 * A kind of source in this process, as the command line knows it: light, so that every start can afford to load it; what
 * it takes to answer is loaded by `open`.
 */
export interface LocalKind {
  /** The option that chooses it, for commander. */
  option: { flag: `--${string}`; description: string };
  about: About;
  open(context: Pick<SourceContext, "clock">): Promise<DataSource>;
  /** Where several organizations share it: who may see what, and keys that anyone may know. */
  openKeyring?(context: Pick<SourceContext, "clock">): Promise<{ find: Keyring; publicKeys: string[] }>;
}

export interface SourceDescription {
  about: About;
  /** The options of the shell that choose it again: `--demo`, or `--profile` and its name. */
  options: readonly string[];
}

interface Asked extends SourceDescription {
  call: Call;
}

export interface LocalSource extends Asked {
  kind: "local";
  local: LocalKind;
}

export interface ServiceSource extends Asked {
  kind: "service";
  /** Which service, with which key, and where both were found. Throws as `config/access.ts` says. */
  readAccess(): Promise<Access>;
}

/** What the questions of one person go to. */
export type Source = LocalSource | ServiceSource;

/** What a server of many people asks, each with a key of their own. */
export interface KeyedSource {
  /** Whose keys they are, for people: the origin of the service, or what the data is. */
  name: string;
  about: About;
  /** A key that anyone may know and use. */
  publicKey?: string | undefined;
  /** Asks with a key; a key that opens nothing rejects with `invalid_api_key`, status 401. */
  open(apiKey: string, options?: OpenOptions): Call;
}

export interface OpenOptions {
  limits?: HttpClientOptions["limits"];
  /** Stands around every request to a service. */
  wrapFetch?: ((fetch: Fetch) => Fetch) | undefined;
}

/** The command line, with an attribute for each option that chooses a kind. */
export interface SourceFlags extends AccessFlags {
  readonly [option: string]: unknown;
}
