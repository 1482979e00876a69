import { createNoFilterError, createNoHoursError } from "../../client/http-client.ts";
import { AnalyticsError } from "../../errors.ts";
import { readMember } from "../../member.ts";
import type { CallOptions } from "../../operations/call.ts";
import { addDays, countDays } from "../../operations/days.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { breakdown, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import type { AnswerOf, Operation, ParamsOf } from "../../operations/operation.ts";
import type { Period } from "../../operations/period.ts";
import { compareRows } from "../../operations/row-order.ts";
import { UnreadableListError } from "../../operations/unreadable-list.ts";
import { OTHER_ORDER, PERIOD_VISITORS, type Warning } from "../../operations/warning.ts";
import { dateAt, formatInstant } from "../calendar.ts";
import { readAllowedDays } from "./allowed-days.ts";
import { listPossibleToday, readDates, readWritten } from "./answer-dates.ts";
import type { Reading, ServiceSite } from "./field-mapping.ts";
import { createMissingError, readCount } from "./find-field.ts";
import { countRecord, findActive, findInRecord, readRecord } from "./read-record.ts";
import { applyReading, findTable, isEmptyList, readRowColumns, readSeriesColumns } from "./read-table.ts";
import {
  createWindow,
  fillDays,
  findStatedDays,
  listEnds,
  near,
  type ServiceDay,
  type ServiceWindow,
  sumOf,
  type WindowQuery,
} from "./service-days.ts";
import type { RequestOptions, ServiceReader } from "./service-reader.ts";
import { findSite, findTimezone } from "./service-sites.ts";

/** Answers of a service by its own description, as far as it has them. */
export interface DescribedService {
  answer<O extends Operation>(operation: O, params: ParamsOf<O>, options: CallOptions): Promise<AnswerOf<O>>;
  today(site: string, options: CallOptions): Promise<string>;
  lastDay(site: string, options: CallOptions): Promise<string>;
  addsUp(site: string, days: number, options: CallOptions): Promise<boolean>;
  offersDays(operation: { path: string }): boolean;
  /** The totals alone, whose fields can be found where those of the series cannot. */
  totals(site: string, days: number, options: CallOptions): Promise<Totals>;
}

export interface DescribedContext {
  reader: ServiceReader;
  clock: () => number;
  /** The timezones of sites, by domain, that the person named. */
  siteTimezones: Readonly<Record<string, string>>;
}

/** A series with the days that it covers. */
interface ServiceSeries {
  window: ServiceWindow;
  points: ServiceDay[];
  timezone: string | undefined;
}

interface Totals {
  visitors: number;
  pageviews: number;
  events: number | undefined;
}

