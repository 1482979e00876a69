import { addDays, listDays } from "../../../operations/days.ts";
import { createSiteLog, type SiteLog } from "../counting/site-log.ts";
import { createCalendar, type LogCalendar } from "../day-span.ts";
import type { LogContent } from "../reading/log-content.ts";
import { currentOptions, listDifferent, listZones, type OptionsSince } from "../saved-options.ts";
import type { SavedOptions } from "../settings.ts";
import type { ReadFiles, ReadLogs } from "./rebuild-days.ts";

/** The days of which all lines are still in files. */
export interface CountableDays {
  /** The first day that counts. */
  first: string;
  /** The first of them. */
  since: string;
  /** Whether there is an earlier day. */
  isPart: boolean;
}

/** Finds the days that can be counted anew. @param now Seconds since 1970. */
export function findCountable({ sites, files }: ReadLogs, calendar: LogCalendar, now: number): CountableDays {
  const dates = [...sites.values()].flatMap(({ open, closed }) => [...open.keys(), ...closed.keys()]);
  const first = dates.reduce((a, b) => (b < a ? b : a), calendar.find(now).date);
  const lost = [...files.contents.values()].filter((content) => !isWhole(files, content));
  const end = Math.max(...lost.map(({ latest }) => latest));
  // Whose lines are known to be counted, but not which lines these were.
  const settled = [...sites.values()].map((log) => log.settled);
  const kept = [...settled, ...(Number.isFinite(end) ? [calendar.find(end).date] : [])].sort().at(-1) ?? "";
  if (kept === "") return { first, since: first, isPart: false };
  const since = addDays(kept, 1);
  return { first, since: since < first ? first : since, isPart: since > first };
}

const isWhole = ({ isPresent }: ReadFiles, content: LogContent): boolean =>
  isPresent(content) && content.damage === undefined;

/** The options of a history after a change. */
export function changeOptions(
  history: readonly OptionsSince[],
  given: Partial<SavedOptions>,
  { since, isPart }: CountableDays,
): OptionsSince[] {
  const options = { ...currentOptions(history), ...given };
  // How long days are kept does not change what they count.
  if (!isCountedOtherwise(history, given))
    return [...history.slice(0, -1), { since: history.at(-1)?.since ?? "", options }];
  return isPart
    ? [...history.filter((before) => before.since < since), { since, options }]
    : [{ since: "", options }];
}

/** Whether days count differently with some options. */
export const isCountedOtherwise = (history: readonly OptionsSince[], given: Partial<SavedOptions>): boolean =>
  listDifferent(given, currentOptions(history)).some((key) => key !== "keep");

/** How to read all files again, for some days of some sites. */
export interface Recount {
  read: ReadLogs;
  /** The domains to count; those that are no site yet become one if they have lines. */
  domains: readonly string[];
  countable: CountableDays;
  options: readonly OptionsSince[];
  /** Seconds since 1970. */
  now: number;
  readAgain(
    copies: readonly SiteLog[],
    days: ReadonlyMap<string, ReadonlySet<string>>,
    signal?: AbortSignal,
  ): Promise<ReadLogs>;
}

/**
 * Counts anew from a day on. Returns the sites as they are then; undefined if the files have changed meanwhile. Earlier days stay as
 * they are.
 */
export async function recount(
  { read, domains, countable, options, now, readAgain }: Recount,
  signal?: AbortSignal,
): Promise<SiteLog[] | undefined> {
  const calendar = createCalendar(listZones(options));
  const last = Math.max(
    now,
    ...[...read.files.contents.values()].flatMap(({ latest }) => (latest > now ? latest : [])),
  );
  const days = new Set(listDays(countable.since, addDays(calendar.find(last).date, 1)));
  if (domains.length === 0) return [...read.sites.values()];
  const again = await readAgain(
    domains.map((domain) => createSiteLog(domain, calendar)),
    new Map(domains.map((domain) => [domain, days])),
    signal,
  );
  if (!hasReadAll(read.files, again.files)) return undefined;
  const logs = new Map(read.sites);
  for (const domain of domains) {
    const [before, copy] = [read.sites.get(domain), again.sites.get(domain)];
    if (copy?.first === undefined && before === undefined) continue;
    logs.set(domain, joinDays(before, copy ?? createSiteLog(domain, calendar), countable, calendar));
  }
  return [...logs.values()].map((log) => ({ ...log, calendar }));
}

/** Whether all that was read of the files that are still there was read again. */
function hasReadAll(files: ReadFiles, { contents }: ReadFiles): boolean {
  const again = [...contents.values()];
  return [...files.contents.values()]
    .filter((content) => isWhole(files, content))
    .every(({ fingerprint, read }) =>
      again.some((other) => other.fingerprint === fingerprint && other.read >= read),
    );
}

/** The days of a site before one, and those of a copy from there on. */
function joinDays(
  before: SiteLog | undefined,
  copy: SiteLog,
  { since, isPart }: CountableDays,
  calendar: LogCalendar,
): SiteLog {
  if (!isPart) return copy;
  // Its lines of earlier days were read, and do not count.
  if (before === undefined)
    return { ...copy, first: Math.max(copy.first ?? 0, calendar.spanOf(since).start) };
  const isEarlier = ([date]: readonly [string, unknown]) => date < since;
  const join = <T>(one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>) =>
    new Map([...[...one].filter(isEarlier), ...other]);
  return {
    ...before,
    open: join(before.open, copy.open),
    closed: join(before.closed, copy.closed),
    late: join(before.late, copy.late),
    lost: join(before.lost, copy.lost),
    places: new Set([...before.places, ...copy.places]),
  };
}
