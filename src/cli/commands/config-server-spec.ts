import { findSilentProfile, readAccess } from "../../config/access.ts";
import { isLoopback } from "../../config/base-url.ts";
import { DEFAULT_PROFILE, listProfiles } from "../../config/profiles.ts";
import { readServiceUrl } from "../../config/service-url.ts";
import { readVariable } from "../../config/variables.ts";
import { AnalyticsError } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import { type Client, needsKey } from "../../setup/client.ts";
import type { Machine, Platform } from "../../setup/machine.ts";
import type { Wish } from "../../setup/wish.ts";
import { localKinds } from "../../sources/local-kinds.ts";
import { findLocalKind } from "../../sources/resolve-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";

const LOCAL_OPTIONS = localKinds.map(({ option }) => option.flag);

/** What `analytics-mcp config` takes. */
export interface ConfigFlags extends SourceFlags {
  remote?: string;
  name: string;
  platform?: Platform;
  json?: boolean;
  write?: boolean;
  dryRun?: boolean;
  force?: boolean;
  withKey?: boolean;
  file?: string;
}

/** Throws AnalyticsError `usage` for what no client can be told, and as the configuration does for key and address. */
export function readWish(io: Io, client: Client, flags: ConfigFlags, machine: Machine): Wish {
  const { name } = flags;
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    throw refuse("--name is a letter and then letters, digits, - and _", "Such as: --name analytics");
  }
  return { name, platform: machine.platform, server: readServer(io, client, flags, machine) };
}

/** Throws AnalyticsError `usage` for what would put a placeholder where the client looks for a key. */
export function assertWritable({ environment }: Io, client: Client, wish: Wish): void {
  const { server } = wish;
  if (server.kind === "remote" || client.keyFrom !== undefined || !needsKey(wish)) return;
  if (server.apiKey !== undefined && server.baseUrl !== undefined) return;
  const names = listProfiles(environment);
  throw refuse(
    `${client.title} would get a placeholder in place of a key`,
    names.length === 0
      ? "Save a key first: analytics-mcp login. Or --with-key writes the key of this shell, and --demo needs none."
      : `Name a saved profile with --profile (${names.join(", ")}). Or --with-key writes the key of this shell, and --demo needs none.`,
  );
}

function readServer(
  { environment }: Io,
  client: Client,
  flags: ConfigFlags,
  machine: Machine,
): Wish["server"] {
  if (flags.remote !== undefined) {
    if (findLocalKind(flags) !== undefined || flags.withKey || flags.profile !== undefined) {
      throw refuse(
        `--remote goes with none of ${LOCAL_OPTIONS.join(", ")}, --profile and --with-key`,
        "Keys are given to the connector's page.",
      );
    }
    return { kind: "remote", url: readRemote(flags.remote) };
  }
  const profile = readProfileName(environment, flags, machine);
  const options = readOptions(environment, flags, profile);
  if (options.length > 0 || profile !== undefined) {
    return { kind: "local", options, profile, baseUrl: undefined, allowHttp: undefined, apiKey: undefined };
  }
  if (flags.withKey && client.keyFrom !== undefined) {
    throw refuse(
      `--with-key is for clients that cannot get at the key otherwise; ${client.title} takes it from ${client.keyFrom}`,
      "Leave it out.",
    );
  }
  const access = flags.withKey ? readAccess(flags, environment) : undefined;
  const isKnown = (flags.baseUrl ?? environment.ANALYTICS_BASE_URL?.trim() ?? "") !== "";
  const url = access?.baseUrl ?? (isKnown ? readServiceUrl(flags, environment) : undefined);
  const isPlain = url?.startsWith("http:") && !isLoopback(new URL(url).hostname);
  return {
    ...{ kind: "local", options },
    baseUrl: url?.slice(0, -BASE_PATH.length),
    allowHttp: isPlain ? environment.ANALYTICS_ALLOW_HTTP : undefined,
    apiKey: access?.apiKey,
  };
}

/** The profile in place of key and address. Throws AnalyticsError where there is no such profile. */
function readProfileName(
  environment: Io["environment"],
  flags: ConfigFlags,
  machine: Machine,
): string | undefined {
  if (findLocalKind(flags) !== undefined) return undefined;
  if (flags.withKey && flags.profile !== undefined) {
    throw refuse("--with-key and --profile exclude each other", "A profile keeps the key out of the file.");
  }
  // Another machine has profiles of its own.
  const isSilent = machine.isHere && !flags.withKey;
  const name = flags.profile ?? (isSilent ? findSilentProfile(flags, environment) : undefined);
  if (name !== undefined) readAccess(flags, environment);
  return name;
}

/** What the server has to be told. The client's own environment need not name the profile that this shell's does. */
function readOptions(
  environment: Io["environment"],
  flags: ConfigFlags,
  profile: string | undefined,
): string[] {
  const local = findLocalKind(flags);
  if (local !== undefined) return [local.option.flag];
  if (profile === undefined) return [];
  const isNamed =
    flags.profile !== undefined ||
    (profile !== DEFAULT_PROFILE && readVariable(environment, "ANALYTICS_PROFILE") !== undefined);
  return isNamed ? ["--profile", profile] : [];
}

/** The connector's endpoint. It has no query, and nothing in its path that a shell would read. */
function readRemote(text: string): string {
  const hint = "It looks like https://mcp.example.com/mcp.";
  if (!URL.canParse(text)) throw refuse("--remote is no address", hint);
  const { protocol, hostname, username, password, search, hash, pathname, href } = new URL(text);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname))) {
    throw refuse("--remote starts with https://, since sign-ins go there", hint);
  }
  if (`${username}${password}${search}${hash}` !== "") {
    throw refuse("--remote has no user, query or fragment", hint);
  }
  if (pathname === "/") throw refuse("--remote names the endpoint, not the site alone", hint);
  if (!/^[\w./~-]+$/.test(pathname))
    throw refuse("--remote has signs in its path that no connector has", hint);
  return href;
}

export function refuse(reason: string, hint: string): AnalyticsError {
  return new AnalyticsError("usage", `${reason}.`, { hint });
}
