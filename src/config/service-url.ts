import { AnalyticsError } from "../errors.ts";
import { type Access, type AccessFlags, createNothingError, findAddress, findProfileName } from "./access.ts";
import { readBaseUrl } from "./base-url.ts";
import { findMapping, nameSavedMapping } from "./given-mapping.ts";
import { readProfile } from "./profiles.ts";
import { findHostedAddress, findNamedService, findSiteTimezones } from "./services.ts";
import type { Environment } from "./variables.ts";

/**
 * Finds the service's base URL, which ends in `/api/v1`, for a server whose users bring their own keys. Throws
 * AnalyticsError `no_base_url` or `invalid_base_url`.
 */
export const readServiceUrl = (flags: AccessFlags, environment: Environment): string =>
  readService(flags, environment).baseUrl;

/** The same, with the service that is there, the timezones that it does not tell, and the mapping of its fields. */
export function readService(
  flags: AccessFlags,
  environment: Environment,
): Pick<Access, "baseUrl" | "service" | "siteTimezones" | "mapping"> {
  const isNamed = flags.profile !== undefined && flags.baseUrl === undefined;
  const address = isNamed ? undefined : findAddress(flags, environment);
  const name = flags.profile ?? (address === undefined ? findProfileName(environment) : undefined);
  const saved = name === undefined ? undefined : readProfile(environment, name);
  const service = saved?.service ?? findNamedService(flags, environment);
  const given = address?.text ?? saved?.baseUrl ?? findHostedAddress(service);
  if (given === undefined && service === undefined) throw createNothingError();
  if (given === undefined) {
    throw new AnalyticsError("no_base_url", "No address of a service is set.", {
      hint: "Add --base-url, such as https://stats.example.com.",
    });
  }
  return {
    baseUrl: readBaseUrl(given, environment, address?.source, service),
    service,
    siteTimezones: saved?.siteTimezones ?? findSiteTimezones(environment),
    mapping: findMapping(flags, environment, {
      service,
      saved: name === undefined ? undefined : nameSavedMapping(name, saved?.mapping),
      isNamed: flags.profile !== undefined,
    }),
  };
}
