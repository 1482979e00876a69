import { createRequire } from "node:module";
import { resolve } from "node:path";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import type { DataSource } from "../data-source.ts";
import { listTexts } from "../named-sites.ts";
import { readSites, readTimezone } from "../source-options.ts";
import type { LocalContext, OpenView, SourceFlags } from "../source-types.ts";
import { createLogSource, createLogViews } from "./log-source.ts";
import { STDIN } from "./reading/find-files.ts";
import { createDescribedFormat, isDescription } from "./reading/formats/described.ts";
import { logFormats } from "./reading/formats/index.ts";
import { createReplay } from "./reading/replay.ts";
import type { LogSettings } from "./settings.ts";
import { createLogStore, type LogStoreOptions } from "./store/log-store.ts";
import { openHistoryOf } from "./store/open-history.ts";

/*
 * Access logs as a source. `reading/` turns files into lines and imports none of the other folders; `counting/` turns lines
 * into days and imports their shape from there; `store/` keeps days, and `command/` is for `analytics-mcp logs`: both import
 * `reading/` and `counting/`. Of other sources' folders, all of them import `measure/` alone.
 */

export async function openLogSource(context: LocalContext): Promise<DataSource> {
  const { settings, store } = openStore(context, createWorkerReader(context));
  return createLogSource(settings, store);
}

/** Opens the logs once, for several organizations with some of the sites each. */
export async function openLogViews(context: LocalContext): Promise<OpenView> {
  const { settings, store } = openStore(context, createWorkerReader(context));
  return createLogViews(settings, store);
}

function createWorkerReader({ flags, environment, clock }: LocalContext): LogStoreOptions["readInWorker"] {
  return async (signal) => {
    const { readInWorker } = await import("./read-in-worker.ts");
    await readInWorker({ flags, environment, now: clock() }, signal);
  };
}

/** @param readInWorker As in `LogStoreOptions`. */
export function openStore(
  { flags, environment, clock, openStdin, warn = () => {} }: LocalContext,
  readInWorker?: LogStoreOptions["readInWorker"],
) {
  const stdin = openStdin && createReplay(openStdin);
  const settings = { ...readLogSettings(flags, environment.ANALYTICS_SITE), stdin };
  // Standard input is another log each time.
  const isKept = settings.files.every(({ glob }) => glob !== STDIN);
  const openHistory = isKept ? () => openHistoryOf(settings, environment, warn) : undefined;
  return { settings, store: createLogStore(settings, { clock, openHistory, readInWorker }) };
}

/**
 * Reads the settings from a command line's options. Throws AnalyticsError `usage`.
 *
 * @param defaultSite The site to use if the options name none.
 */
export function readLogSettings(flags: SourceFlags, defaultSite?: string): LogSettings {
  const files = listTexts(flags.logs).map((text) => {
    const [, site, glob = ""] = /^(?:([a-z0-9-]+(?:\.[a-z0-9-]+)+)=)?(.*)$/is.exec(text) ?? [];
    return { glob, site: site && normalizeSite(site) };
  });
  if (files.length === 0 || files.some(({ glob }) => glob === "")) {
    throw new AnalyticsError("usage", "--logs names no files.", {
      hint: "Such as --logs '/var/log/nginx/access.log*', or --logs example.com=/var/log/nginx/example.com.log",
    });
  }
  const sites = readSites(flags.site, defaultSite);
  return {
    files,
    sites,
    onlySite: sites[0],
    format: readFormat(flags.logFormat),
    timezone: readTimezone(flags.timezone),
    excludePaths: readPathGlobs(flags.excludePath),
    excludeAddresses: listTexts(flags.excludeAddress),
    keepQuery: listTexts(flags.keepQuery),
    geoip: readGeoip(flags.geoip),
    trustForwarded: readHops(flags.trustForwarded),
    acceptProxyAddresses: flags.acceptProxyAddresses === true,
    keep: readKeep(flags.keep),
  };
}

function readFormat(name: unknown): LogSettings["format"] {
  if (name === undefined) return undefined;
  const found = logFormats.find((format) => format.name === name);
  if (found) return found;
  if (isDescription(String(name))) return createDescribedFormat(String(name));
  throw new AnalyticsError("usage", `--log-format: there is no format ${quoteWord(String(name))}.`, {
    hint: `The formats are ${logFormats.map((format) => format.name).join(", ")}. Leave it out to have it recognized, or give the server's own description, such as '$remote_addr [$time_local] "$request" $status'.`,
  });
}

/** A pattern that matches no path would be ignored, and the pages would count. */
function readPathGlobs(given: unknown): string[] {
  const globs = listTexts(given);
  const wrong = globs.find((glob) => /^[\w.%-]/.test(glob));
  if (wrong === undefined) return globs;
  throw new AnalyticsError("usage", `--exclude-path: ${quoteWord(wrong)} matches no path.`, {
    hint: "Paths begin with a slash, such as '/admin/**'. In any folder: '**/*.php'.",
  });
}

function readGeoip(path: unknown): LogSettings["geoip"] {
  if (path === undefined) return findCountryPackage();
  const absolute = resolve(String(path));
  return { name: absolute, path: absolute };
}

/** On npm, for people who want countries. It is not a dependency. */
const PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

/** Finds the package of countries as Node resolves packages: from this package's folder, or from the working directory. */
function findCountryPackage(): LogSettings["geoip"] {
  for (const from of [import.meta.url, resolve("program.js")]) {
    try {
      return { name: PACKAGE, path: createRequire(from).resolve(`${PACKAGE}/geo-whois-asn-country.mmdb`) };
    } catch {
      // It is not installed there.
    }
  }
  return undefined;
}

function readKeep(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,4}$/.test(String(text))) return Number(text);
  throw new AnalyticsError("usage", `--keep must be a number of days, not ${quoteWord(String(text))}.`, {
    hint: "--keep 730 keeps two years, today included.",
  });
}

function readHops(text: unknown): number {
  if (text === undefined) return 0;
  if (/^[0-9]$/.test(String(text))) return Number(text);
  throw new AnalyticsError(
    "usage",
    `--trust-forwarded must be a number of proxies from 0 to 9, not ${quoteWord(String(text))}.`,
    { hint: "Count the proxies of your own that a request passes: --trust-forwarded 1 for one." },
  );
}
