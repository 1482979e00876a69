import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { quoteForShell } from "../../operations/shell-command.ts";
import type { Warning } from "../../operations/warning.ts";
import { COUNTRIES, COUNTRY_PACKAGE, findCountryPackage } from "../country-package.ts";
import { listTexts } from "../named-sites.ts";
import { readTimezone } from "../source-options.ts";
import type { SourceFlags } from "../source-types.ts";
import { createCalendar } from "./day-span.ts";
import { createDescribedFormat, isDescription } from "./reading/formats/described.ts";
import { logFormats } from "./reading/formats/index.ts";
import type { LogSettings, PlaceDatabase, SavedOptions } from "./settings.ts";

/*
 * The options that change what counts, apart from the paths to leave out. They are saved with the history of the logs, so that every
 * command counts by the same ones.
 */

/** The options of a history from a day on; those of its first day have the date "". */
export interface OptionsSince {
  since: string;
  options: SavedOptions;
}

/** In place of a value: as if the option had never been given. */
const NONE = "none";

/** The options that a command line names. Throws AnalyticsError `usage`. */
export function readGivenOptions(flags: SourceFlags): Partial<SavedOptions> {
  const given: Partial<SavedOptions> = {};
  const { logFormat, timezone, excludeAddress, keepQuery, trustForwarded, geoip, keep } = flags;
  if (logFormat !== undefined) given.format = logFormat === NONE ? null : findFormat(String(logFormat)).name;
  if (timezone !== undefined) given.timezone = readTimezone(timezone);
  if (excludeAddress !== undefined) given.excludeAddresses = listUnlessNone(excludeAddress).sort();
  if (keepQuery !== undefined) given.keepQuery = listUnlessNone(keepQuery);
  if (trustForwarded !== undefined) given.trustForwarded = readHops(String(trustForwarded));
  if (geoip !== undefined) given.geoip = geoip === NONE ? null : readDatabase(String(geoip));
  if (keep !== undefined) given.keep = keep === NONE ? null : readKeep(String(keep));
  return given;
}

const listUnlessNone = (given: unknown): string[] =>
  [...new Set(listTexts(given))].filter((text) => text !== NONE);

/** A file, or the installed package of countries. */
function readDatabase(text: string): PlaceDatabase {
  const path = resolve(text);
  if (basename(path) !== COUNTRIES || existsSync(path)) return { name: path, path };
  const found = findCountryPackage();
  if (found !== undefined) return found;
  throw new AnalyticsError("usage", `--geoip ${COUNTRIES}: the database of countries is not installed.`, {
    hint: `Install it: npm install -g ${COUNTRY_PACKAGE}. It is looked for in this folder, beside Node, and at npm's prefix. From elsewhere, name its file: --geoip /path/to/it.mmdb`,
  });
}

/** The options of a history that begins. */
export const completeOptions = (given: Partial<SavedOptions>): SavedOptions => ({
  format: null,
  timezone: readTimezone(undefined),
  excludeAddresses: [],
  keepQuery: [],
  trustForwarded: 0,
  geoip: findCountryPackage() ?? null,
  keep: null,
  ...given,
});

type OptionSettings = Pick<
  LogSettings,
  "format" | "calendar" | "excludeAddresses" | "keepQuery" | "trustForwarded" | "geoip" | "keep"
>;

/** @param history Its options, the oldest first. */
export function applyOptions(history: readonly OptionsSince[]): OptionSettings {
  const { format, geoip, keep, timezone: _, ...options } = currentOptions(history);
  return {
    ...options,
    format: format === null ? undefined : findFormat(format),
    calendar: createCalendar(listZones(history)),
    geoip: geoip === null ? undefined : findDatabase(geoip),
    keep: keep ?? undefined,
  };
}

export const currentOptions = (history: readonly OptionsSince[]): SavedOptions =>
  history.at(-1)?.options ?? completeOptions({});

