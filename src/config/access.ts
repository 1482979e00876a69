import { AnalyticsError } from "../errors.ts";
import { readApiKey } from "./api-key.ts";
import { readBaseUrl } from "./base-url.ts";
import { describeExposure, isReadableByOthers } from "./file-permissions.ts";
import { findMapping, type GivenMapping, nameSavedMapping } from "./given-mapping.ts";
import {
  DEFAULT_PROFILE,
  findProfileFile,
  listProfiles,
  readProfile,
  readProfileOptions,
} from "./profiles.ts";
import {
  findHostedAddress,
  findNamedService,
  findSiteTimezones,
  type ServiceName,
  type SiteTimezones,
} from "./services.ts";
import { assertExpanded, type Environment, readVariable } from "./variables.ts";

/** Options of the command line, which take precedence over the environment. No option takes a key itself. */
export interface AccessFlags {
  baseUrl?: string | undefined;
  profile?: string | undefined;
  apiKeyFile?: string | undefined;
  apiKeyStdin?: boolean | undefined;
  service?: string | undefined;
  /** A file. */
  mapping?: string | undefined;
}

export interface Access {
  /** The service with an API of its own; undefined for one of this program's contract. */
  service?: ServiceName | undefined;
  /** The timezones of sites that the service does not tell. */
  siteTimezones?: SiteTimezones | undefined;
  /** Where a service that only describes itself has its fields, as far as the person chose. */
  mapping?: GivenMapping | undefined;
  /** Ends in `/api/v1`, for a service of the contract. */
  baseUrl: string;
  apiKey: string;
  /** The site to use when a query names none. */
  site?: string | undefined;
  /** Where each was found, for people: `--base-url`, `ANALYTICS_API_KEY`, `profile acme`. */
  sources: { baseUrl: string; apiKey: string; site?: string | undefined };
  profile?: string | undefined;
  /** Sentences to show once. */
  warnings: string[];
}

/** A key given by a command-line option, with the option's name. */
export interface GivenKey {
  apiKey: string;
  source: string;
  warnings?: string[];
}

interface Address {
  text: string;
  source: string;
}

/**
 * Finds the service's address and the key to use, from the command line, else the environment, else a profile. A
 * profile named on the command line takes precedence over the environment.
 *
 * A profile's key is only sent to the profile's own address, and its address only gets its own key. So a stray
 * variable or a project's settings cannot send a saved key to a stranger, or one organization's key to another's service.
 *
 * Throws AnalyticsError `no_api_key`, `invalid_api_key`, `no_base_url`, `invalid_base_url` or `usage`; no message
 * repeats a key.
 */
export function readAccess(flags: AccessFlags, environment: Environment, given?: GivenKey): Access {
  if (flags.profile !== undefined) {
    if (given !== undefined) throw createBothKeysError(given.source);
    const { baseUrl } = flags;
    const asked = baseUrl === undefined ? undefined : { text: baseUrl, source: "--base-url" };
    return readProfileAccess(flags.profile, flags, environment, asked, true);
  }
  const key = given ?? findKey(environment);
  if (key !== undefined) return readDirectAccess(key, flags, environment);
  const name = findProfileName(environment);
  const address = findAddress(flags, environment);
  if (name === undefined) {
    assertReadable(flags, environment, address);
    throw address === undefined ? createNothingError() : createNoKeyError();
  }
  return readProfileAccess(name, flags, environment, address, false);
}

/**
 * The profile to use when neither the command line nor the environment gives a key: `ANALYTICS_PROFILE`, else
 * `default`, else the only one. Throws AnalyticsError `no_api_key` if there are several to choose from.
 */
export function findProfileName(environment: Environment): string | undefined {
  assertExpanded(environment, "ANALYTICS_PROFILE", "no_api_key");
  const named = readVariable(environment, "ANALYTICS_PROFILE");
  if (named !== undefined) return named;
  const names = listProfiles(environment);
  if (names.length < 2 || names.includes(DEFAULT_PROFILE)) {
    return names.includes(DEFAULT_PROFILE) ? DEFAULT_PROFILE : names[0];
  }
  throw new AnalyticsError("no_api_key", `No profile was chosen. There are: ${names.join(", ")}.`, {
    hint: `Choose one with --profile or ANALYTICS_PROFILE, for example: --profile ${names[0]}`,
  });
}

