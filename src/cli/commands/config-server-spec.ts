import { type Access, findImplicitProfile, readAccess } from "../../config/access.ts";
import { isLoopback } from "../../config/base-url.ts";
import { readEndpoint } from "../../config/endpoint-url.ts";
import { DEFAULT_PROFILE, listProfiles } from "../../config/profiles.ts";
import { readService } from "../../config/service-url.ts";
import { findHostedAddress, findNamedService } from "../../config/services.ts";
import { readVariable } from "../../config/variables.ts";
import { AnalyticsError } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import type { Machine, Platform } from "../../setup/machine.ts";
import type { McpClient } from "../../setup/mcp-client.ts";
import { type LocalServer, needsKey, type ServerSpec } from "../../setup/server-spec.ts";
import { assertNotStdin, findLocal, listAllWords } from "../../sources/local-choice.ts";
import { localKinds } from "../../sources/local-kinds.ts";
import type { LocalChoice, SourceFlags } from "../../sources/source-types.ts";
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

/** Throws AnalyticsError `usage` for options that do not fit, and what reading key and address throws. */
export function readServerSpec(io: Io, client: McpClient, flags: ConfigFlags, machine: Machine): ServerSpec {
  const { name } = flags;
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    throw createConfigError(
      "--name must be a letter followed by letters, digits, - or _",
      "For example: --name analytics",
    );
  }
  return { name, platform: machine.platform, server: readServer(io, client, flags, machine) };
}

/** Throws AnalyticsError `usage` if a placeholder would be written in place of a key. */
export function assertWritable({ environment }: Io, client: McpClient, spec: ServerSpec): void {
  const { server } = spec;
  if (server.kind === "remote" || client.key !== undefined || !needsKey(spec)) return;
  if (server.apiKey !== undefined && server.baseUrl !== undefined) return;
  const names = listProfiles(environment);
  throw createConfigError(
    `${client.title} would get a placeholder instead of a key`,
    names.length === 0
      ? "Save a key first: analytics-mcp login. Or use --with-key to write this shell's key, or --demo, which needs none."
      : `Name a saved profile with --profile (${names.join(", ")}). Or use --with-key to write this shell's key, or --demo, which needs none.`,
  );
}

function readServer(
  { environment }: Io,
  client: McpClient,
  flags: ConfigFlags,
  machine: Machine,
): ServerSpec["server"] {
  if (flags.remote !== undefined) {
    if (findLocal(flags, {}) !== undefined || flags.withKey || flags.profile !== undefined) {
      throw createConfigError(
        `--remote cannot be used with ${LOCAL_OPTIONS.join(", ")}, --profile or --with-key`,
        "People enter their key on the connector's page.",
      );
    }
    return { kind: "remote", url: readEndpoint(flags.remote, "--remote") };
  }
  const local = findLocal(flags, flags.withKey || !machine.isHere ? {} : environment);
  if (flags.withKey && local !== undefined) {
    const { flag } = local.kind.option;
    throw createConfigError(`Use --with-key or ${flag}, not both`, `${flag} needs no key.`);
  }
  assertNotStdin(local, "An assistant's server");
  assertSecretInFile(local, environment);
  const profile = local ? local.profile : readProfileName(environment, flags, machine);
  const options = local ? listAllWords(local) : readOptions(environment, flags, profile);
  if (options.length > 0 || profile !== undefined) {
    const allowHttp = readPlainHosts(local, environment);
    // The profile's own is in the profile.
    const mapping = local ? undefined : readAccess(flags, environment).mapping?.file;
    return { kind: "local", options, profile, baseUrl: undefined, mapping, allowHttp, apiKey: undefined };
  }
  if (flags.withKey && client.key !== undefined) {
    throw createConfigError(
      `--with-key is for clients that cannot read the key from elsewhere; ${client.title} reads it from ${client.key.from}`,
      "Leave it out.",
    );
  }
  return { kind: "local", options, ...readShellService(environment, flags) };
}

/** The service that this shell knows, with its key if `--with-key` asks for it. */
function readShellService(
  environment: Io["environment"],
  flags: ConfigFlags,
): Pick<LocalServer, "baseUrl" | "service" | "siteTimezones" | "mapping" | "allowHttp" | "apiKey"> {
  const access = flags.withKey ? readShellAccess(flags, environment) : undefined;
  const isKnown =
    (flags.baseUrl ?? environment.ANALYTICS_BASE_URL?.trim() ?? "") !== "" ||
    findHostedAddress(findNamedService(flags, environment)) !== undefined;
  const known = access ?? (isKnown ? readService(flags, environment) : undefined);
  const { baseUrl, service, siteTimezones } = known ?? {};
  const isPlain = baseUrl?.startsWith("http:") && !isLoopback(new URL(baseUrl).hostname);
  return {
    baseUrl: service === undefined ? baseUrl?.slice(0, -BASE_PATH.length) : baseUrl,
    service,
    siteTimezones,
    mapping: known?.mapping?.file,
    allowHttp: isPlain ? environment.ANALYTICS_ALLOW_HTTP : undefined,
    apiKey: access?.apiKey,
  };
}

/** Throws AnalyticsError `usage` if the data is read with a secret of this shell, which an assistant does not see. */
function assertSecretInFile(local: LocalChoice | undefined, environment: Io["environment"]): void {
  const { variable, option } = local?.kind.secret ?? {};
  if (variable === undefined || readVariable(environment, variable) === undefined) return;
  if (local?.options.includes(option ?? "")) return;
  throw createConfigError(
    `An assistant's server does not see the ${variable} of this shell`,
    `Put it into a file that only you can read, and name the file: ${option} /path/to/file`,
  );
}

/** The hosts to which a source may send its password over plain http. */
const readPlainHosts = (local: LocalChoice | undefined, environment: Io["environment"]) =>
  local?.kind.secret && readVariable(environment, "ANALYTICS_ALLOW_HTTP");

/** The key of this shell and its address. A saved profile's key stays where it is. */
function readShellAccess(flags: ConfigFlags, environment: Io["environment"]): Access {
  if (flags.apiKeyFile === undefined && !flags.apiKeyStdin && environment.ANALYTICS_API_KEY?.trim())
    return readAccess(flags, environment);
  throw createConfigError(
    "--with-key writes the key in ANALYTICS_API_KEY, which is not set in this shell",
    "Set it, or leave out --with-key: with analytics-mcp login, the server finds the saved key itself.",
  );
}

/** The profile to use in place of a key and address. Throws AnalyticsError if it does not exist. */
function readProfileName(environment: Io["environment"], flags: ConfigFlags, machine: Machine) {
  if (flags.withKey && flags.profile !== undefined) {
    const why = "A profile keeps the key out of the file.";
    throw createConfigError("Use --with-key or --profile, not both", why);
  }
  // Another machine has other profiles.
  const mayFind = machine.isHere && !flags.withKey;
  const name = flags.profile ?? (mayFind ? findImplicitProfile(flags, environment) : undefined);
  if (name !== undefined) readAccess(flags, environment);
  return name;
}

/** The server's options. A client does not share this shell's environment, so a profile named there is passed on. */
function readOptions(environment: Io["environment"], flags: ConfigFlags, profile: string | undefined) {
  if (profile === undefined) return [];
  const isNamed =
    flags.profile !== undefined ||
    (profile !== DEFAULT_PROFILE && readVariable(environment, "ANALYTICS_PROFILE") !== undefined);
  return isNamed ? ["--profile", profile] : [];
}

export const createConfigError = (reason: string, hint: string): AnalyticsError =>
  new AnalyticsError("usage", `${reason}.`, { hint });
