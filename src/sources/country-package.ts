import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { NO_PLACES } from "../operations/dimensions.ts";
import { formatNotes, type Note } from "../operations/note.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import type { View } from "../operations/view.ts";
import type { PlaceDatabase } from "./logs/settings.ts";

/** On npm, for people who want countries. It is not a dependency. */
export const COUNTRY_PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

/** In place of a file: the package above. */
export const COUNTRIES = "countries";

/** The option that logs lack countries without. */
export const PLACES_OPTION = "--geoip";

/**
 * The command lines that add countries to logs that have been counted without: install the database, if it is not, then use it.
 *
 * @param source The options that chose the logs: the files, or a profile that has them.
 */
export function listCountrySetup(source: readonly string[]): string[] {
  const files = source.filter((_, index) => source[index - 1] === "--logs");
  const logs = (files.length > 0 ? files : source).map(quoteForShell);
  const use = ["analytics-mcp logs --set", PLACES_OPTION, COUNTRIES, ...logs].join(" ");
  return findCountryPackage() === undefined ? [`npm install -g ${COUNTRY_PACKAGE}`, use] : [use];
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

/** Says how to add countries where it is said that they are lacking, to whoever owns the logs. */
export function proposeCountries(views: readonly View[], source: readonly string[]): View[] {
  const lacking = ` (${NO_PLACES}).`;
  const propose = (note: Note): Note => {
    const [text = ""] = formatNotes([note], "people");
    return text.endsWith(lacking)
      ? `${text.slice(0, -lacking.length)}. To add them: ${formatCountrySetup(source)}`
      : note;
  };
  return views.map((view) => ({ ...view, notes: view.notes.map(propose) }));
}

/**
 * Finds the package of countries as Node resolves packages, from this package's folder or from the working directory; or among
 * the packages that are installed for all programs of this Node.
 */
export function findCountryPackage(): PlaceDatabase | undefined {
  const file = `${COUNTRY_PACKAGE}/geo-whois-asn-country.mmdb`;
  for (const from of [import.meta.url, resolve("program.js")]) {
    try {
      return { name: COUNTRY_PACKAGE, path: createRequire(from).resolve(file) };
    } catch {
      // It is not installed there.
    }
  }
  const path = listPackageFolders()
    .map((folder) => join(folder, file))
    .find(existsSync);
  return path === undefined ? undefined : { name: COUNTRY_PACKAGE, path };
}

/** The folders of the packages that are installed for all programs: npm's own, and that of npm's setting `prefix`. */
function listPackageFolders(): string[] {
  const prefixes = [readNpmPrefix() ?? [], join(dirname(execPath), "..")].flat();
  return [...prefixes.map((folder) => join(folder, "lib")), dirname(execPath)].map((folder) =>
    join(folder, "node_modules"),
  );
}

/** Of the environment, in capitals or not, else of `~/.npmrc`. */
function readNpmPrefix(): string | undefined {
  const given = env.npm_config_prefix || env.NPM_CONFIG_PREFIX;
  if (given) return given;
  try {
    const [, prefix] = /^prefix *= *(.+?)\r?$/m.exec(readFileSync(join(homedir(), ".npmrc"), "utf8")) ?? [];
    return prefix?.replace(/^(?:~|\$\{HOME\})(?=\/)/, homedir());
  } catch {
    return undefined;
  }
}
