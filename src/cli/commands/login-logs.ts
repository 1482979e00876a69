import { findTimezone } from "../../config/services.ts";
import { AnalyticsError, quoteIfNeeded, quoteWord } from "../../errors.ts";
import { formatSpan } from "../../operations/period.ts";
import { listSites } from "../../operations/site-name.ts";
import { cleanText } from "../../render/clean-text.ts";
import { formatCount, nameUnit } from "../../render/plural.ts";
import { listCountrySetup } from "../../sources/country-package.ts";
import { type DryRun, dryRun, UNNAMED } from "../../sources/logs/command/dry-run.ts";
import { findSavedName, findSavedOptions } from "../../sources/logs/histories.ts";
import { readSiteName } from "../../sources/logs/host-name.ts";
import { readLogSettings } from "../../sources/logs/open.ts";
import { listUnrotated } from "../../sources/logs/reading/named-logs.ts";
import { completeOptions } from "../../sources/logs/saved-options.ts";
import { formatPatterns, type SavedOptions } from "../../sources/logs/settings.ts";
import { listTexts, splitSite } from "../../sources/named-sites.ts";
import { hintOnTimezone, readTimezone } from "../../sources/source-options.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import { askForDefaultSite } from "./login-input.ts";
import { type Ask, askYesOrNo } from "./login-prompt.ts";

/** What logs have; `"large"` if looking took too long. */
export type LookedAt = DryRun | "large";

/** While a person waits for the first question. */
const LOOKING_MS = 10_000;

/** Reads logs without saving anything. Throws AnalyticsError if they cannot be read. */
export async function lookAt({ clock }: Io, logs: readonly string[]): Promise<LookedAt> {
  const signal = AbortSignal.timeout(LOOKING_MS);
  try {
    return await dryRun(readLogSettings({ logs }), clock, signal);
  } catch (error) {
    if (signal.aborted) return "large";
    throw error;
  }
}

/** Days, page views and sites, in a sentence. */
export function describeRun(run: LookedAt): string {
  if (run === "large") return "more than can be read in ten seconds";
  const { files, sites, lines } = run;
  const days = sites.flatMap(({ first_day, last_day }) => [first_day ?? [], last_day ?? []].flat()).sort();
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined)
    return `${formatCount(files.length, "file")} with ${formatCount(lines, "line")}, but no page view`;
  const views = sites.reduce((sum, { pageviews }) => sum + pageviews, 0);
  const named = sites.filter(({ site }) => site !== UNNAMED).map(({ site }) => site);
  const about = named.length === 0 ? "" : ` of ${listSites(named, 3)}`;
  const text = `${formatSpan({ from, to })}, ${views.toLocaleString("en")} ${nameUnit(views, "page view")}${about}`;
  return cleanText(text, 500);
}

/** Asks what logs do not say: the site of a log that names none, which sites of several, and the timezone. */
export async function askAboutLogs(
  io: Io,
  ask: Ask,
  flags: SourceFlags,
  given: GivenLogs,
): Promise<{ flags: SourceFlags; lacksCountries: boolean }> {
  const { logs, run, name } = await chooseFiles(io, ask, given);
  const site = flags.site ?? (await askForSites(ask, run, logs, name));
  const saved = await findSaved(io, logs);
  const timezone = await askForTimezone(io, ask, saved);
  if (run === "large") await printNote(io, "Counting them for the first time, which takes a while …");
  const { geoip } = saved ?? completeOptions({});
  return { flags: { ...flags, logs, site, timezone }, lacksCountries: geoip === null };
}

/**
 * Asks what the options leave open that chose logs: whether to read rotated files, too, the site of lines that name none, and the
 * timezone.
 *
 * @param hasSite Whether the logs are chosen for a site.
 */
export async function askAboutGivenLogs(
  io: Io,
  ask: Ask,
  flags: SourceFlags,
  hasSite: boolean,
): Promise<SourceFlags> {
  const chosen = hasSite ? flags : await askAboutFiles(io, ask, flags);
  if (flags.timezone !== undefined) return chosen;
  return { ...chosen, timezone: await askForTimezone(io, ask, await findSaved(io, listTexts(chosen.logs))) };
}

async function askAboutFiles(io: Io, ask: Ask, flags: SourceFlags): Promise<SourceFlags> {
  const { logs, run, name } = await chooseFiles(io, ask, { logs: listTexts(flags.logs) });
  const isNamed = run === "large" || run.sites.some(({ site }) => site !== UNNAMED);
  return { ...flags, logs, site: isNamed ? undefined : await askForSites(ask, run, logs, name) };
}

const findSaved = (io: Io, logs: readonly string[]) =>
  findSavedOptions(readLogSettings({ logs }), io.environment).catch(() => undefined);

interface GivenLogs {
  logs: readonly string[];
  run?: LookedAt;
}

