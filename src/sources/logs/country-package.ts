import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { LogSettings } from "./settings.ts";

/** On npm, for whoever wants countries: it is no dependency. */
const PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

/** Finds the package of countries as Node finds packages: beside this one, or from the folder the program runs in. */
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
