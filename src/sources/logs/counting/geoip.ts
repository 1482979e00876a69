import { readFileSync, statSync } from "node:fs";
import { isIP, isIPv6 } from "node:net";
import { Reader, type Response } from "mmdb-lib";
import { explainSystemError } from "../../../config/system-error.ts";
import { AnalyticsError, quotePath } from "../../../errors.ts";
import { COUNTRIES, COUNTRY_PACKAGE } from "../../country-package.ts";
import type { Place } from "../settings.ts";
import { createAddressFilter, unmapAddress } from "./addresses.ts";

/** The fields that are read of a record: those of MaxMind and DB-IP, and the flat ones of ip-location-db and IPinfo. */
interface PlaceRecord {
  country?: string | { iso_code?: string };
  registered_country?: { iso_code?: string };
  country_code?: string;
  subdivisions?: { iso_code?: string }[];
  city?: string | { names?: Record<string, string> };
}

/**
 * Addresses that nobody on the Internet has (IANA's registries of special addresses); some databases place them in a country.
 * `::/32` would include all of IPv4, since `BlockList` takes IPv4 for `::ffff:0:0/96`.
 */
const isSpecial = createAddressFilter([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "::/96",
  "2001:db8::/32",
  "fc00::/7",
  "fe80::/10",
  "ff00::/8",
]);

/**
 * Opens a database of places in MaxMind's format (maxmind.github.io/MaxMind-DB). Throws AnalyticsError `usage` if it cannot
 * be read, now or when an address is looked up.
 */
export function openGeoip(path: string): (address: string) => Place {
  const createError: CreateError = (reason, cause) =>
    new AnalyticsError("usage", `The database of places ${quotePath(path)} cannot be used: ${reason}.`, {
      hint: `--geoip takes a file in MaxMind's format (.mmdb); docs/logs.md names free ones. For countries alone: npm install -g ${COUNTRY_PACKAGE}, then --geoip ${COUNTRIES}`,
      cause,
    });
  const reader = openReader(readBytes(path, createError), createError);
  const find = (address: string): PlaceRecord | null => {
    try {
      // The library's types know MaxMind's own databases only.
      return reader.get(address) as PlaceRecord | null;
    } catch (cause) {
      throw createError("it is damaged", cause);
    }
  };
  if (!hasCountries(reader, find)) throw createError("it has no countries");
  const hasIPv6 = reader.metadata.ipVersion === 6;
  return (text) => {
    const address = unmapAddress(text);
    // Servers may log host names instead of addresses. The library would take any text for an address.
    if (isIP(address) === 0 || isSpecial(address) || (isIPv6(address) && !hasIPv6)) return {};
    return readPlace(find(address));
  };
}

type CreateError = (reason: string, cause?: unknown) => AnalyticsError;

function readBytes(path: string, createError: CreateError): Buffer {
  try {
    const stats = statSync(path);
    // Reading a pipe or a device might never end.
    if (stats.isFile() || stats.isDirectory()) return readFileSync(path);
  } catch (cause) {
    throw createError(explainSystemError(cause), cause);
  }
  throw createError("it is not a regular file");
}

function openReader(bytes: Buffer, createError: CreateError): Reader<Response> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw createError("it is compressed: unpack it with gunzip");
  const end = bytes.lastIndexOf(METADATA);
  if (end < 0) throw createError("it is incomplete, or not in MaxMind's format");
  try {
    const reader = new Reader<Response>(bytes);
    if (reader.metadata.searchTreeSize < end) return reader;
  } catch (cause) {
    throw createError("it is damaged", cause);
  }
  throw createError("it is damaged");
}

/** The marker before a database's metadata, which is at its end. */
const METADATA = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
/** Among this many networks, at least one must have a country. */
const SAMPLE = 2_000;

/** Whether one of the first networks names a country; in a database of, say, providers none does. */
function hasCountries(reader: Reader<Response>, find: (address: string) => PlaceRecord | null): boolean {
  const versions = reader.metadata.ipVersion === 6 ? [IPV4, IPV6] : [IPV4];
  return versions.some(({ bits, format }) => {
    let at = 0n;
    for (let network = 0; network < SAMPLE && at < 1n << bits; network++) {
      const address = format(at);
      if (readPlace(find(address)).country) return true;
      const size = 1n << (bits - BigInt(reader.getWithPrefixLength(address)[1]));
      at = (at / size + 1n) * size;
    }
    return false;
  });
}

const IPV4 = {
  bits: 32n,
  format: (at: bigint) => [24n, 16n, 8n, 0n].map((by) => (at >> by) & 255n).join("."),
};
const IPV6 = {
  bits: 128n,
  format: (at: bigint) => (at.toString(16).padStart(32, "0").match(/.{4}/g) ?? []).join(":"),
};

/** A country as ISO 3166-1, a region as ISO 3166-2, and a city by its name and country: `Berlin, DE`. */
function readPlace(record: PlaceRecord | null): Place {
  const country = readCountry(record ?? {});
  if (record === null || country === undefined || !/^[A-Z]{2}$/.test(country)) return {};
  const region = record.subdivisions?.[0]?.iso_code;
  const city = typeof record.city === "string" ? record.city : record.city?.names?.en;
  return {
    country,
    region: region === undefined ? null : `${country}-${region}`,
    city: city === undefined ? null : `${city}, ${country}`,
  };
}

function readCountry({ country, registered_country, country_code }: PlaceRecord): string | undefined {
  const code = typeof country === "string" ? country : country?.iso_code;
  // Newer databases of IPinfo have the name in `country` and the code in `country_code`.
  return country_code ?? code ?? registered_country?.iso_code;
}
