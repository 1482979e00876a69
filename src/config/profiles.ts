import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AnalyticsError, quoteWord, readErrorCode } from "../errors.ts";
import { findConfigFolder } from "./folders.ts";
import type { SavedMapping } from "./given-mapping.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { replaceFile } from "./replace-file.ts";
import { type ServiceName, type SiteTimezones, serviceNames } from "./services.ts";
import { explainSystemError } from "./system-error.ts";
import type { Environment } from "./variables.ts";

/** A service, the key for it, and the site to use when a query names none. */
export interface Profile {
  baseUrl: string;
  apiKey: string;
  site?: string | undefined;
  /** The service, if it has an API of its own in place of the contract. */
  service?: ServiceName | undefined;
  /** The timezones of sites that the service does not tell. */
  siteTimezones?: SiteTimezones | undefined;
  /** Where a service that only describes itself has its fields, as far as the person chose. */
  mapping?: SavedMapping | undefined;
}

/** A source in this process: the values of its command-line options, in place of address and key. */
export interface LocalProfile {
  options: Readonly<Record<string, unknown>>;
}

export const DEFAULT_PROFILE = "default";

const NAME = /^[a-z0-9][a-z0-9_-]{0,49}$/;

/** The folder of the profiles, one file each, so that two logins at the same time cannot undo each other. */
export function findProfileFolder(environment: Environment): string | undefined {
  const folder = findConfigFolder(environment);
  return folder === undefined ? undefined : join(folder, "profiles");
}

/** The file of a profile, which need not exist. Throws AnalyticsError `usage` for an invalid name. */
export function findProfileFile(environment: Environment, name: string): string {
  if (!NAME.test(name)) {
    throw new AnalyticsError("usage", `${quoteWord(name)} is not a valid profile name.`, {
      hint: "Use lower-case letters, digits, - and _, for example: --profile acme",
    });
  }
  const folder = findProfileFolder(environment);
  if (folder === undefined) {
    throw new AnalyticsError(
      "usage",
      "There is no folder for profiles: neither HOME nor XDG_CONFIG_HOME is set.",
      {
        hint: "Set one of them, or give the key as ANALYTICS_API_KEY.",
      },
    );
  }
  return join(folder, `${name}.json`);
}

/** The names of all profiles, sorted; empty if the folder cannot be read. */
export function listProfiles(environment: Environment): string[] {
  const folder = findProfileFolder(environment);
  if (folder === undefined) return [];
  try {
    const names = readdirSync(folder).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []));
    return names.filter((name) => NAME.test(name)).sort();
  } catch {
    return [];
  }
}

/** Throws AnalyticsError `no_api_key` if the profile does not exist or its file is damaged. */
export function readProfile(environment: Environment, name: string): Profile {
  const file = findProfileFile(environment, name);
  try {
    const content = JSON.parse(readRegularFile(file).toString());
    if (isLocalProfile(content)) throw createLocalProfileError(name);
    return parseProfile(content);
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause;
    const code = readErrorCode(cause);
    if (code === "ENOENT") throw createUnknownProfileError(environment, name);
    // JSON.parse's own message would quote the file, and with it the key.
    const reason =
      code === undefined
        ? "its file is damaged"
        : `its file cannot be read, because ${explainSystemError(cause)}`;
    throw new AnalyticsError("no_api_key", `The profile ${name} cannot be used: ${reason}.`, {
      hint: `Save it again: analytics-mcp login --profile ${name}`,
    });
  }
}

/** The options of a profile that is for a source in this process; undefined for any other, damaged or missing one. */
export function readProfileOptions(environment: Environment, name: string) {
  try {
    const content: unknown = JSON.parse(readRegularFile(findProfileFile(environment, name)).toString());
    return isLocalProfile(content) ? content.options : undefined;
  } catch {
    return undefined;
  }
}

function isLocalProfile(content: unknown): content is LocalProfile {
  const { options }: { options?: unknown } = Object(content);
  return typeof options === "object" && options !== null && !Array.isArray(options);
}

const createLocalProfileError = (name: string): AnalyticsError =>
  new AnalyticsError("no_api_key", `The profile ${name} has no key: it is for data on this machine.`, {
    hint: "To ask that data, leave out --base-url, --service and --mapping. To ask a service, set ANALYTICS_API_KEY, or give --api-key-file, or save its key: analytics-mcp login --profile <name> --base-url <url>",
  });

/** Keeps a profile's known members. Without zod, which would slow down every start. Throws TypeError. */
function parseProfile({ baseUrl, apiKey, site, service, siteTimezones, mapping }: Profile): Profile {
  const isText = [baseUrl, apiKey, site ?? "", service ?? ""].every((value) => typeof value === "string");
  const isKnown = service === undefined || serviceNames.includes(service);
  if (!isText || !isKnown || !isTextMap(siteTimezones) || !isMap(mapping))
    throw new TypeError("This is not a profile.");
  return {
    baseUrl,
    apiKey,
    site,
    ...(service && { service }),
    ...(siteTimezones && { siteTimezones }),
    ...(mapping && { mapping }),
  };
}

const isMap = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));
const isTextMap = (value: unknown): boolean =>
  isMap(value) && Object.values(value ?? {}).every((text) => typeof text === "string");

/**
 * Saves a profile and returns its file. Only the owner can read it, and other programs never see it half-written.
 * Throws AnalyticsError `usage`.
 */
export function writeProfile(environment: Environment, name: string, content: Profile | LocalProfile) {
  const file = findProfileFile(environment, name);
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const path of [folder, dirname(folder)]) chmodSync(path, 0o700);
    replaceFile(file, `${JSON.stringify("options" in content ? content : parseProfile(content), null, 2)}\n`);
  } catch (cause) {
    throw new AnalyticsError(
      "usage",
      `The profile cannot be saved in ${folder}: ${explainSystemError(cause)}.`,
      {
        hint: "Set XDG_CONFIG_HOME to a folder you can write to.",
        cause,
      },
    );
  }
  return file;
}

/** Throws AnalyticsError `no_api_key` if the profile does not exist. */
export function removeProfile(environment: Environment, name: string): void {
  const file = findProfileFile(environment, name);
  try {
    rmSync(file);
  } catch (cause) {
    if (readErrorCode(cause) === "ENOENT") {
      const isEmpty = listProfiles(environment).length === 0;
      const hint = isEmpty ? "There is nothing to remove." : "List them: analytics-mcp whoami --all";
      throw createUnknownProfileError(environment, name, hint);
    }
    throw new AnalyticsError("usage", `${file} cannot be removed: ${explainSystemError(cause)}.`, { cause });
  }
}

function createUnknownProfileError(
  environment: Environment,
  name: string,
  hint = `Create it: analytics-mcp login --profile ${name}`,
): AnalyticsError {
  const names = listProfiles(environment);
  const known = names.length === 0 ? "None is saved yet." : `There are: ${names.join(", ")}.`;
  return new AnalyticsError("no_api_key", `There is no profile ${name}. ${known}`, { hint });
}
