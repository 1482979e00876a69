import { addDays, listDays } from "../../operations/days.ts";
import type { OpenDay } from "./counting/open-day.ts";
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
  /** Those that may be spoken of: the lines of the others only tell whether the log goes on. */
  shown: readonly SiteLog[];
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
  asked: Omit<EndContext, "sharing" | "shown">,
): { log: SiteLog; end: LogEnd }[] =>
  groupSites(sites, settings).flatMap((sharing) => {
    const [log] = [...sharing].sort((a, b) => findLast(b, asked.now) - findLast(a, asked.now));
    const end = log?.last === undefined ? undefined : findEnd(log, { ...asked, sharing, shown: sharing });
    return log === undefined || end === undefined ? [] : { log, end };
  });

/** The end of a log from which no line is expected any more, because no file is left or because it is silent; undefined if lines are. */
export function findEnd(log: SiteLog, { now, hasFiles, sharing, shown }: EndContext): LogEnd | undefined {
  const own = findLast(log, now);
  if (!hasFiles || now / 1000 - own > DAY_SECONDS) return { last: own, isSilent: false };
  const findLatest = (logs: readonly SiteLog[]) =>
    logs.reduce((latest, each) => Math.max(latest, findPast(each, now) ?? 0), 0);
  const last = findLatest(sharing);
  const silence = now / 1000 - last;
  // Pauses are counted in hours: none is shorter.
  if (silence <= PAUSES * HOUR) return undefined;
  const busiest = sharing.reduce((most, each) => (each.pageviews > most.pageviews ? each : most), log);
  const pause = findLongestPause(busiest, last);
  if (pause === undefined || silence <= PAUSES * pause) return undefined;
  const isShown = new Set(shown);
  return { last: findLatest(sharing.filter((each) => isShown.has(each))), isSilent: true };
}

/** When the last line was written, in seconds since 1970: one that is dated after now says it only if all are. */
export const findLast = (log: SiteLog, now: number): number => findPast(log, now) ?? log.last ?? 0;

function findPast({ open, closed, last, calendar }: SiteLog, now: number): number | undefined {
  const until = now / 1000;
  if (last === undefined || last <= until) return last;
  const today = calendar.find(until).date;
  const days = [...open.keys(), ...closed.keys()].filter((date) => date <= today).sort();
  for (const date of days.reverse()) {
    const day = closed.has(date) ? undefined : open.get(date)?.load();
    if (day === undefined) return calendar.spanOf(date).end - 1;
    const seconds = listSeconds(day).filter((second) => second <= until);
    if (seconds.length > 0) return seconds.reduce((a, b) => Math.max(a, b));
  }
  return undefined;
}

/**
 * The longest time, in seconds, from one hour with a hit to the next in the days before an instant. Undefined if they do not tell:
 * there must be a whole day at least.
 */
function findLongestPause(log: SiteLog, until: number): number | undefined {
  const { date } = log.calendar.find(until);
  const days = listDays(addDays(date, -REMEMBERED), date).map((day) => listHours(log, day));
  if (days.includes(undefined)) return undefined;
  const hours = days.flatMap((starts = []) => starts).filter((start) => start <= until);
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
  const hours = new Set(listSeconds(day).map((second) => second - ((second - day.start) % HOUR)));
  return [...hours].sort((a, b) => a - b);
}

/** When the hits of an open day came, in seconds since 1970. */
const listSeconds = ({ hits: { second }, start }: OpenDay): number[] =>
  Array.from({ length: second.length }, (_, hit) => start + (second.values[hit] ?? 0));