export const listZones = (history: readonly OptionsSince[]) =>
  history
    .map(({ since, options: { timezone } }) => ({ since, timezone }))
    .filter(({ timezone }, index, all) => timezone !== all[index - 1]?.timezone);

/** The options that differ, by name. */
export const listDifferent = (one: Partial<SavedOptions>, other: SavedOptions): (keyof SavedOptions)[] =>
  KEYS.filter(
    (key) =>
      one[key] !== undefined && JSON.stringify(nameOf(one[key])) !== JSON.stringify(nameOf(other[key])),
  );

/** A database that an update has moved is the same. */
const nameOf = (value: unknown): unknown => Object(value).name ?? value;

/** How each option is given, and what a change of it means. */
const OPTIONS: { [Key in keyof SavedOptions]: { flag: string; describe: Describe<SavedOptions[Key]> } } = {
  format: {
    flag: "--log-format",
    describe: (day) => `Lines are read in another format from ${day} on.`,
  },
  timezone: {
    flag: "--timezone",
    describe: (day, now, before) => `Days are those of ${now} from ${day} on, and of ${before} before.`,
  },
  excludeAddresses: {
    flag: "--exclude-address",
    describe: (day) => `Other addresses are left out from ${day} on.`,
  },
  keepQuery: {
    flag: "--keep-query",
    describe: (day) => `Other parts of the query belong to a page from ${day} on.`,
  },
  trustForwarded: {
    flag: "--trust-forwarded",
    describe: (day) => `The addresses of visitors are taken from another place from ${day} on.`,
  },
  geoip: {
    flag: "--geoip",
    describe: (day, now, before) => {
      if (now === null) return `Places of visitors, such as countries, are not recorded from ${day} on.`;
      const what = before === null ? "are recorded" : "are those of another database";
      return `Places of visitors, such as countries, ${what} from ${day} on.`;
    },
  },
  keep: { flag: "--keep", describe: () => "" },
};

type Describe<Value> = (since: string, now: Value, before: Value) => string;

const KEYS = Object.keys(OPTIONS) as (keyof SavedOptions)[];

/** What a person types for an option. */
function formatOption(key: keyof SavedOptions, value: unknown): string {
  const { flag } = OPTIONS[key];
  const values = Array.isArray(value) ? value : [nameOf(value)];
  const texts = values.length === 0 || value === null ? [NONE] : values.map(String);
  return texts.map((text) => `${flag} ${quoteForShell(text)}`).join(" ");
}

/** The options of a history that differ from those that nobody gives, as they are typed. */
export function formatOptions(options: SavedOptions): string[] {
  const unset = { ...completeOptions({}), timezone: "", geoip: null };
  return KEYS.filter((key) => JSON.stringify(options[key]) !== JSON.stringify(unset[key])).map((key) =>
    formatOption(key, options[key]),
  );
}

/** Asks for an option that can be saved. Throws AnalyticsError `usage` if none is given. */
export function assertGiven(flags: SourceFlags): void {
  if (Object.keys(readGivenOptions(flags)).length > 0) return;
  const paths =
    flags.excludePath === undefined ? "" : " --exclude-path is saved with a profile: log in with it.";
  throw new AnalyticsError("usage", "--set needs an option to save.", {
    hint: `Such as --exclude-address 203.0.113.7. It takes ${KEYS.map((key) => OPTIONS[key].flag).join(", ")}.${paths}`,
  });
}

/** What has changed between the options of a history, such as `timezone: UTC → Europe/Berlin`. */
export function listChanges(before: SavedOptions, now: SavedOptions): string[] {
  const say = (value: unknown) => [value].flat().map(nameOf).join(", ") || NONE;
  return listDifferent(now, before).map(
    (key) => `${OPTIONS[key].flag.slice(2)}: ${say(before[key])} → ${say(now[key])}`,
  );
}

