import { AnalyticsError } from "../errors.ts";
import { type AccessFlags, findAddress, findProfileName } from "./access.ts";
import { readBaseUrl } from "./base-url.ts";
import { readProfile } from "./profiles.ts";
import type { Environment } from "./variables.ts";

/**
 * Finds the service's base URL, which ends in `/api/v1`, for a server whose users bring their own keys. Throws
 * AnalyticsError `no_base_url` or `invalid_base_url`.
 */
export function readServiceUrl(flags: AccessFlags, environment: Environment): string {
  const isNamed = flags.profile !== undefined && flags.baseUrl === undefined;
  const address = isNamed ? undefined : findAddress(flags, environment);
  const name = flags.profile ?? (address === undefined ? findProfileName(environment) : undefined);
  const given = address?.text ?? (name === undefined ? undefined : readProfile(environment, name).baseUrl);
  if (given === undefined) {
    throw new AnalyticsError("no_base_url", "No address of a service is set.", {
      hint: "Set ANALYTICS_BASE_URL (or --base-url) to your analytics service, such as https://stats.example.com.",
    });
  }
  return readBaseUrl(given, environment, address?.source);
}
