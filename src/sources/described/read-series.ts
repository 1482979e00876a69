import { AnalyticsError } from "../../errors.ts";
import { addDays, countDays } from "../../operations/days.ts";
import { stats, timeseries } from "../../operations/index.ts";
import type { Period } from "../../operations/period.ts";
import type { Warning } from "../../operations/warning.ts";
import { formatInstant } from "../calendar.ts";
import type { ServiceSite } from "./field-mapping.ts";
import { readPoints } from "./read-points.ts";
import { readRecord } from "./read-record.ts";
import {
  createWindow,
  findStatedDays,
  listEnds,
  near,
  type ServiceDay,
  type ServiceWindow,
  type WindowQuery,
} from "./service-days.ts";
import type { RequestOptions, ServiceReader } from "./service-reader.ts";
import { findTimezone } from "./service-sites.ts";

/** A series with the days that it covers. */
export interface ServiceSeries {
  window: ServiceWindow;
  points: ServiceDay[];
  timezone: string | undefined;
}

/** Reads series, and finds out which days they are of. */
export function createSeriesReader(reader: ServiceReader, clock: () => number) {
  /** The timezone of a site; where nothing but its totals names one, they are asked. */
  const findZone = async (site: ServiceSite, answer: unknown, days: number, options: RequestOptions) => {
    const allowed = reader.allowedDays(stats);
    return (
      site.timezone ??
      findTimezone(answer) ??
      (await reader.learnTimezone(site, allowed.has(days) ? days : allowed.cover(1), options))
    );
  };

  const readSeries = async (site: ServiceSite, days: number, options: RequestOptions) => {
    const asked = reader.allowedDays(timeseries).cover(days);
    const answer = await reader.askSite(timeseries.path, site, { days: asked }, options);
    const timezone = await findZone(site, answer, asked, options);
    const points = readPoints(reader, answer, timezone);
    const query = { days: asked, dates: points.map(({ date }) => date), timezone, now: clock() };
    const stated = findStatedDays(readRecord(answer));
    const isStated = stated !== undefined && countDays(stated.from, stated.to) === asked;
    const window = createWindow(isStated ? stated.to : await findEnd(site, query, options), query);
    const isOutside = ({ date }: ServiceDay) =>
      window === undefined || date < window.from || date > window.to;
    if (window === undefined || points.some(isOutside)) throw createOtherDaysError(asked);
    const from = addDays(window.to, 1 - days);
    return {
      window: { ...window, from, days },
      points: points.filter(({ date }) => date >= from),
      timezone,
    };
  };

  /**
   * Finds the last day of an answer. Where it can be one of several, fewer days are asked for: as many as would begin with the
   * last day that the series has, if they ended on the first of these days.
   */
  const findEnd = async (site: ServiceSite, query: WindowQuery, options: RequestOptions): Promise<string> => {
    const ends = listEnds(query);
    const [only, ...others] = ends;
    if (only === undefined) throw createOtherDaysError(query.days);
    if (others.length === 0) return only;
    const known = query.dates.at(-1);
    if (known === undefined) throw createUnknownDaysError();
    for (const end of ends.slice(0, -1)) {
      const days = countDays(known, end);
      if (!reader.allowedDays(timeseries).has(days)) throw createUnknownDaysError();
      const answer = await reader.askSite(timeseries.path, site, { days }, options);
      const points = readPoints(reader, answer, query.timezone);
      if (points.some(({ date }) => date === known)) return end;
    }
    return ends.at(-1) ?? only;
  };

  /** The days that a breakdown says it covers; undefined if it does not. */
  const findWindow = async (site: ServiceSite, answer: unknown, options: RequestOptions) => {
    const stated = findStatedDays(readRecord(answer));
    if (stated === undefined) return undefined;
    const days = countDays(stated.from, stated.to);
    const timezone = await findZone(site, answer, days, options);
    const window = createWindow(stated.to, { days, timezone, now: clock() });
    return window && { window, timezone };
  };

  const describePeriod = ({ window, timezone }: Pick<ServiceSeries, "window" | "timezone">): Period => {
    const { from, to, days, partial } = window;
    return {
      from,
      to,
      days,
      ...(timezone !== undefined && { timezone }),
      ...(partial !== undefined && { partial, complete_through: partial ? addDays(to, -1) : to }),
      as_of: formatNow(clock(), timezone),
    };
  };

  return { readSeries, findWindow, describePeriod };
}

export const formatNow = (now: number, timezone: string | undefined): string =>
  timezone === undefined ? `${new Date(now).toISOString().slice(0, 19)}Z` : formatInstant(now, timezone);

const createOtherDaysError = (days: number) =>
  new AnalyticsError(
    "bad_answer",
    `The answer to ${timeseries.path} covers other days than the ${days} that were asked for.`,
    {
      status: 200,
      hint: "Nothing was shown, because the numbers could be those of other days. Report it to the service's operator.",
    },
  );

const createUnknownDaysError = () =>
  new AnalyticsError(
    "bad_answer",
    "Which days these are cannot be known: the service does not say, and leaves out days without traffic.",
    { status: 200, hint: "Ask for more days, such as --days 90, among which there is one with traffic." },
  );

/**
 * What cannot be known about the dates.
 *
 * @param advice How the timezone can be named, after a space.
 */
export function describeDates(
  { window, timezone }: Pick<ServiceSeries, "window" | "timezone">,
  advice: string,
): Warning[] {
  if (timezone !== undefined) return [];
  const { to, partial } = window;
  const isToday = partial !== false;
  const meaning = isToday ? `${to}, its last day, is taken as today` : "its dates are its own";
  const warning = near(`This service names no timezone: ${meaning}.${advice}`);
  return [isToday ? { ...warning, values: { day: to } } : warning];
}