/** The profile that is used by default: if no key is given, and no address but the profile's own. */
export function findImplicitProfile(flags: AccessFlags, environment: Environment): string | undefined {
  if (flags.apiKeyFile !== undefined || flags.apiKeyStdin || findKey(environment) !== undefined)
    return undefined;
  const name = findProfileName(environment);
  const asked = findAddress(flags, environment);
  if (name === undefined || asked === undefined) return name;
  if (readProfileOptions(environment, name) !== undefined) return undefined;
  const { baseUrl, service } = readProfile(environment, name);
  const saved = readBaseUrl(baseUrl, environment, undefined, service);
  return readBaseUrl(asked.text, environment, asked.source, service) === saved ? name : undefined;
}

/** The profile that `--profile` names, or `ANALYTICS_PROFILE` if no key is given. */
export function findNamedProfile(flags: AccessFlags, environment: Environment): string | undefined {
  const isKeyGiven =
    flags.apiKeyFile !== undefined || readVariable(environment, "ANALYTICS_API_KEY") !== undefined;
  if (flags.profile !== undefined || isKeyGiven) return flags.profile;
  return readVariable(environment, "ANALYTICS_PROFILE");
}

/** The service's address as given on the command line or in the environment. */
export function findAddress({ baseUrl }: AccessFlags, environment: Environment): Address | undefined {
  if (baseUrl !== undefined) return { text: baseUrl, source: "--base-url" };
  assertExpanded(environment, "ANALYTICS_BASE_URL", "no_base_url");
  const text = readVariable(environment, "ANALYTICS_BASE_URL");
  return text === undefined ? undefined : { text, source: "ANALYTICS_BASE_URL" };
}

function findKey(environment: Environment): GivenKey | undefined {
  const source = "ANALYTICS_API_KEY";
  assertExpanded(environment, source, "no_api_key");
  const text = readVariable(environment, source);
  return text === undefined ? undefined : { apiKey: readApiKey(text, source), source };
}

/**
 * The service with an API of its own that will be asked, before any key is read. Undefined for a service of the contract,
 * and for settings that `readAccess` refuses.
 */
export function findService(flags: AccessFlags, environment: Environment): ServiceName | undefined {
  try {
    const isGiven = flags.profile === undefined && (flags.apiKeyFile !== undefined || flags.apiKeyStdin);
    if ((isGiven || findKey(environment) !== undefined) && flags.profile === undefined)
      return findNamedService(flags, environment);
    const name = flags.profile ?? findProfileName(environment);
    return name === undefined ? findNamedService(flags, environment) : readProfile(environment, name).service;
  } catch {
    return undefined;
  }
}

/** Access without a profile: key and address come from the command line or the environment. */
function readDirectAccess(
  { apiKey, source, warnings = [] }: GivenKey,
  flags: AccessFlags,
  environment: Environment,
): Access {
  const service = findNamedService(flags, environment);
  const address = findAddress(flags, environment) ?? findHosted(service);
  if (address === undefined) throw createNoAddressError(source, environment);
  const site = readVariable(environment, "ANALYTICS_SITE");
  return {
    service,
    siteTimezones: findSiteTimezones(environment),
    mapping: findMapping(flags, environment, { service }),
    apiKey,
    baseUrl: readBaseUrl(address.text, environment, address.source, service),
    site,
    sources: { apiKey: source, baseUrl: address.source, site: site && "ANALYTICS_SITE" },
    warnings,
  };
}

function findHosted(service: ServiceName | undefined): Address | undefined {
  const text = findHostedAddress(service);
  return text === undefined ? undefined : { text, source: `${service}'s own` };
}

/** Where there is no key: refuses a service or an address that none would help. */
function assertReadable(flags: AccessFlags, environment: Environment, asked: Address | undefined): void {
  const service = findNamedService(flags, environment);
  if (asked !== undefined) readBaseUrl(asked.text, environment, asked.source, service);
}

