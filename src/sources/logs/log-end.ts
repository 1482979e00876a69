import { addDays, listDays } from "../../operations/days.ts";
import type { SiteLog, SiteLogs } from "./counting/site-log.ts";
import type { LogSettings } from "./settings.ts";

const DAY_SECONDS = 86_400;
const HOUR = 3_600;

/** A log is silent after this many times its longest pause. */
const PAUSES = 4;
/** In days: a week has nights and a weekend. */
const REMEMBERED = 7;

/** The end of a log. */
export interface LogEnd {
  /** When its last line was written, in seconds since 1970. */
  last: number;
  /** Whether it is only silent: lines may be missing, or nobody came. */
  isSilent: boolean;
}

export interface EndContext {
  /** Milliseconds since 1970. */
  now: number;
  hasFiles: boolean;
  /** The sites whose lines are in the same log: where one goes on, another had no visitors. */
  sharing: readonly SiteLog[];
}

/** The sites of each log: a site for which files were named has its own. */
function groupSites(sites: SiteLogs, { files }: Pick<LogSettings, "files">): SiteLog[][] {
  const named = new Set(files.flatMap(({ site }) => site ?? []));
  const all = [...sites.values()];
  const shared = all.filter(({ domain }) => !named.has(domain));
  return [shared, ...all.filter(({ domain }) => named.has(domain)).map((log) => [log])];
}

/** The sites that share the log of a site, itself included. */
export const listSharing = (log: SiteLog, sites: SiteLogs, settings: Pick<LogSettings, "files">): SiteLog[] =>
  groupSites(sites, settings).find((group) => group.includes(log)) ?? [log];

/** The logs that have ended, each as its site with the last line. */
export const listEnded = (
  sites: SiteLogs,
  settings: Pick<LogSettings, "files">,
  asked: Omit<EndContext, "sharing">,
): { log: SiteLog; end: LogEnd }[] =>
  groupSites(sites, settings).flatMap((sharing) => {
    const [log] = [...sharing].sort((a, b) => (b.last ?? 0) - (a.last ?? 0));
    const end = log?.last === undefined ? undefined : findEnd(log, { ...asked, sharing });
    return log === undefined || end === undefined ? [] : { log, end };
  });

/** The end of a log from which no line is expected any more, because no file is left or because it is silent; undefined if lines are. */
export function findEnd(log: SiteLog, { now, hasFiles, sharing }: EndContext): LogEnd | undefined {
  const own = findLast(log, now);
  if (!hasFiles || now / 1000 - own > DAY_SECONDS) return { last: own, isSilent: false };
  const last = sharing.reduce((latest, each) => Math.max(latest, each.last ?? 0), own);
  const silence = now / 1000 - last;
  // Pauses are counted in hours: none is shorter.
  if (silence <= PAUSES * HOUR) return undefined;
  const busiest = sharing.reduce((most, each) => (each.pageviews > most.pageviews ? each : most), log);
  const pause = findLongestPause(busiest, last);
  return pause !== undefined && silence > PAUSES * pause ? { last, isSilent: true } : undefined;
}

/**
 * When the last line was written, in seconds since 1970. If that would be tomorrow or later, the line does not say it, and the last
 * of the other days tells.
 */
export function findLast({ open, closed, last = 0, calendar }: SiteLog, now: number): number {
  const today = calendar.find(now / 1000).date;
  if (calendar.find(last).date <= today) return last;
  const days = [...open.keys(), ...closed.keys()].filter((date) => date <= today);
  return days.length === 0 ? last : calendar.spanOf(days.reduce((a, b) => (a > b ? a : b))).end - 1;
}

/**
 * The longest time, in seconds, from one hour with a hit to the next in the days before an instant. Undefined if they do not tell:
 * there must be a whole day at least.
 */
function findLongestPause(log: SiteLog, until: number): number | undefined {
  const { date } = log.calendar.find(until);
  const days = listDays(addDays(date, -REMEMBERED), date).map((day) => listHours(log, day));
  if (days.includes(undefined)) return undefined;
  const hours = days.flatMap((starts = []) => starts);
  if (until - (hours[0] ?? until) < DAY_SECONDS) return undefined;
  return hours.reduce((longest, hour, index) => Math.max(longest, hour - (hours[index - 1] ?? hour)), 0);
}

/** When the hours of a day begin that have a hit, in seconds since 1970; undefined if only its closed hits tell. */
function listHours({ open, closed }: SiteLog, date: string): number[] | undefined {
  const counts = closed.get(date);
  if (counts !== undefined) {
    const hours = counts.tables.hours();
    return hours?.starts.filter((_, index) => (hours.visitors[index] ?? 0) > 0);
  }
  const day = open.get(date)?.load();
  if (day === undefined) return [];
  const hours = new Set<number>();
  const { second } = day.hits;
  for (let hit = 0; hit < second.length; hit++) hours.add(Math.floor((second.values[hit] ?? 0) / HOUR));
  return [...hours].sort((a, b) => a - b).map((hour) => day.start + hour * HOUR);
}
