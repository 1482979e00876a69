import { AnalyticsError } from "../errors.ts";
import { findAddress, findProfileName } from "./access.ts";
import { isLoopback, readBaseUrl } from "./base-url.ts";
import { readProfile } from "./profiles.ts";
import { type Environment, readVariable } from "./variables.ts";

export { isLoopback } from "./base-url.ts";
export type { Environment } from "./variables.ts";

/** What the command line may say; it goes before the environment. A key itself is never a flag's value. */
export interface AccessFlags {
  baseUrl?: string | undefined;
  profile?: string | undefined;
  apiKeyFile?: string | undefined;
  apiKeyStdin?: boolean | undefined;
}

/**
 * Where the service is, for a program whose users bring their own keys: ends in `/api/v1`. Throws AnalyticsError
 * `no_base_url` or `invalid_base_url`.
 */
export function readServiceUrl(flags: AccessFlags, environment: Environment): string {
  const isNamed = flags.profile !== undefined && flags.baseUrl === undefined;
  const address = isNamed ? undefined : findAddress(flags, environment);
  const name = flags.profile ?? (address === undefined ? findProfileName(environment) : undefined);
  const given = address?.text ?? (name === undefined ? undefined : readProfile(environment, name).baseUrl);
  if (given === undefined) {
    throw new AnalyticsError("no_base_url", "There is no address of a service to ask.", {
      hint: "Set ANALYTICS_BASE_URL (or --base-url) to your analytics service, such as https://stats.example.com.",
    });
  }
  return readBaseUrl(given, environment);
}

const DEFAULT_CALLS_PER_MINUTE = 300;

/** How many calls of tools are answered in a minute. Throws AnalyticsError `usage` for what is no such number. */
export function readCallsPerMinute(environment: Environment): number {
  const text = readVariable(environment, "ANALYTICS_CALLS_PER_MINUTE");
  if (text === undefined) return DEFAULT_CALLS_PER_MINUTE;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AnalyticsError("usage", "ANALYTICS_CALLS_PER_MINUTE is not a whole number from 1 up.", {
    hint: `Leave it out for ${DEFAULT_CALLS_PER_MINUTE}.`,
  });
}

export interface Proxies {
  httpProxy: string | undefined;
  httpsProxy: string | undefined;
  noProxy: string | undefined;
}

/**
 * The proxies for a base URL: the lower-case variable first, as curl has it; none for this machine, since over
 * plain http a proxy would see the key. Throws AnalyticsError `proxy` for what is no address.
 */
export function readProxies(environment: Environment, baseUrl: string): Proxies {
  const read = (name: string) => {
    const value = (environment[name.toLowerCase()] ?? environment[name])?.trim();
    return value === "" ? undefined : value;
  };
  if (isLoopback(new URL(baseUrl).hostname)) {
    return { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined };
  }
  return {
    httpProxy: readProxy("HTTP_PROXY", read("HTTP_PROXY")),
    httpsProxy: readProxy("HTTPS_PROXY", read("HTTPS_PROXY")),
    noProxy: read("NO_PROXY"),
  };
}

/** `proxy.example:3128` without a scheme is as common as with one. */
function readProxy(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const address = value.includes("://") ? value : `http://${value}`;
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address;
  throw new AnalyticsError("proxy", `${name} is not the address of an http proxy.`, {
    hint: "It looks like http://proxy.example:3128.",
  });
}