/** Access with a profile's key and address. If an address or a service is given as well, it must be the same. */
function readProfileAccess(
  name: string,
  flags: AccessFlags,
  environment: Environment,
  asked: Address | undefined,
  isNamed: boolean,
): Access {
  if (readProfileOptions(environment, name) !== undefined) assertReadable(flags, environment, asked);
  const profile = readProfile(environment, name);
  const file = findProfileFile(environment, name);
  const source = `profile ${name}`;
  const { service } = profile;
  const baseUrl = readBaseUrl(profile.baseUrl, environment, undefined, service);
  if (asked !== undefined && readBaseUrl(asked.text, environment, asked.source, service) !== baseUrl) {
    throw createOtherAddressError(name, baseUrl, asked.source);
  }
  const named = findNamedService(flags, isNamed ? {} : environment);
  if (named !== undefined && named !== service) {
    throw new AnalyticsError(
      "usage",
      `The profile ${name} is for ${service ?? "a service of this program's own API"}, not for ${named}.`,
      {
        hint: `Choose another profile, or save one: analytics-mcp login --profile <name> --service ${named}`,
      },
    );
  }
  const place = chooseSite(environment, { site: profile.site, source }, isNamed);
  return {
    service,
    siteTimezones: profile.siteTimezones ?? findSiteTimezones(environment),
    mapping: findMapping(flags, environment, {
      service,
      saved: nameSavedMapping(name, profile.mapping),
      isNamed,
    }),
    apiKey: readApiKey(profile.apiKey, `The profile ${name}`),
    baseUrl,
    site: place.site,
    sources: { apiKey: source, baseUrl: source, site: place.site && place.source },
    profile: name,
    warnings: isReadableByOthers(file) ? [describeExposure(file)] : [],
  };
}

/** A site, if there is one, and where it was found, for people. */
export interface ChosenSite {
  site: string | undefined;
  source: string;
}

/**
 * The site of questions that name none: `ANALYTICS_SITE`, else the saved one.
 *
 * @param isNamed Whether the command line names what has it, which then comes first.
 */
export function chooseSite(environment: Environment, saved: ChosenSite, isNamed: boolean): ChosenSite {
  const source = "ANALYTICS_SITE";
  const site = readVariable(environment, source);
  return (isNamed ? saved.site : !site) ? saved : { site, source };
}

const createBothKeysError = (option: string): AnalyticsError =>
  new AnalyticsError("usage", `Use --profile or ${option}, not both: a profile has its own key.`, {
    hint: "To use another key, give it with --base-url and without --profile.",
  });

const createOtherAddressError = (name: string, baseUrl: string, given: string): AnalyticsError =>
  new AnalyticsError(
    "no_api_key",
    `There is no key for the address in ${given}: the key of the profile ${name} is only sent to ${new URL(baseUrl).origin}.`,
    {
      hint: `Leave out ${given}, or create a profile for that service: analytics-mcp login --profile <name> --base-url <url>`,
    },
  );

/** The message of the error if nothing is set up. */
export const NOTHING = "Nothing is set up yet.";

export const createNothingError = (): AnalyticsError =>
  new AnalyticsError("no_api_key", NOTHING, {
    hint: "To start: analytics-mcp login. It asks for access logs, or a service and its key. To try it on made-up data, add --demo.",
  });

const createNoKeyError = (): AnalyticsError =>
  new AnalyticsError("no_api_key", "There is no API key.", {
    hint: "Save one with analytics-mcp login, or set ANALYTICS_API_KEY, or give --api-key-file.",
  });

function createNoAddressError(source: string, environment: Environment): AnalyticsError {
  const names = listProfiles(environment);
  const saved =
    names.length === 0
      ? ""
      : ` A profile's address is only used with the profile's own key: to use a profile (${names.join(", ")}), leave out ${source} or add --profile.`;
  return new AnalyticsError("no_base_url", `${source} gives a key, but no address of a service is set.`, {
    hint: `Set ANALYTICS_BASE_URL (or --base-url), such as https://stats.example.com.${saved}`,
  });
}
