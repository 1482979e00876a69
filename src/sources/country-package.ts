import { quoteForShell } from "../operations/shell-command.ts";

/** On npm, for people who want countries. It is not a dependency. */
export const COUNTRY_PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

/** In place of a file: the package above. */
export const COUNTRIES = "countries";

/** The option that logs lack countries without. */
export const PLACES_OPTION = "--geoip";

/**
 * The command lines that add countries to logs that have been counted without: install the database, then use it.
 *
 * @param source The options that chose the logs: the files, or a profile that has them.
 */
export function listCountrySetup(source: readonly string[]): [install: string, use: string] {
  const files = source.filter((_, index) => source[index - 1] === "--logs");
  const logs = (files.length > 0 ? files : source).map(quoteForShell);
  const use = ["analytics-mcp logs --set", PLACES_OPTION, COUNTRIES, ...logs].join(" ");
  return [`npm install -g ${COUNTRY_PACKAGE}`, use];
}

export const formatCountrySetup = (source: readonly string[] = []): string =>
  listCountrySetup(source).join(" && ");

/** What an error says that logs lack without a database of places, such as `countries`; undefined for other errors. */
export const findLackingPlaces = (detail: string): string | undefined =>
  /^is (\w{1,40}), which this source does not record without --geoip;/.exec(detail)?.[1];

/** How to add such places, in a sentence for whoever owns the logs. */
export const describePlacesSetup = (lacking: string, source?: readonly string[]): string =>
  lacking === "countries"
    ? `To add them: ${formatCountrySetup(source)}`
    : `Name a database that has them: ${PLACES_OPTION} FILE.mmdb`;
