import type { Readable } from "node:stream";
import type { HttpClientOptions } from "../client/http-client.ts";
import type { Fetch } from "../client/http-request.ts";
import type { Access, AccessFlags } from "../config/access.ts";
import type { SiteSelection } from "../config/site-patterns.ts";
import type { Environment } from "../config/variables.ts";
import type { Call } from "../operations/call.ts";
import type { Dimension } from "../operations/dimensions.ts";
import type { PartialSource } from "./data-source.ts";
import type { Keyring } from "./keyring.ts";

/** How a source is described to people and models. */
export interface About {
  /** A short name for people: `made-up data`. */
  label: string;
  /** Added to every answer for a model. */
  note?: string;
  /** Part of the server's instructions for a model. */
  instruction?: string;
  /** What can be read, if it is not all that a service has: `visitors, pages and referrers`. */
  reads?: string;
  /** What it never has, whoever asks: models are offered neither these tools nor these dimensions. */
  lacks?: { tools: readonly string[]; dimensions?: readonly Dimension[] };
  /** Where a service with an API of its own keeps people's keys. */
  keyPlace?: string;
  /** Shown on the pages that ask people for a key. */
  notice?: { title: string; text: string };
}

/** What opening a source needs. */
export interface SourceContext {
  environment: Environment;
  /** Milliseconds since 1970. */
  clock: () => number;
  readonly stdin: Readable & { isTTY?: boolean };
  /** Shows a sentence to the person who runs the program. */
  warn: (text: string) => void | Promise<void>;
  /** Turns the error of somebody who has no key into one that says what to do there. */
  explain?: ((error: unknown) => Promise<unknown>) | undefined;
}

/** A command-line option of a source. */
export interface SourceOption {
  flag: `--${string}`;
  /** What it takes, such as `<glob>`; absent for a switch. */
  value?: `<${string}>`;
  description: string;
  isRepeatable?: true;
  /** All values that it takes. */
  choices?: readonly string[];
  /** Whether its values are paths, which a program started in another folder needs as absolute paths. */
  isPath?: true;
}

/** What opening a source in this process needs. */
export interface LocalContext extends Pick<SourceContext, "clock" | "environment"> {
  /** Shows a sentence to the person who runs the program. */
  warn?: SourceContext["warn"];
  /** The values of the source's options, from the command line, the environment or a profile. */
  flags: SourceFlags;
  /** Whether options that differ from what the source has saved take their place; else they are refused. */
  mayChange?: boolean;
  /** Opens standard input for a source that is asked to read it; absent where it has another use. */
  openStdin?: () => Readable;
}

/**
 * A kind of data source in this process. Every start loads it, so it must be small: `open` imports the code that reads
 * the data.
 */
export interface LocalKind {
  /** The command-line option that chooses it. */
  option: SourceOption;
  /** Further options, which only it takes. */
  settings?: readonly SourceOption[];
  /** The environment variable that chooses it, and how its text becomes flags. */
  variable?: { name: string; read(text: string): SourceFlags };
  about: About;
  /** What can be read with these options, if it is not all that a service has. */
  reads?(flags: SourceFlags): string;
  /** The variable with the secret that reading the data needs, and the option that names a file with it. */
  secret?: { variable: string; option: string };
  /** The site to use when a query names none. */
  site?: string;
  /** What the doctor checks in its data, in order. */
  checks?: readonly LocalCheck[];
  /** Set if it reads files of this machine. */
  readsFiles?: true;
  /** Set if its data may lack the name of the site, which `--site` then gives. */
  takesSite?: true;
  open(context: LocalContext): Promise<PartialSource>;
  /** For a source with organizations of its own: finds the data of each key, and lists the public keys. */
  openKeyring?(context: LocalContext): Promise<LocalKeyring>;
  /** For a source that the organizations of a keys file can share: opens it once for all of them. */
  openViews?(context: LocalContext): Promise<OpenView>;
  /** The sites of its data as it was last read, without reading it now; undefined if it was never read. */
  recallSites?(context: LocalContext): Promise<ListOwnSites | undefined>;
}

export interface LocalCheck {
  name: string;
  /**
   * Returns what it found, for people, or what numbers lack, with the next step. Throws AnalyticsError for what is wrong, with the
   * next step as its hint.
   */
  run(context: LocalContext): Promise<string | { warning: string; fix: string }>;
}

export interface LocalKeyring {
  find: Keyring;
  publicKeys: string[];
}

/** Opens a view of some sites of a source, as if there were no others. */
export type OpenView = (selection: SiteSelection) => PartialSource;

/** A source in this process that flags, environment or a profile chose. */
export interface LocalChoice {
  kind: LocalKind;
  flags: SourceFlags;
  /** The words that choose it on a command line. */
  options: readonly string[];
  /** Where the choice was found, for people. */
  from: string;
  /** The saved profile that it is from. */
  profile?: string | undefined;
  /** Whether `site` in `flags` is the profile's, as far as it has one. */
  isSavedSite?: boolean;
}

export interface SourceDescription {
  about: About;
  /** The words that choose it on a command line: `--demo`, or `--profile` and its name. */
  options: readonly string[];
}

interface CallableSource extends SourceDescription {
  call: Call;
}

export interface LocalSource extends CallableSource {
  kind: "local";
  local: LocalChoice;
}

export interface ServiceSource extends CallableSource {
  kind: "service";
  /** Which service and key, and where both were found. Throws as `readAccess` in `config/access.ts` does. */
  readAccess(): Promise<Access>;
}

/** The source of one person's queries. */
export type Source = LocalSource | ServiceSource;

/** The source of a server with many users, each with their own key. */
export interface KeyedSource {
  /** What the keys are for, shown to people: the service's origin, or the kind of data. */
  name: string;
  about: About;
  /** The words that choose it on the command line of a server. */
  options?: readonly string[];
  /** A key that anyone may use. */
  publicKey?: string | undefined;
  /** Whether a key is known here; absent if only a call shows it. */
  accepts?: (apiKey: string) => boolean;
  /** Whose key it is, and its id, as the keys file has them. Undefined if there is no such file, or no such key. */
  identify?: (apiKey: string) => { organization: string; key: string } | undefined;
  /** Reads the data ahead of the first call. What fails is reported to the operator. */
  prepare?: () => Promise<void>;
  /** The calls of one key. With an invalid key they reject with `invalid_api_key`, status 401. */
  open(apiKey: string, options?: OpenOptions): Call;
}

export interface OpenOptions {
  limits?: HttpClientOptions["limits"];
  /** Wraps every request to a service. */
  wrapFetch?: ((fetch: Fetch) => Fetch) | undefined;
}

/** Command-line flags, with an attribute for each option that chooses a local source. */
export interface SourceFlags extends AccessFlags {
  readonly [option: string]: unknown;
}

/** Lists the domains of those sites that some data has. */
export type ListOwnSites = (selection: SiteSelection) => readonly string[] | Promise<readonly string[]>;
