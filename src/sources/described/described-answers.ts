import { ForeignAnswerError } from "../../client/foreign-answer.ts";
import { createNoHoursError } from "../../client/http-client.ts";
import { findSentence, quoteSaid } from "../../client/problem-parser.ts";
import { addTimezone } from "../../config/add-timezone.ts";
import { AnalyticsError, quote, quoteIfNeeded } from "../../errors.ts";
import { readMember } from "../../member.ts";
import type { AllDays, CallOptions } from "../../operations/call.ts";
import { addDays, countDays } from "../../operations/days.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { DEFAULT_DAYS, MAX_DAYS } from "../../operations/fields.ts";
import { type Filter, readExactValue } from "../../operations/filter.ts";
import { breakdown, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import { NoFilterError, type UnfilteredList } from "../../operations/no-filter.ts";
import type { AnswerOf, Operation, ParamsOf } from "../../operations/operation.ts";
import {
  NO_EVENTS,
  ONCE_PER_PERIOD,
  OTHER_ORDER,
  PERIOD_VISITORS,
  UNKNOWN_DAYS,
  UNKNOWN_EVENTS,
  type Warning,
  warnOfDataStart,
} from "../../operations/warning.ts";
import { cleanText } from "../../render/clean-text.ts";
import { dateAt } from "../calendar.ts";
import { again, OtherDaysError } from "./allowed-days.ts";
import { listPossibleToday } from "./answer-dates.ts";
import { isOfOneAnswer } from "./answer-errors.ts";
import { OF_OPERATION } from "./description.ts";
import type { ServiceSite } from "./field-mapping.ts";
import { readCount } from "./find-field.ts";
import { namesOf } from "./json-pointer.ts";
import { type Cells, countRecord, findActive, findInRecord, readRecord } from "./read-record.ts";
import { type ReadRows, readRows } from "./read-rows.ts";
import { createSeriesReader, describeDates, formatNow, type ServiceSeries } from "./read-series.ts";
import { fillDays, near, type ServiceDay, sumOf } from "./service-days.ts";
import type { RequestOptions, ServiceReader } from "./service-reader.ts";
import { adviseOnTimezone, findSite, findTimezone } from "./service-sites.ts";
import { splitName } from "./words.ts";

/** Answers of a service by its own description, as far as it has them. */
export interface DescribedService {
  answer<O extends Operation>(operation: O, params: ParamsOf<O>, options: CallOptions): Promise<AnswerOf<O>>;
  today(site: string, options: CallOptions): Promise<string>;
  lastDay(site: string, options: CallOptions): Promise<string>;
  addsUp(site: string, days: number, options: CallOptions): Promise<boolean>;
  listed(): readonly Dimension[] | undefined;
  offersDays(operation: { path: string }): boolean;
  fitDays(operation: { path: string }, days: number): number;
  allDays(operation: { path: string }, site: string, options: CallOptions): Promise<AllDays>;
  dataStart(site: string, options: CallOptions): Promise<DataStart>;
  /** The totals alone, whose fields can be found where those of the series cannot. */
  totals(site: string, days: number, options: CallOptions): Promise<Totals>;
}

export interface DescribedContext {
  reader: ServiceReader;
  clock: () => number;
  /** The timezones of sites, by domain, that the person named. */
  siteTimezones: Readonly<Record<string, string>>;
  /** The command that saves more about the service, where it has a profile. */
  login: string | undefined;
}

interface DataStart {
  /** The first day with data of those that the service answers for; null if there is none. */
  since: string | null;
  /** Whether there is none before it. */
  isFirst: boolean;
}

interface Totals {
  visitors: number;
  pageviews: number;
  events: number | undefined;
}

export function createDescribedService({
  reader,
  clock,
  siteTimezones,
  login,
}: DescribedContext): DescribedService {
  const { mapping } = reader;
  const { readSeries, findWindow, describePeriod } = createSeriesReader(reader, clock);

  const locate = async (asked: string, options: RequestOptions): Promise<ServiceSite> => {
    const { sites: known } = reader.learned();
    try {
      return addZone(findSite(known, asked));
    } catch {
      // It may be new, or one of many.
      const { sites: listed } = await reader.listSites(options);
      return addZone(findSite(listed, asked));
    }
  };
  const addZone = (site: ServiceSite): ServiceSite => addTimezone(site, siteTimezones);

  const adviseOn = (site: ServiceSite) => (login === undefined ? "" : adviseOnTimezone(login, site));
  const dates = (
    site: ServiceSite,
    { since, ...series }: Parameters<typeof describeDates>[0] & { since: string | null | undefined },
  ) => [
    ...(since === undefined ? [] : warnOfDataStart(since, series.window.from)),
    ...describeDates(series, adviseOn(site)),
  ];

  const readTotals = async (site: ServiceSite, days: number, options: RequestOptions): Promise<Totals> => {
    const answer = await reader.askSite(stats.path, site, { days }, options);
    const cells = readRecord(answer);
    return reader.read("stats", stats.path, answer, {
      apply: (reading) => {
        const counts = countRecord(cells, reading);
        const [visitors, pageviews] = [counts?.get("visitors"), counts?.get("pageviews")];
        return visitors === undefined || pageviews === undefined
          ? undefined
          : { visitors, pageviews, events: counts?.get("events") };
      },
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

  const answerSites = async ({
    withDates = false,
    ...options
  }: CallOptions): Promise<AnswerOf<typeof sites>> => {
    const { sites: found, isCut } = await reader.listSites(options);
    const isDated = withDates && found.length <= MAX_DATED;
    const listed = isDated ? await Promise.all(found.map((site) => addStart(site, options))) : found;
    // Whether an answer about it names one is known once it was asked about.
    const zoneless = listed.find(
      (site) =>
        addZone(site).timezone === undefined && readMember(reader.learned().timezones, site.id) === null,
    );
    return {
      as_of: formatNow(clock(), undefined),
      sites: listed
        .map(addZone)
        .toSorted((a, b) => Number(a.domain > b.domain) - Number(a.domain < b.domain)),
      ...join([
        ...(isCut ? [near("The service lists its sites in pages, and these are not all of them.")] : []),
        ...(zoneless
          ? [near(`${quoteIfNeeded(zoneless.domain)} has no timezone.${adviseOn(zoneless)}`)]
          : []),
      ]),
    };
  };

  /** The totals of any days that the service has, and the days. */
  const readSpan = async (site: ServiceSite, days: number, options: RequestOptions) =>
    reader.allowedDays(stats).has(days)
      ? { ...(await readBoth(site, days, options)), hasEvents: false }
      : sumOfDays(site, days, options);

  const answerStats = async (
    asked: ParamsOf<typeof stats>,
    options: RequestOptions,
  ): Promise<AnswerOf<typeof stats>> => {
    const site = await locate(asked.site, options);
    const { days } = asked;
    const { totals, series, hasEvents } = await readSpan(site, days, options);
    const since = await findLateStart(site, series, options);
    const { warnings: left } = fillDays(series.window, series.points, totals.pageviews, since);
    return {
      site: refer(site),
      period: describePeriod(series),
      visitors: totals.visitors,
      pageviews: totals.pageviews,
      ...(totals.events !== undefined && { events: totals.events }),
      ...join([
        ...(totals.events === undefined ? [hasEvents ? UNKNOWN_EVENTS : NO_EVENTS] : []),
        ...describeVisitors(days, totals.visitors, series.points),
        ...left,
        ...dates(site, { ...series, since }),
      ]),
    };
  };

  /** The totals of days that the service does not allow, from more days; only where its visitors add up. */
  const sumOfDays = async (site: ServiceSite, days: number, options: RequestOptions) => {
    const allowed = reader.allowedDays(stats);
    const { totals, series } = await readBoth(site, allowed.cover(days), options);
    if (days > 1 && totals.visitors !== sumOf(series.points, "visitors"))
      throw allowed.createError(days, `this service ${ONCE_PER_PERIOD}, and has totals`);
    const from = addDays(series.window.to, 1 - days);
    const points = series.points.filter(({ date }) => date >= from);
    const [visitors, pageviews] = [sumOf(points, "visitors"), sumOf(points, "pageviews")];
    const sums = { visitors, pageviews, events: undefined };
    return {
      totals: sums,
      series: { ...series, points, window: { ...series.window, from, days } },
      hasEvents: totals.events !== undefined,
    };
  };

  /** The totals of some days, and whether these add up to them; undefined if the service does not have them. */
  const readSums = async (site: ServiceSite, days: number, options: RequestOptions) => {
    try {
      const { totals, series } = await readSpan(site, days, options);
      return { totals, warnings: describeVisitors(days, totals.visitors, series.points) };
    } catch (error) {
      if (!isOfOneAnswer(error) || error instanceof OtherDaysError) throw error;
      return undefined;
    }
  };

  const answerSeries = async (
    { site: name, days }: { site: string; days: number },
    options: RequestOptions,
  ): Promise<AnswerOf<typeof timeseries>> => {
    const site = await locate(name, options);
    const [series, sums] = await Promise.all([
      readSeries(site, days, options),
      days > 1 ? readSums(site, days, options) : undefined,
    ]);
    const since = await findLateStart(site, series, options);
    const { days: filled, warnings } = fillDays(series.window, series.points, sums?.totals.pageviews, since);
    return {
      site: refer(site),
      period: describePeriod(series),
      interval: "day",
      points: filled,
      ...join([
        ...(sums?.warnings ?? (days > 1 ? [EACH_DAY] : [])),
        ...warnings,
        ...dates(site, { ...series, since }),
      ]),
    };
  };

  const answerBreakdown = async (
    { site: name, dimension, limit, days }: ParamsOf<typeof breakdown>,
    options: RequestOptions,
  ): Promise<AnswerOf<typeof breakdown>> => {
    const site = await locate(name, options);
    const takesDays = reader.takes(breakdown.path, "days");
    if (takesDays && !reader.allowedDays(breakdown).has(days)) {
      // A list that it does not have at all is refused as that.
      reader.nameDimension(dimension);
      throw reader.allowedDays(breakdown).createError(days, "this service has lists");
    }
    const { maximum = limit } = reader.parameter(breakdown.path, "limit") ?? {};
    const asked = Math.min(limit, maximum);
    const [answer, [series, sums] = []] = await Promise.all([
      reader.askDimension(site, dimension, { limit: asked, days }, options),
      takesDays ? Promise.all([readSeries(site, days, options), readSums(site, days, options)]) : undefined,
    ]);
    const read = readRows(reader, answer, dimension);
    const { rows, total, isRanked } = read;
    const period = series ?? (await findWindow(site, answer, options));
    const since = series && (await findLateStart(site, series, options));
    const shown = rows.slice(0, limit);
    const { warnings: contradicted = [], ...list } = addShares(shown, dimension, sums);
    const isCut = rows.length >= asked || mayBeCapped(rows, dimension, sums?.totals);
    const truncated = total === undefined ? isCut : total > shown.length;
    return {
      site: refer(site),
      ...(period && { period: describePeriod(period) }),
      dimension,
      ...list,
      limit,
      ...(total !== undefined && total >= rows.length && { total_rows: total }),
      truncated,
      ...join([
        ...(sums?.warnings ?? []),
        ...contradicted,
        ...(isRanked || !truncated ? [] : [OTHER_RANKING]),
        ...warnOfCounts(read),
        ...(period
          ? dates(site, { ...period, since })
          : [warnOfNoDates(reader.texts(breakdown.path).get(OF_OPERATION))]),
      ]),
    };
  };

  const answerActive = async (asked: { site: string }, options: RequestOptions) => {
    if (mapping.realtime?.visitors === null) throw createNoActiveError("the mapping says so", { text: "" });
    const site = await locate(asked.site, options);
    const answer = await reader.askSite(realtime.path, site, {}, options).catch(explainNoActive);
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
      window_minutes: readWindow(cells),
      as_of: formatNow(clock(), site.timezone ?? findTimezone(answer)),
    };
  };

  /** The longest series that there is for an operation, which shows when the data begins. */
  const readLongest = (site: ServiceSite, operation: { path: string }, options: RequestOptions) =>
    again(async () => {
      const days = Math.min(comeNear(operation, MAX_DAYS), reader.allowedDays(timeseries).comeNear(MAX_DAYS));
      // Only an answer may tell the numbers of days that it is for.
      return operation.path === timeseries.path
        ? readSeries(site, days, options)
        : (await readBoth(site, days, options)).series;
    });
  /** The number of days nearest to some that a list and the totals beside it take. */
  const comeNear = ({ path }: { path: string }, days: number): number => {
    const near = reader.allowedDays({ path }).comeNear(days);
    return path === timeseries.path ? near : reader.allowedDays(stats).comeNear(near);
  };

  /** If the first of all these days has data, there may be more before, but not before the site was added. */
  const findStart = (site: ServiceSite, { window, points, timezone = "UTC" }: ServiceSeries): DataStart => {
    const since = points.find(hasTraffic)?.date ?? null;
    const created = site.created_at && dateAt(Date.parse(site.created_at), timezone);
    if (since !== null && since > window.from) return { since, isFirst: true };
    if (since === null) return { since, isFirst: created !== undefined && created >= window.from };
    return created !== undefined && created <= since
      ? { since: created, isFirst: true }
      : { since, isFirst: false };
  };

  const readStart = async (site: ServiceSite, options: RequestOptions) =>
    findStart(site, await readLongest(site, timeseries, options));

  /** The first day with data, if a series begins before it; null if there is none yet, undefined if nobody knows. */
  const findLateStart = async (
    site: ServiceSite,
    { window, points }: ServiceSeries,
    options: RequestOptions,
  ): Promise<string | null | undefined> => {
    const [first] = points;
    if (first?.date === window.from && hasTraffic(first)) return undefined;
    const read = () => readStart(site, { ...options, fresh: false });
    const start = await read().catch((error: unknown) => {
      if (isOfOneAnswer(error)) return undefined;
      throw error;
    });
    const isLate = start?.isFirst && (start.since === null || start.since > window.from);
    return isLate ? start.since : undefined;
  };

  /** Adds the first day with data, if it is known. */
  const addStart = async (site: ServiceSite, options: RequestOptions) => {
    try {
      const { since, isFirst } = await readStart(addZone(site), options);
      return isFirst ? { ...site, data_since: since } : site;
    } catch (error) {
      if (isOfOneAnswer(error)) return site;
      throw error;
    }
  };

  const readLast = async (name: string, options: RequestOptions) => {
    const site = await locate(name, options);
    const read = () => readSeries(site, reader.allowedDays(timeseries).comeNear(DEFAULT_DAYS), options);
    return { site, series: await again(read) };
  };

  /** Of a few days, the visitors can add up by chance: more of them tell whether they do. */
  const addsUp = async (name: string, asked: number, options: RequestOptions): Promise<boolean> => {
    if (asked <= 1) return true;
    const site = await locate(name, options);
    const days = Math.max(asked, DEFAULT_DAYS);
    const reach = () => Math.min(days, reader.allowedDays(timeseries).comeNear(days));
    const read = () => readBoth(site, comeNear(stats, reach()), options);
    const { totals, series } = await again(read);
    return totals.visitors === sumOf(series.points, "visitors");
  };

  /** The list that has what a filter asks for as a row; undefined if there is none. */
  const findList = async (
    [condition, other]: Filter,
    { site }: { site?: string },
    { filter: _, ...options }: CallOptions,
  ): Promise<UnfilteredList | undefined> => {
    const { dimension, isNot } = condition ?? {};
    if (site === undefined || condition === undefined || dimension === undefined) return undefined;
    const isOne = other === undefined && !isNot && readExactValue(condition) !== undefined;
    if (!isOne || !reader.listed()?.includes(dimension) || !reader.takes(breakdown.path, "days"))
      return undefined;
    const { has } = reader.allowedDays(breakdown);
    const isFree = has(1) && has(MAX_DAYS);
    return { dimension, has, offersPeriods: isFree && (await addsUp(site, DEFAULT_DAYS, options)) };
  };

  return {
    answer: async (operation, params, options) => {
      if (options.filter !== undefined && operation.name !== sites.name)
        throw new NoFilterError(await findList(options.filter, params, options));
      if ("interval" in params) throw createNoHoursError();
      // Each answer takes its own operation's parameters; the compiler cannot connect the two through the name.
      const asked = params as never;
      switch (operation.name) {
        case sites.name:
          return answerSites(options) as never;
        case stats.name:
          return again(() => answerStats(asked, options)) as never;
        case timeseries.name:
          return again(() => answerSeries(asked, options)) as never;
        case breakdown.name:
          return again(() => answerBreakdown(asked, options)) as never;
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
    addsUp,
    listed: reader.listed,
    offersDays: ({ path }) => reader.takes(path, "days"),
    fitDays: (operation, days) => reader.allowedDays(operation).comeNear(days),
    allDays: async (operation, name, options) => {
      const site = await locate(name, options);
      const series = await readLongest(site, operation, options);
      const { from, to } = series.window;
      const { since, isFirst } = findStart(site, series);
      const first = isFirst ? (since ?? to) : from;
      const days = first < from ? countDays(from, to) : comeNear(operation, countDays(first, to));
      return { from: addDays(to, 1 - days), to, since: isFirst ? since : undefined };
    },
    dataStart: async (name, options) => readStart(await locate(name, options), options),
    totals: async (name, days, options) => {
      const site = await locate(name, options);
      const allowed = reader.allowedDays(stats);
      if (!allowed.has(days)) throw allowed.createError(days, "this service has totals with events");
      return readTotals(site, days, options);
    },
  };
}

/** With more sites, the list has no first days with data: each takes a request. */
const MAX_DATED = 20;

/** A service need not have them: then its refusal is nothing to repair. */
function explainNoActive(error: unknown): never {
  if (!(error instanceof ForeignAnswerError) || error.code !== "not_found") throw error;
  const said = findSentence(error.text);
  const answer = said === undefined ? "with status 404" : quoteSaid(said);
  throw createNoActiveError(`${realtime.path} answers ${answer}`, error);
}

const createNoActiveError = (reason: string, { text, hint }: { text: string; hint?: string | undefined }) =>
  new ForeignAnswerError("not_found", `This service has no active visitors: ${reason}.`, text, {
    status: 404,
    hint,
  });

const WINDOW_MINUTES = 5;

/** Of how many minutes active visitors are: as a field such as `window_minutes` says, else as the specification does. */
function readWindow(cells: Cells): number {
  const [stated, ...others] = [...cells].flatMap(([pointer, cell]) => {
    const unit = splitName(namesOf(pointer).at(-1) ?? "").at(-1) ?? "";
    return unit === "minute" ? readCount(cell) || [] : [];
  });
  return stated === undefined || others.length > 0 ? WINDOW_MINUTES : stated;
}

const hasTraffic = ({ visitors, pageviews }: ServiceDay): boolean => visitors > 0 || pageviews > 0;
const refer = ({ id, domain }: ServiceSite) => ({ id, domain });
const join = (warnings: readonly Warning[]) => (warnings.length === 0 ? {} : { warnings: [...warnings] });

/**
 * Whether a list may end at a limit of the service's own: at 20, 25 or 100 rows, which do not have all page views. Rows that were
 * cut off silently would be taken for values that nobody met.
 */
function mayBeCapped(
  rows: readonly { pageviews?: number | undefined; events?: number | undefined }[],
  dimension: Dimension,
  totals: { pageviews: number; events?: number | undefined } | undefined,
): boolean {
  const isRound = rows.length >= 10 && (rows.length % 10 === 0 || rows.length % 25 === 0);
  if (!isRound) return false;
  const measure = dimension === "events" ? "events" : "pageviews";
  const hits = rows.reduce((sum, row) => sum + (row[measure] ?? 0), 0);
  const all = totals?.[measure];
  return all === undefined || hits < all;
}

const OTHER_RANKING: Warning = {
  code: OTHER_ORDER,
  detail:
    "The service does not rank its rows by visitors: one that it left out may have more than one shown.",
};

const MAX_SAID = 100;

/** @param said What the description says of lists, which may have words about their days. */
function warnOfNoDates(said = ""): Warning {
  const isAboutDays = /\b(hour|day|week|month|year|today|yesterday|(all|life)-?time)s?\b/i.test(said);
  if (!isAboutDays)
    return { code: UNKNOWN_DAYS, detail: "The service does not say which days its lists cover." };
  const words = quoteSaid(cleanText(said, MAX_SAID), MAX_SAID);
  const detail = "The service says only in words which days its lists cover.";
  return { code: UNKNOWN_DAYS, detail, values: { said: words } };
}

/** What rows do not say, or say in places that are not read. */
function warnOfCounts({ unnamed, unread }: ReadRows): Warning[] {
  const warnings =
    unnamed === undefined
      ? []
      : [near(`The service does not say what it counts here: it calls the number ${unnamed}.`)];
  if (unread === undefined) return warnings;
  const counts = unread.places.slice(0, MAX_NAMED).map((place) => quote(place));
  const line = JSON.stringify(unread.mapping);
  const fields = Object.keys(unread.mapping.breakdown ?? {}).join(" and ");
  const detail = `The mapping does not name ${counts.join(", ")} of these rows: to have their ${fields}, add ${line} to it.`;
  return [...warnings, near(detail)];
}

const MAX_NAMED = 4;

const MORE_THAN_ALL = near(
  "A row has more visitors than the whole site in these days: the service may count its rows otherwise, or over other days.",
);

/** Rows with their shares of all visitors. Where one has more than all, they count something else, and have none. */
function addShares(rows: ReadRows["rows"], dimension: string, sums: { totals: Totals } | undefined) {
  if (sums === undefined) return { rows };
  const { events, ...counts } = sums.totals;
  const all = counts.visitors;
  if (rows.some(({ visitors = 0 }) => visitors > all)) return { rows, warnings: [MORE_THAN_ALL] };
  const share = (visitors: number) => (all === 0 ? 0 : Math.round((1000 * visitors) / all) / 10);
  return {
    rows: rows.map((row) => (row.visitors === undefined ? row : { ...row, percentage: share(row.visitors) })),
    totals: { ...counts, ...(dimension === "events" && { events }) },
  };
}

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
      ? `This service ${ONCE_PER_PERIOD}: its days add up to more.`
      : "The visitors of this service's days add up to fewer than the total.";
  return [{ code: PERIOD_VISITORS, detail }];
}
