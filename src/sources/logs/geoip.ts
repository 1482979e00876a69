import { readFileSync } from "node:fs";
import { Reader, type Response } from "mmdb-lib";
import { explainSystemError } from "../../config/system-error.ts";
import { AnalyticsError } from "../../errors.ts";
import type { Place } from "./settings.ts";

/** The members that are read of a record: MaxMind's and DB-IP's, and the flat ones of ip-location-db. */
interface PlaceRecord {
  country?: { iso_code?: string };
  registered_country?: { iso_code?: string };
  country_code?: string;
  subdivisions?: { iso_code?: string }[];
  city?: string | { names?: Record<string, string> };
}

/**
 * Opens a database of places in MaxMind's format (maxmind.github.io/MaxMind-DB). Throws AnalyticsError `usage` if it cannot
 * be read.
 */
export function openGeoip(path: string): (address: string) => Place {
  let reader: Reader<Response>;
  try {
    reader = new Reader(readFileSync(path));
  } catch (cause) {
    const isSystem = Object(cause).syscall !== undefined;
    const reason = isSystem ? explainSystemError(cause) : "it is no database of places (.mmdb)";
    throw new AnalyticsError("usage", `--geoip ${JSON.stringify(path)} cannot be read: ${reason}.`, {
      hint: "docs/logs.md names free databases of countries.",
      cause,
    });
  }
  return (address) => {
    try {
      // The library's types know MaxMind's own databases only.
      return readPlace((reader.get(address) ?? {}) as PlaceRecord);
    } catch {
      // No address: a host name, if the server looks them up.
      return {};
    }
  };
}

/** A country as ISO 3166-1, a region as ISO 3166-2, and a city by its name and country: `Berlin, DE`. */
function readPlace(record: PlaceRecord): Place {
  const country = record.country?.iso_code ?? record.registered_country?.iso_code ?? record.country_code;
  if (country === undefined || !/^[A-Z]{2}$/.test(country)) return {};
  const region = record.subdivisions?.[0]?.iso_code;
  const city = typeof record.city === "string" ? record.city : record.city?.names?.en;
  return {
    country,
    region: region === undefined ? null : `${country}-${region}`,
    city: city === undefined ? null : `${city}, ${country}`,
  };
}
