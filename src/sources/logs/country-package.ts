import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { LogSettings } from "./settings.ts";

/** On npm, for people who want countries. It is not a dependency. */
const PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

/** Finds the package of countries as Node resolves packages: from this package's folder, or from the working directory. */
export function findCountryPackage(): LogSettings["geoip"] {
  for (const from of [import.meta.url, resolve("program.js")]) {
    try {
      return { name: PACKAGE, path: createRequire(from).resolve(`${PACKAGE}/geo-whois-asn-country.mmdb`) };
    } catch {
      // It is not installed there.
    }
  }
  return undefined;
}