/** Says which values a list has lost, since a new list replaces it. @param patterns What `logs --set` needs to find the history. */
export const describeLosses = (
  before: SavedOptions,
  now: SavedOptions,
  patterns: readonly string[],
): string[] =>
  (["excludeAddresses", "keepQuery"] as const).flatMap((key) => {
    const lost = before[key].filter((value) => !now[key].includes(value));
    // Nobody who empties a list means to keep a value.
    if (lost.length === 0 || now[key].length === 0) return [];
    const all = formatOption(key, [...now[key], ...lost]);
    return `The new ${OPTIONS[key].flag} replaces the list: ${lost.join(", ")} is no longer in it. To keep all: ${["analytics-mcp logs --set", all, ...patterns.map(quoteForShell)].join(" ")}`;
  });

/** Refuses to count one history in two ways. @param patterns What `logs --set` needs to find the history. */
export function createOptionsError(
  { given, typedTimezone }: Pick<LogSettings, "given" | "typedTimezone">,
  saved: SavedOptions,
  patterns: readonly string[],
): AnalyticsError {
  const keys = listDifferent(given, saved);
  const list = (options: Readonly<Record<string, unknown>>) =>
    keys.map((key) => formatOption(key, options[key])).join(" ");
  const typed = list({ ...given, timezone: typedTimezone });
  const set = ["analytics-mcp logs --set", typed, ...patterns.map(quoteForShell)].join(" ");
  const what = keys.includes("keep")
    ? "Earlier days than --keep says are then removed for good."
    : "That holds from now on, and for days whose log files still exist. Earlier days stay as they were counted, and answers about them say so.";
  return new AnalyticsError(
    "usage",
    `These logs are counted with ${list({ ...saved })}; ${typed} would give a second number for the same day.`,
    {
      hint: `Leave out ${typed} to use what is saved; if a profile has it, run analytics-mcp login again. To change what is saved: ${set}. ${what}`,
    },
  );
}

/** Says which days of an answer were counted with other options than those after them. @param from The first day of the answer. */
export const warnOfChanges = (history: readonly OptionsSince[], from: string): Warning[] =>
  history.flatMap(({ since, options }, index) => {
    const before = history[index - 1]?.options;
    if (before === undefined || from >= since) return [];
    return listDifferent(options, before).flatMap((key) => {
      const detail = describeChange(key, since, options, before);
      return detail === ""
        ? []
        : { code: "options_changed", detail, values: { option: OPTIONS[key].flag, since } };
    });
  });

function describeChange<Key extends keyof SavedOptions>(
  key: Key,
  since: string,
  now: SavedOptions,
  before: SavedOptions,
): string {
  return OPTIONS[key].describe(since, now[key], before[key]);
}

function findFormat(name: string): NonNullable<LogSettings["format"]> {
  const found = logFormats.find((format) => format.name === name);
  if (found) return found;
  if (isDescription(name)) return createDescribedFormat(name);
  throw new AnalyticsError("usage", `--log-format: there is no format ${quoteWord(name)}.`, {
    hint: `The formats are ${logFormats.map((format) => format.name).join(", ")}. Leave it out to have it recognized, or give the server's own description, such as '$remote_addr [$time_local] "$request" $status'.`,
  });
}

/** The package may be elsewhere today. */
const findDatabase = (saved: PlaceDatabase): PlaceDatabase =>
  (saved.name === COUNTRY_PACKAGE ? findCountryPackage() : undefined) ?? saved;

function readKeep(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new AnalyticsError("usage", `--keep must be a number of days, not ${quoteWord(text)}.`, {
    hint: "--keep 730 keeps two years, today included.",
  });
}

function readHops(text: string): number {
  if (/^[0-9]$/.test(text)) return Number(text);
  throw new AnalyticsError(
    "usage",
    `--trust-forwarded must be a number of proxies from 0 to 9, not ${quoteWord(text)}.`,
    { hint: "Count the proxies of your own that a request passes: --trust-forwarded 1 for one." },
  );
}
