import { quoteForShell } from "../operations/shell-command.ts";

/** On npm, for people who want countries. It is not a dependency. */
export const COUNTRY_PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

/** In place of a file: the package above. */
export const COUNTRIES = "countries";

/** The option that logs lack countries without. */
export const PLACES_OPTION = "--geoip";

/**
 * The command line that adds countries to logs that have been counted without.
 *
 * @param source The options that chose the logs.
 */
export function formatCountrySetup(source: readonly string[] = []): string {
  const files = source.filter((_, index) => source[index - 1] === "--logs").map(quoteForShell);
  const set = [
    "analytics-mcp logs --set",
    PLACES_OPTION,
    COUNTRIES,
    ...(files.length > 0 ? files : ["<files>"]),
  ];
  return `npm install -g ${COUNTRY_PACKAGE} && ${set.join(" ")}`;
}
