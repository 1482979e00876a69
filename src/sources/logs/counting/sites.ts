import type { SiteSelection } from "../../../config/site-patterns.ts";
import { AnalyticsError, quoteIfNeeded } from "../../../errors.ts";
import type { Days } from "../../../operations/days.ts";
import { formatSpan } from "../../../operations/period.ts";
import { quoteForShell } from "../../../operations/shell-command.ts";
import { findNearestSite } from "../../../suggest.ts";
import { STDIN } from "../reading/find-files.ts";
import { listNamedLogs } from "../reading/named-logs.ts";
import { type LogPattern, type LogSettings, quotePatterns } from "../settings.ts";
import type { SiteLog, SiteLogs } from "./site-log.ts";

/** A host is a site if it has at least this share of all page views. */
const MIN_SHARE = 0.01;

/** What tells whether a host is a site. */
type Visited = Pick<SiteLog, "domain" | "pageviews">;

/** The sites of the logs, by domain: those that were named, else the hosts that people visit. Throws AnalyticsError. */
export function listSites(sites: SiteLogs, settings: LogSettings): SiteLog[] {
  const found = findSites(sites, settings);
  const hasViews = [...sites.values()].some(({ pageviews }) => pageviews > 0);
  if (found.length === 0 && !hasViews) throw createNamelessError(settings);
  return found;
}

/** The same, but empty if nobody visited any site. */
export function findSites(sites: SiteLogs, settings: LogSettings): SiteLog[] {
  const all = listLogs(sites);
  const chosen = pickAssigned(all, settings);
  // If the log has none of the named sites, the name is mistyped: the error about it lists the sites that there are.
  return chosen.length > 0 ? chosen : pickVisited(all);
}

/**
 * The sites of one organization, by domain. The traffic of others does not matter: a small organization on a large server has
 * its sites, too. Throws AnalyticsError.
 */
export function listOwnSites<S extends Visited>(
  sites: ReadonlyMap<string, S>,
  settings: LogSettings,
  { names, includes }: SiteSelection,
): S[] {
  const all = listLogs(sites);
  if (all.length === 0) throw createNamelessError(settings);
  const chosen = pickAssigned(all, settings);
  const own = (chosen.length > 0 ? chosen : all).filter(({ domain }) => includes(domain));
  const visited = new Set(pickVisited(own));
  return own.filter((log) => chosen.length > 0 || names.has(log.domain) || visited.has(log));
}

const listLogs = <S extends Visited>(sites: ReadonlyMap<string, S>): S[] =>
  [...sites.values()].sort((a, b) => (a.domain < b.domain ? -1 : 1));

/** The sites that the settings name. */
function pickAssigned<S extends Visited>(all: readonly S[], { sites: named, files }: LogSettings): S[] {
  const assigned = new Set([...named, ...files.flatMap(({ site }) => site ?? [])]);
  return all.filter(({ domain }) => assigned.has(domain));
}

/** Leaves out hosts that are only in made-up requests. */
function pickVisited<S extends Visited>(all: readonly S[]): S[] {
  const total = all.reduce((sum, { pageviews }) => sum + pageviews, 0);
  return all.filter(({ pageviews }) => pageviews > 0 && pageviews >= MIN_SHARE * total);
}

interface OtherSite {
  files: readonly LogPattern[];
  /** What the pages call the site of these logs; undefined if they do not say, or were not read. */
  called?: string | undefined;
  /** The days that cannot be counted again; null if there is none, undefined if that is not known. */
  lost?: Days | null;
  /** Whether the name is no slip, as where it is to be saved. */
  isMeant?: boolean | undefined;
}

/** The lines have the name that was given first: another one would be given the same numbers. */
export function createOtherSiteError(
  known: string,
  asked: string,
  { files, called, lost, isMeant = false }: OtherSite,
): AnalyticsError {
  const name = quoteIfNeeded(asked);
  const right = called ?? known;
  const isSlip = findNearestSite(asked, [right]) !== undefined;
  const say = isSlip
    ? `Did you mean --site ${right}?`
    : `Their pages call it ${right}: ask with --site ${right}.`;
  const isRight = isMeant || called === asked || (called === undefined && !isSlip);
  const hint = isRight
    ? `${known.includes(" ") ? "" : `Ask with --site ${known}. `}To count them again as ${name}, first remove what was counted${describeLoss(lost)}: analytics-mcp logs --forget ${quotePatterns(files)}`
    : `${say} If ${name} is right, log in with it: analytics-mcp login ${files.map((file) => `--logs ${quotePatterns([file])}`).join(" ")} --site ${quoteForShell(asked)}`;
  return new AnalyticsError("usage", `These logs are of ${known}, not of ${name}.`, { hint });
}

function describeLoss(lost: Days | null | undefined): string {
  if (lost === null) return "";
  if (lost === undefined) return ", which loses days whose files are gone";
  return `, which loses ${formatSpan(lost)} for good, since log files of these days are gone`;
}

/** The error of logs whose lines name no host, if nothing else names their site. */
export function createNamelessError({ sites: [named], proposedSite, files }: LogSettings): AnalyticsError {
  const [file] = files;
  if (named !== undefined && file !== undefined) {
    const whole = quoteForShell(`${named}=${file.glob}`);
    return new AnalyticsError("usage", `The logs have no request to ${named}.`, {
      hint: `To see which hosts they have: analytics-mcp logs ${quotePatterns(files)}. If all of a file is about ${named}, name both: --logs ${whole}`,
    });
  }
  const [byName] = listNamedLogs(files.map(({ glob }) => glob.replace(/[*?[{].*$/, ""))).keys();
  return new AnalyticsError("usage", "The logs do not say which site they are about.", {
    hint:
      byName !== undefined
        ? `Name it, as the file's name does: --site ${byName}.`
        : proposedSite !== undefined
          ? `Name it. Links between their pages are of ${proposedSite}: if that is right, add --site ${proposedSite}`
          : file?.glob === STDIN
            ? "Name it: --site example.com"
            : "Name it: --site example.com. Or, for one file per site: --logs example.com=/var/log/nginx/example.com.log",
  });
}