/** Offers the rotated files that are not named, and says what there is. */
async function chooseFiles(io: Io, ask: Ask, { logs: given, run: known }: GivenLogs) {
  const logs = await askForRotated(ask, given);
  const isKnown = logs.join("\n") === given.join("\n") && known !== undefined;
  if (!isKnown) await printNote(io, "Reading them …");
  const run = isKnown ? known : await lookAt(io, logs);
  if (!isKnown) await printNote(io, `Found: ${describeRun(run)}`);
  return { logs, run, name: await findSavedName(readLogSettings({ logs }), io.environment) };
}

async function askForRotated(ask: Ask, logs: readonly string[]): Promise<readonly string[]> {
  let chosen = logs;
  for (const { pattern, whole, detail } of listUnrotated(readLogSettings({ logs }).files)) {
    const [from = "", to = ""] = formatPatterns([pattern, whole]);
    const isWanted = await askYesOrNo(ask, `${detail} Read ${to} instead`, "yes");
    if (isWanted) chosen = chosen.map((text) => (text === from ? to : text));
  }
  return chosen;
}

/** @param saved The site that the history of the logs has for lines without one. */
async function askForSites(
  ask: Ask,
  run: LookedAt,
  logs: readonly string[],
  saved: string | undefined,
): Promise<string[] | undefined> {
  const named = run === "large" ? [] : run.sites.filter(({ site }) => site !== UNNAMED);
  const [first, second] = named;
  if (first !== undefined && second === undefined) return undefined;
  if (first !== undefined && logs.every((text) => splitSite(text).key !== undefined)) {
    // Each file is of the site that it is given for, and all are read.
    const known = named.map(({ site }) => ({ id: site, domain: site, name: site }));
    const site = await askForDefaultSite(ask, known, undefined);
    return site === undefined ? undefined : [site];
  }
  const ALL = "all";
  const isOne = first === undefined;
  const called = isOne ? await findCalledIn(run, logs) : undefined;
  const likely = called ?? saved;
  let refused: string | undefined;
  const label = isOne
    ? "Site name for these logs, such as example.com"
    : "Sites to read, separated by commas";
  let sites: string[] = [];
  await ask({
    label,
    fallback: isOne ? likely : ALL,
    read: (text) => {
      sites = text === ALL && !isOne ? [] : text.split(isOne ? "\n" : ",").map(readSite);
      const [site] = sites;
      if (called !== undefined && site !== undefined && site !== called && site !== refused) {
        refused = site;
        throw new AnalyticsError(
          "usage",
          `Their pages call the site ${called}, not ${quoteIfNeeded(site)}.`,
          {
            hint: `If ${quoteIfNeeded(site)} is right, type it again.`,
          },
        );
      }
      const unknown = sites.find((site) => !isOne && !named.some((known) => known.site === site));
      if (unknown === undefined) return text;
      throw new AnalyticsError("usage", `The logs have no site ${quoteWord(unknown)}.`, {
        hint: `They have ${named.map(({ site }) => quoteIfNeeded(site)).join(", ")}.`,
      });
    },
  });
  return sites.length === 0 ? undefined : sites;
}

/** What the pages of logs whose lines name no site seem to call it. */
async function findCalledIn(run: LookedAt, logs: readonly string[]): Promise<string | undefined> {
  if (run !== "large") return run.likely_site ?? undefined;
  return (await import("../../sources/logs/command/first-look.ts")).findProposed(readLogSettings({ logs }));
}

function readSite(text: string): string {
  const site = readSiteName(text);
  if (site !== undefined) return site;
  throw new AnalyticsError("usage", "What you typed is not the name of a site.", {
    hint: "Such as example.com, without a path.",
  });
}

/** @param saved What the history of the logs is counted with. Returns undefined if that stays. */
async function askForTimezone(
  io: Io,
  ask: Ask,
  saved: SavedOptions | undefined,
): Promise<string | undefined> {
  if (saved !== undefined) {
    await printNote(
      io,
      `These logs were counted with the days of ${saved.timezone}. Another timezone holds from now on, and for days whose log files still exist.`,
    );
  }
  const timezone = await ask({
    label: "Timezone for its days, such as Europe/Berlin",
    fallback: saved?.timezone ?? readTimezone(undefined),
    read: (text) => {
      const timezone = findTimezone(text.slice(0, 100));
      if (timezone !== undefined) return timezone;
      throw new AnalyticsError("usage", `There is no timezone ${quoteWord(text)}.`, {
        hint: hintOnTimezone(text),
      });
    },
  });
  return timezone === saved?.timezone ? undefined : timezone;
}

/** Offers the database that countries need. @param source The options that choose the logs. */
export async function offerCountries(io: Io, source: readonly string[]): Promise<void> {
  await printNote(io, "To add the countries of visitors:");
  for (const command of listCountrySetup(source)) await printNote(io, `  ${command}`);
}
