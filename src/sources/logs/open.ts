import { AnalyticsError, quotePath, quoteWord } from "../../errors.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import type { DataSource } from "../data-source.ts";
import { listTexts } from "../named-sites.ts";
import { readSites } from "../source-options.ts";
import type { LocalContext, OpenView, SourceFlags } from "../source-types.ts";
import { readSiteName } from "./host-name.ts";
import { createLogSource, createLogViews } from "./log-source.ts";
import { STDIN } from "./reading/find-files.ts";
import { createReplay } from "./reading/replay.ts";
import { applyOptions, completeOptions, readGivenOptions } from "./saved-options.ts";
import type { LogSettings } from "./settings.ts";
import { describePart } from "./store/history-logs.ts";
import { createLogStore, type LogStoreOptions } from "./store/log-store.ts";
import { openHistoryOf } from "./store/open-history.ts";

/*
 * Access logs as a source. `reading/` turns files into lines and imports none of the other folders; `counting/` turns lines
 * into days and imports their shape from there; `store/` keeps days, and `command/` is for `analytics-mcp logs`: both import
 * `reading/` and `counting/`. Of other sources' folders, all of them import `measure/` alone.
 */

export async function openLogSource(context: LocalContext): Promise<DataSource> {
  const { settings, store } = openStore(context, { readInWorker: createWorkerReader(context) });
  return createLogSource(settings, store);
}

/** Opens the logs once, for several organizations with some of the sites each. */
export async function openLogViews(context: LocalContext): Promise<OpenView> {
  const { settings, store } = openStore(context, { readInWorker: createWorkerReader(context) });
  return createLogViews(settings, store);
}

function createWorkerReader({ flags, environment, clock }: LocalContext): LogStoreOptions["readInWorker"] {
  return async (signal) => {
    const { readInWorker } = await import("./read-in-worker.ts");
    await readInWorker({ flags, environment, now: clock() }, signal);
  };
}

/** @param options As in `LogStoreOptions`. */
export function openStore(
  { flags, environment, clock, openStdin, warn, mayChange }: LocalContext,
  options: Pick<LogStoreOptions, "readInWorker" | "mayChange" | "onNamed"> = {},
) {
  const stdin = openStdin && createReplay(openStdin);
  const settings = { ...readLogSettings(flags, environment.ANALYTICS_SITE), stdin };
  // Standard input is another log each time.
  const isKept = settings.files.every(({ glob }) => glob !== STDIN);
  const openHistory = isKept ? () => openHistoryOf(settings, environment, warn ?? (() => {})) : undefined;
  const look = () => import("./command/first-look.ts");
  const onNamed = async (partOf: readonly string[] = []) => {
    const part = partOf.length > 0 ? [describePart(partOf)] : [];
    // `logs --set` refuses a part.
    if (part.length > 0 && !mayChange) return async () => {};
    const texts = await (await look()).lookFirst(settings);
    return async () => {
      for (const text of texts.concat(part)) await warn?.(text);
    };
  };
  const findCalled: LogStoreOptions["findCalled"] = async (isOnly) => {
    const { findCalled, findOnlyName } = await look();
    return isOnly ? findOnlyName(settings) : findCalled(settings);
  };
  const findProposed = async () => (await look()).findProposed(settings, true);
  const onRenamed = (before: string, name: string, isCalled: boolean) =>
    warn?.(
      `These logs were counted as ${before}; they are counted again as ${name}${isCalled ? ", the name that their pages use" : ""}.`,
    );
  return {
    settings,
    store: createLogStore(settings, {
      clock,
      openHistory,
      mayChange,
      findCalled,
      findProposed,
      onRenamed,
      onNamed: warn && onNamed,
      ...options,
    }),
  };
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
  const database = files.find(({ glob }) => /\.mmdb$/i.test(glob))?.glob;
  if (database !== undefined) {
    throw new AnalyticsError("usage", `${quotePath(database)} is a database of places, not an access log.`, {
      hint: "--geoip takes one file, and the shell makes several of a pattern. Name one: --geoip countries.mmdb",
    });
  }
  const sites = readSites(flags.site, defaultSite);
  const wrong = sites.find((site) => readSiteName(site) === undefined);
  if (wrong !== undefined) {
    throw new AnalyticsError("usage", `--site: ${quoteWord(wrong)} is not the name of a site.`, {
      hint: "Such as example.com, without a path.",
    });
  }
  const given = readGivenOptions(flags);
  return {
    files,
    sites,
    onlySite: sites[0],
    named: sites,
    excludePaths: readPathGlobs(flags.excludePath),
    acceptProxyAddresses: flags.acceptProxyAddresses === true,
    given,
    typedTimezone: flags.timezone === undefined ? undefined : String(flags.timezone),
    ...applyOptions([{ since: "", options: completeOptions(given) }]),
  };
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