export function createDescribedService({ reader, clock, siteTimezones }: DescribedContext): DescribedService {
  const { mapping } = reader;

  const locate = async (asked: string, options: RequestOptions): Promise<ServiceSite> => {
    const { sites: known } = reader.learned();
    try {
      return addTimezone(findSite(known, asked));
    } catch {
      // It may be new, or one of many.
      const { sites: listed } = await reader.listSites(options);
      return addTimezone(findSite(listed, asked));
    }
  };
  const addTimezone = (site: ServiceSite): ServiceSite => {
    if (site.timezone !== undefined) return site;
    const timezone = readMember(siteTimezones, site.domain) ?? siteTimezones["*"];
    return timezone === undefined ? site : { ...site, timezone };
  };

  const daysOf = (path: string) => readAllowedDays(reader.parameter(path, "days"));

  /** The timezone of a site; where nothing but its totals names one, they are asked. */
  const findZone = async (site: ServiceSite, answer: unknown, days: number, options: RequestOptions) => {
    const allowed = daysOf(stats.path);
    return (
      site.timezone ??
      findTimezone(answer) ??
      (await reader.learnTimezone(site, allowed.has(days) ? days : allowed.cover(1), options))
    );
  };

  const readSeries = async (
    site: ServiceSite,
    days: number,
    options: RequestOptions,
  ): Promise<ServiceSeries> => {
    const asked = daysOf(timeseries.path).cover(days);
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
      if (!daysOf(timeseries.path).has(days)) throw createUnknownDaysError();
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

  const readTotals = async (site: ServiceSite, days: number, options: RequestOptions): Promise<Totals> => {
    const answer = await reader.askSite(stats.path, site, { days }, options);
    const cells = readRecord(answer);
    const counts = reader.read("stats", stats.path, answer, {
      apply: (reading) => countRecord(cells, reading),
      find: () =>
        findInRecord(cells, {
          operation: stats.name,
          path: stats.path,
          chosen: mapping.stats ?? {},
          texts: reader.texts(stats.path),
          fields: [
            { field: "visitors", words: "visitors", isRequired: true },
            { field: "pageviews", words: "pageviews", isRequired: true },
            { field: "events", words: "events", isRequired: false },
          ],
        }),
    });
    return {
      visitors: counts.get("visitors") ?? 0,
      pageviews: counts.get("pageviews") ?? 0,
      events: counts.get("events"),
    };
  };

  /** The totals beside the days that they are the totals of. If page views arrived between the two answers, reads them again. */
  const readBoth = async (site: ServiceSite, days: number, options: RequestOptions) => {
    const read = (given: RequestOptions) =>
      Promise.all([readTotals(site, days, given), readSeries(site, days, given)]);
    const [totals, series] = await read(options);
    if (totals.pageviews === sumOf(series.points, "pageviews") || series.window.partial === false)
      return { totals, series };
    const [later, laterSeries] = await read({ ...options, fresh: true });
    return { totals: later, series: laterSeries };
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

  const answerSites = async (options: RequestOptions): Promise<AnswerOf<typeof sites>> => {
    const { sites: listed, isCut } = await reader.listSites(options);
    return {
      as_of: formatNow(clock(), undefined),
      sites: listed
        .map(addTimezone)
        .toSorted((a, b) => Number(a.domain > b.domain) - Number(a.domain < b.domain)),
      ...join(isCut ? [near("The service lists its sites in pages, and these are not all of them.")] : []),
    };
  };

  const answerStats = async (
    asked: ParamsOf<typeof stats>,
    options: RequestOptions,
  ): Promise<AnswerOf<typeof stats>> => {
    const site = await locate(asked.site, options);
    const { days } = asked;
    const { totals, series, hasEvents } = daysOf(stats.path).has(days)
      ? { ...(await readBoth(site, days, options)), hasEvents: false }
      : await sumOfDays(site, days, options);
    const { warnings: left } = fillDays(series.window, series.points, totals.pageviews);
    return {
      site: refer(site),
      period: describePeriod(series),
      visitors: totals.visitors,
      pageviews: totals.pageviews,
      ...(totals.events !== undefined && { events: totals.events }),
      ...join([
        ...(totals.events === undefined
          ? [near(hasEvents ? UNKNOWN_EVENTS : "This service has no events.")]
          : []),
        ...describeVisitors(days, totals.visitors, series.points),
        ...left,
        ...describeDates(series),
      ]),
    };
  };

  /** The totals of days that the service does not allow, from more days; only where its visitors add up. */
  const sumOfDays = async (site: ServiceSite, days: number, options: RequestOptions) => {
    const allowed = daysOf(stats.path);
    const { totals, series } = await readBoth(site, allowed.cover(days), options);
    if (days > 1 && totals.visitors !== sumOf(series.points, "visitors"))
      throw allowed.createError("here, because visitors of days do not add up");
    const from = addDays(series.window.to, 1 - days);
    const points = series.points.filter(({ date }) => date >= from);
    const sums = {
      visitors: sumOf(points, "visitors"),
      pageviews: sumOf(points, "pageviews"),
      events: undefined,
    };
    return {
      totals: sums,
      series: { ...series, points, window: { ...series.window, from, days } },
      hasEvents: totals.events !== undefined,
    };
  };

  const answerSeries = async (
    { site: name, days }: { site: string; days: number },
    options: RequestOptions,
  ): Promise<AnswerOf<typeof timeseries>> => {
    const site = await locate(name, options);
    const series = await readSeries(site, days, options);
    const hasAll = series.points.length === days;
    const total =
      !hasAll && daysOf(stats.path).has(days) ? (await readTotals(site, days, options)).pageviews : undefined;
    const { days: filled, warnings } = fillDays(series.window, series.points, total);
    return {
      site: refer(site),
      period: describePeriod(series),
      interval: "day",
      points: filled,
      ...join([...(days > 1 ? [EACH_DAY] : []), ...warnings, ...describeDates(series)]),
    };
  };

  const answerBreakdown = async (
    { site: name, dimension, limit, days }: ParamsOf<typeof breakdown>,
    options: RequestOptions,
  ): Promise<AnswerOf<typeof breakdown>> => {
    const site = await locate(name, options);
    const takesDays = reader.takes(breakdown.path, "days");
    if (takesDays && !daysOf(breakdown.path).has(days))
      throw daysOf(breakdown.path).createError("for a breakdown at this service");
    const { maximum = limit } = reader.parameter(breakdown.path, "limit") ?? {};
    const asked = Math.min(limit, maximum);
    const [answer, series] = await Promise.all([
      reader.askDimension(site, dimension, { limit: asked, days }, options),
      takesDays ? readSeries(site, days, options) : undefined,
    ]);
    const { rows, total, unnamed, isRanked } = readRows(reader, answer, dimension);
    const period = series ?? (await findWindow(site, answer, options));
    const shown = rows.slice(0, limit);
    const truncated = total === undefined ? rows.length >= asked : total > shown.length;
    return {
      site: refer(site),
      ...(period && { period: describePeriod(period) }),
      dimension,
      rows: shown,
      limit,
      ...(total !== undefined && total >= rows.length && { total_rows: total }),
      truncated,
      ...join([
        ...(isRanked || !truncated ? [] : [OTHER_RANKING]),
        ...(unnamed === undefined
          ? []
          : [near(`The service does not say what it counts here: it calls the number ${unnamed}.`)]),
        ...(period ? describeDates(period) : []),
      ]),
    };
  };

  const answerActive = async (
    asked: { site: string },
    options: RequestOptions,
  ): Promise<AnswerOf<typeof realtime>> => {
    const site = await locate(asked.site, options);
    const answer = await reader.askSite(realtime.path, site, {}, options);
    const cells = readRecord(answer);
    const visitors = reader.read("realtime", realtime.path, answer, {
      apply: ({ visitors: found }) =>
        found && readCount(found.pointer === "" ? answer : cells.get(found.pointer)),
      find: () =>
        findActive(answer, {
          path: realtime.path,
          chosen: mapping.realtime ?? {},
          texts: reader.texts(realtime.path),
        }),
    });
    return {
      site: refer(site),
      visitors,
      window_minutes: WINDOW_MINUTES,
      as_of: formatNow(clock(), site.timezone ?? findTimezone(answer)),
    };
  };

  const readLast = async (name: string, options: RequestOptions) => {
    const site = await locate(name, options);
    const days = daysOf(timeseries.path).comeNear(DEFAULT_DAYS);
    return { site, series: await readSeries(site, days, options) };
  };

  return {
    answer: async (operation, params, options) => {
      if (options.filter !== undefined) throw createNoFilterError();
      if ("interval" in params) throw createNoHoursError();
      // Each answer takes its own operation's parameters; the compiler cannot connect the two through the name.
      const asked = params as never;
      switch (operation.name) {
        case sites.name:
          return answerSites(options) as never;
        case stats.name:
          return answerStats(asked, options) as never;
        case timeseries.name:
          return answerSeries(asked, options) as never;
        case breakdown.name:
          return answerBreakdown(asked, options).catch(renameUnreadable) as never;
        case realtime.name:
          return answerActive(asked, options) as never;
        default:
          throw new AnalyticsError("not_found", `This service does not offer ${operation.name}.`, {
            status: 404,
          });
      }
    },
    today: async (name, options) => {
      const site = await locate(name, options);
      if (site.timezone !== undefined) return dateAt(clock(), site.timezone);
      const { series } = await readLast(name, options);
      if (series.timezone !== undefined) return dateAt(clock(), series.timezone);
      const possible = listPossibleToday(clock());
      // The service's last day is today, unless that day is over everywhere.
      if (possible.includes(series.window.to)) return series.window.to;
      return new Date(clock()).toISOString().slice(0, 10);
    },
    lastDay: async (name, options) => (await readLast(name, options)).series.window.to,
    addsUp: async (name, days, options) => {
      if (days <= 1) return true;
      const site = await locate(name, options);
      const { totals, series } = await readBoth(site, daysOf(stats.path).cover(days), options);
      return totals.visitors === sumOf(series.points, "visitors");
    },
    offersDays: ({ path }) => reader.takes(path, "days"),
    totals: async (name, days, options) => readTotals(await locate(name, options), days, options),
  };
}

/** What cannot be read in one list says nothing about others. */
function renameUnreadable(error: unknown): never {
  if (!(error instanceof AnalyticsError) || error.code !== "bad_answer") throw error;
  const { code, message, hint, status } = error;
  throw new UnreadableListError(code, message, { hint, status, cause: error });
}

const WINDOW_MINUTES = 5;
const DEFAULT_DAYS = 30;

const refer = ({ id, domain }: ServiceSite) => ({ id, domain });
const join = (warnings: readonly Warning[]) => (warnings.length === 0 ? {} : { warnings: [...warnings] });

const formatNow = (now: number, timezone: string | undefined): string =>
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

const UNKNOWN_EVENTS =
  "Events of these days are not known: the service has them only for other numbers of days.";

const OTHER_RANKING: Warning = {
  code: OTHER_ORDER,
  detail:
    "The service does not rank its rows by visitors: one that it left out may have more than one shown.",
};

const EACH_DAY: Warning = {
  code: PERIOD_VISITORS,
  detail: "Each day counts its own visitors: they need not add up to those of all days.",
};

/** What a visitor is, as far as the days tell. */
function describeVisitors(days: number, total: number, points: readonly ServiceDay[]): Warning[] {
  const sum = sumOf(points, "visitors");
  if (days === 1 || total === sum) return [];
  const detail =
    total < sum
      ? "This service counts a visitor once in all these days, so the visitors of its days add up to more."
      : "The visitors of this service's days add up to fewer than the total.";
  return [{ code: PERIOD_VISITORS, detail }];
}

/** What cannot be known about the dates. */
function describeDates({ window, timezone }: Pick<ServiceSeries, "window" | "timezone">): Warning[] {
  return [
    ...(timezone === undefined ? [near("This service names no timezone: its dates are its own.")] : []),
    ...(window.partial === undefined ? [near(`Whether ${window.to} is over cannot be known.`)] : []),
  ];
}

/** The days of a series, ascending. Throws AnalyticsError `bad_answer` for days that cannot be read, or that are there twice. */
function readPoints(reader: ServiceReader, answer: unknown, timezone: string | undefined): ServiceDay[] {
  const { path, name } = timeseries;
  if (reader.learned().readings[name] === undefined && isEmptyList(answer)) return [];
  const query = { operation: name, path, chosen: reader.mapping.timeseries ?? {}, texts: reader.texts(path) };
  const apply = (reading: Reading): ServiceDay[] | undefined => {
    const table = applyReading(answer, reading);
    if (table === undefined) return isEmptyList(answer) ? [] : undefined;
    const cells = (field: string) =>
      table.rows.map((row) => row.get(readMember(reading, field)?.pointer ?? "") ?? null);
    const [visitors, pageviews] = [cells("visitors"), cells("pageviews")];
    const written = cells("date").map(readWritten);
    const known = written.filter((day) => day !== undefined);
    if (known.length < written.length) return undefined;
    const dates = readDates(known, timezone);
    if (dates === undefined)
      throw createMissingError(
        { operation: name, path, field: "date" },
        { reason: "has times whose day cannot be told without a timezone, its" },
      );
    return dates.flatMap((date, index): ServiceDay[] => {
      const counts = [readCount(visitors[index]), readCount(pageviews[index])];
      const [day, views] = counts;
      return day === undefined || views === undefined ? [] : [{ date, visitors: day, pageviews: views }];
    });
  };
  const points = reader.read(name, path, answer, {
    apply,
    find: () => findTable(answer, query, (table) => readSeriesColumns(table, query)).reading,
  });
  const sorted = points.toSorted((a, b) => Number(a.date > b.date) - Number(a.date < b.date));
  const repeated = sorted.find(({ date }, index) => date === sorted[index - 1]?.date);
  if (repeated)
    throw createMissingError(
      { operation: name, path, field: "date" },
      { reason: `has ${repeated.date} twice, its` },
    );
  return sorted;
}

type Row = AnswerOf<typeof breakdown>["rows"][number];

interface ReadRows {
  rows: Row[];
  total: number | undefined;
  /** What the service calls a count that no word names. */
  unnamed: string | undefined;
  /** Whether the service has its rows in the contract's order of visitors. */
  isRanked: boolean;
}

const MAX_VALUE = 500;

function readRows(reader: ServiceReader, answer: unknown, dimension: Dimension): ReadRows {
  const { path, name } = breakdown;
  const key = `${name} ${dimension}`;
  const none: ReadRows = { rows: [], total: undefined, unnamed: undefined, isRanked: true };
  if (readMember(reader.learned().readings, key) === undefined && isEmptyList(answer)) return none;
  const { breakdown: ofAll = {}, breakdowns: { [dimension]: own = {} } = {} } = reader.mapping;
  const query = { operation: name, path, chosen: { ...ofAll, ...own }, texts: reader.texts(path) };
  const envelope = readRecord(answer);
  const apply = (reading: Reading): ReadRows | undefined => {
    const table = applyReading(answer, reading);
    if (table === undefined) return isEmptyList(answer) ? none : undefined;
    const rows = table.rows.map((row): Row | undefined => {
      const cell = (field: string) => row.get(readMember(reading, field)?.pointer ?? "");
      const counts = (["visitors", "pageviews", "events", "count"] as const).flatMap((field) =>
        readMember(reading, field) === undefined ? [] : [[field, readCount(cell(field))] as const],
      );
      const known = counts.filter(
        (entry): entry is readonly [(typeof entry)[0], number] => entry[1] !== undefined,
      );
      // A metric that a row does not have is null; one that is no count is an error.
      if (counts.some(([field, count]) => count === undefined && (cell(field) ?? null) !== null))
        return undefined;
      const given = cell("value");
      const value =
        given === null || given === undefined || given === "" ? null : String(given).slice(0, MAX_VALUE);
      const label = cell("label");
      const shown =
        typeof label === "string" && label !== "" ? label.slice(0, MAX_VALUE) : (value ?? "(none)");
      return { value, label: shown, ...Object.fromEntries(known) };
    });
    const complete = rows.filter((row) => row !== undefined);
    if (complete.length < rows.length) return undefined;
    const count = reading.count?.pointer;
    const total =
      reading.total_rows === undefined ? undefined : readCount(envelope.get(reading.total_rows.pointer));
    return {
      rows: complete.toSorted(compareCounts),
      total,
      unnamed: count && JSON.stringify(count.slice(1, 60)),
      isRanked: complete.every(
        ({ visitors = 0 }, index) => visitors <= (complete[index - 1]?.visitors ?? visitors),
      ),
    };
  };
  return reader.read(key, path, answer, {
    apply,
    find: () => {
      const { reading } = findTable(answer, query, (table) =>
        readRowColumns(table, query, dimension, envelope),
      );
      const fields = [{ field: "total_rows", words: "total_rows" as const, isRequired: false }];
      return { ...reading, ...findInRecord(envelope, { ...query, fields }) };
    },
  });
}

/** In the contract's order, by what is there. */
const compareCounts = (a: Row, b: Row) => compareRows(orderOf(a), orderOf(b));
const orderOf = ({ value, visitors, pageviews, events, count }: Row) => ({
  value,
  visitors: visitors ?? pageviews ?? events ?? count ?? 0,
  hits: pageviews ?? events ?? 0,
});
