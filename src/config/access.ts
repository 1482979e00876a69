import { AnalyticsError } from "../errors.ts";
import { readApiKey } from "./api-key.ts";
import { readBaseUrl } from "./base-url.ts";
import { describeExposure, isExposed } from "./file-permissions.ts";
import { DEFAULT_PROFILE, findProfileFile, listProfiles, readProfile } from "./profiles.ts";
import type { AccessFlags } from "./service-url.ts";
import { type Environment, readVariable, refuseUnexpanded } from "./variables.ts";

export interface Access {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Asked about where no site is named. */
  site?: string | undefined;
  /** Where each was found, in words for people: `--base-url`, `ANALYTICS_API_KEY`, `profile acme`. */
  sources: { baseUrl: string; apiKey: string; site?: string | undefined };
  profile?: string | undefined;
  /** Sentences to show once. */
  warnings: string[];
}

/** A key that an option of the command line gave, with the option's name. */
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
 * Where the service is and with which key it is asked: what the command line says, then the environment, then a
 * profile. A profile is a pair: its key goes to its own address and nowhere else, and its address gets no other
 * key. So neither a stray variable nor a project's settings can have a saved key sent to a stranger, nor one
 * organization's key to another's service. A profile named on the command line goes before the environment.
 *
 * Throws AnalyticsError `no_api_key`, `invalid_api_key`, `no_base_url`, `invalid_base_url` or `usage`; no message
 * repeats a key.
 */
export function readAccess(flags: AccessFlags, environment: Environment, given?: GivenKey): Access {
  if (flags.profile !== undefined) {
    if (given !== undefined) throw refuseBoth(given.source);
    const { baseUrl } = flags;
    const asked = baseUrl === undefined ? undefined : { text: baseUrl, source: "--base-url" };
    return readPair(flags.profile, environment, asked, true);
  }
  const key = given ?? findKey(environment);
  if (key !== undefined) return readLoose(key, flags, environment);
  const name = findProfileName(environment);
  if (name === undefined) throw refuseKeyless();
  return readPair(name, environment, findAddress(flags, environment), false);
}

/** The name of the profile that is used where the command line and the environment give no key. */
export function findProfileName(environment: Environment): string | undefined {
  refuseUnexpanded(environment, "ANALYTICS_PROFILE", "no_api_key");
  const named = readVariable(environment, "ANALYTICS_PROFILE");
  if (named !== undefined) return named;
  const names = listProfiles(environment);
  if (names.length < 2 || names.includes(DEFAULT_PROFILE)) {
    return names.includes(DEFAULT_PROFILE) ? DEFAULT_PROFILE : names[0];
  }
  throw new AnalyticsError("no_api_key", `No profile was chosen. There are: ${names.join(", ")}.`, {
    hint: `Name one with --profile or ANALYTICS_PROFILE, as in: --profile ${names[0]}`,
  });
}

/** The profile whose key and address serve without another word: there is no key beside it, and no other address. */
export function findSilentProfile(flags: AccessFlags, environment: Environment): string | undefined {
  if (flags.apiKeyFile !== undefined || flags.apiKeyStdin || findKey(environment) !== undefined)
    return undefined;
  const name = findProfileName(environment);
  const asked = findAddress(flags, environment);
  if (name === undefined || asked === undefined) return name;
  const saved = readBaseUrl(readProfile(environment, name).baseUrl, environment);
  return readBaseUrl(asked.text, environment) === saved ? name : undefined;
}

/** The profile that is asked for by name, where no key is given beside it. */
export function findNamedProfile(flags: AccessFlags, environment: Environment): string | undefined {
  const isKeyGiven =
    flags.apiKeyFile !== undefined || readVariable(environment, "ANALYTICS_API_KEY") !== undefined;
  if (flags.profile !== undefined || isKeyGiven) return flags.profile;
  return readVariable(environment, "ANALYTICS_PROFILE");
}

/** What the command line or the environment says of where the service is. */
export function findAddress({ baseUrl }: AccessFlags, environment: Environment): Address | undefined {
  if (baseUrl !== undefined) return { text: baseUrl, source: "--base-url" };
  refuseUnexpanded(environment, "ANALYTICS_BASE_URL", "no_base_url");
  const text = readVariable(environment, "ANALYTICS_BASE_URL");
  return text === undefined ? undefined : { text, source: "ANALYTICS_BASE_URL" };
}

function findKey(environment: Environment): GivenKey | undefined {
  const source = "ANALYTICS_API_KEY";
  refuseUnexpanded(environment, source, "no_api_key");
  const text = readVariable(environment, source);
  return text === undefined ? undefined : { apiKey: readApiKey(text, source), source };
}

/** A key of the command line or the environment, with an address of either. */
function readLoose(
  { apiKey, source, warnings = [] }: GivenKey,
  flags: AccessFlags,
  environment: Environment,
): Access {
  const address = findAddress(flags, environment);
  if (address === undefined) throw refuseAddressless(source, environment);
  const site = readVariable(environment, "ANALYTICS_SITE");
  return {
    apiKey,
    baseUrl: readBaseUrl(address.text, environment),
    site,
    sources: { apiKey: source, baseUrl: address.source, site: site && "ANALYTICS_SITE" },
    warnings,
  };
}

/** A profile's key and address. An address that was asked for besides must be the same. */
function readPair(
  name: string,
  environment: Environment,
  asked: Address | undefined,
  isNamed: boolean,
): Access {
  const profile = readProfile(environment, name);
  const file = findProfileFile(environment, name);
  const source = `profile ${name}`;
  const baseUrl = readBaseUrl(profile.baseUrl, environment);
  if (asked !== undefined && readBaseUrl(asked.text, environment) !== baseUrl) {
    throw new AnalyticsError(
      "no_api_key",
      `There is no key for the address in ${asked.source}: the key of the profile ${name} is for ${new URL(baseUrl).origin} and goes nowhere else.`,
      {
        hint: `Leave ${asked.source} out, or make a profile for that service: analytics-mcp login --profile <name> --base-url <url>`,
      },
    );
  }
  const chosen = { site: readVariable(environment, "ANALYTICS_SITE"), source: "ANALYTICS_SITE" };
  const saved = { site: profile.site, source };
  const order = isNamed ? [saved, chosen] : [chosen, saved];
  const place = order.find(({ site }) => site !== undefined);
  return {
    apiKey: readApiKey(profile.apiKey, `The profile ${name}`),
    baseUrl,
    site: place?.site,
    sources: { apiKey: source, baseUrl: source, site: place?.source },
    profile: name,
    warnings: isExposed(file) ? [describeExposure(file)] : [],
  };
}

function refuseBoth(option: string): AnalyticsError {
  return new AnalyticsError(
    "usage",
    `--profile and ${option} exclude each other: a profile has its own key.`,
    {
      hint: "Give the key with --base-url, or leave it out.",
    },
  );
}

function refuseKeyless(): AnalyticsError {
  return new AnalyticsError("no_api_key", "There is no API key.", {
    hint: "Make a key in your analytics dashboard under API keys. In a terminal, analytics-mcp login asks for it and keeps it; in a client's MCP settings, set it as ANALYTICS_API_KEY (env). To try without a key, add --demo.",
  });
}

function refuseAddressless(source: string, environment: Environment): AnalyticsError {
  const names = listProfiles(environment);
  const saved =
    names.length === 0
      ? ""
      : ` The address of a profile (${names.join(", ")}) is for its own key alone: to use one, leave ${source} out, or name it with --profile.`;
  return new AnalyticsError("no_base_url", `${source} gives a key, and nothing says for which service.`, {
    hint: `Set ANALYTICS_BASE_URL (or --base-url) to your analytics service, such as https://stats.example.com.${saved}`,
  });
}
