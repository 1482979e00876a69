import { createParameterError } from "../errors.ts";
import { namePeriod as nameListPeriod } from "../operations/breakdown.ts";
import type { Call, CallOptions, DataDays } from "../operations/call.ts";
import { isStop, isUnread } from "../operations/covered-days.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { MAX_DAYS } from "../operations/fields.ts";
import { breakdown, type DaysOperation, stats, timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { formatSpan } from "../operations/period.ts";
import { isAll } from "../operations/period-words.ts";
import { sumAtMost } from "../operations/ranges.ts";
import { rateVisits } from "../operations/visit-rates.ts";
import {
  areUncounted,
  NEAR,
  OTHER_DAYS,
  PERIOD_VISITORS,
  PROXIED,
  readDataStart,
  type Warning,
} from "../operations/warning.ts";
import { addsUp, readLastDay, takeVisitors } from "./added-days.ts";
import { findComplete, precedingDays, readBefore } from "./compared-days.ts";
import { compareTotals } from "./compared-totals.ts";
import { readDataStarts } from "./coverage.ts";
import {
  fitDefaultDays,
  type QueryOptions,
  readDataForDefault,
  readDataTold,
  warnOfNoSum,
  warnOfReach,
} from "./default-days.ts";
import { isRecent, namePeriod } from "./list-days.ts";
import type { Missing } from "./missing-parts.ts";
import { readListNear, readUndated } from "./near-list.ts";
import { readOverviewHours } from "./overview-hours.ts";
import { keepMissing, NOT_OFFERED, readActiveNow, readLists } from "./read-parts.ts";
import { NO_CHANGE } from "./report-fields.ts";
import { warnOfServerErrors } from "./server-errors.ts";
import { type AskedDays, answerToday, askSpan, preparePeriod } from "./site-period.ts";
import { cutSeries } from "./subtracted-spans.ts";
import { listCounts } from "./trend-counts.ts";

const TOP_ROWS = 10;

/**
 * Reads all parts for the same days: the complete days of the period, or today so far if it has none.
 *
 * @param dimensions The top lists, in order.
 */
export async function readOverview(
  call: Call,
  { site, days, period: named }: AskedDays,
  options: QueryOptions,
  dimensions: readonly Dimension[],
) {
  const period = named ?? `last_${days}_days`;
  const isNamed = named !== undefined && !options.usesDefaultDays && !options.takesNearDays;
  const fresh = { ...options, fresh: true };
  const data = await readDataForDefault(call, site, options);
  const resolve = await preparePeriod(call, breakdown, site, period, options);
  const read = (data: DataDays | undefined) => {
    return answerToday(call, site, fresh, (today, readActive) => {
      const reading = { today, readActive, dimensions, data, resolve, isNamed };
      // Throws for words that are no period, before anything is asked.
      const asked = { ...resolve(today).days, last: today };
      const parts = readParts(call, site, period, reading, fresh);
      return isNamed ? parts.catch((error) => namePeriod(error, asked)) : parts;
    });
  };
  const [first, sinceDays] = await Promise.all([read(data), readDataStarts(call, site, options)]);
  const told = data === undefined ? await readDataTold(call, breakdown, first.warnings, options) : undefined;
  const { series, previous, addUp, ...rest } = told === undefined ? first : await read(told);
  if (previous === undefined) return { ...rest, comparison: null };
  const compared = compareTotals(series, previous, sinceDays, addUp);
  // Totals with those of today are not compared; the averages of complete days are.
  const comparison =
    series.points.length === rest.period.days
      ? compared
      : { ...compared, previous: { ...compared.previous, pageviews: null }, pageviews: NO_CHANGE };
  return {
    ...rest,
    // Missing data does not mean that there were no visitors, so an incomplete span gets no line.
    ...(comparison.comparable && { trend: { ...rest.trend, previous: listCounts(previous.points) } }),
    comparison,
  };
}

/** Whether a warning is about missing data of today, whose numbers are shown beside the others. */
const isAboutToday = (warning: Warning) => isStop(warning) || isUnread(warning) || warning.code === PROXIED;

function joinWarnings(...lists: readonly Warning[][]): Warning[] | undefined {
  const byText = new Map<string, Warning>();
  for (const warning of lists.flat()) if (!byText.has(warning.detail)) byText.set(warning.detail, warning);
  return byText.size === 0 ? undefined : [...byText.values()];
}

/** What is only about a list, from a service with an API of its own: nothing if it has no rows. */
const warnOfList = ({ dimension, rows, warnings = [] }: AnswerOf<typeof breakdown>): Warning[] =>
  rows.length === 0
    ? []
    : warnings.flatMap((warning) =>
        warning.code === NEAR
          ? [{ ...warning, values: { ...warning.values, dimension } }]
          : warning.code === OTHER_DAYS
            ? [warning]
            : [],
      );

/** The days to compare with. Before the first day with data there are none. */
const findBefore = (period: string, days: Days, { isShortened }: { isShortened: boolean }) =>
  !isShortened && !isAll(period) ? precedingDays(period, days) : undefined;

/** The days to compare and those before, as many without today. */
function leaveToday(shown: Days, preceding: Days | undefined, today: string) {
  const complete = findComplete(shown, today);
  if (complete === undefined) return { complete: shown, before: undefined };
  if (complete.to === shown.to) return { complete: shown, before: preceding };
  return { complete, before: preceding && findComplete(preceding, preceding.to) };
}

/** What is compared where visitors do not add up: averages, without those of today. */
const warnOfAverages = ({ from, to }: Days): Warning => ({
  code: PERIOD_VISITORS,
  detail: `Compared by day: the averages are of complete days, ${formatSpan({ from, to })}.`,
  values: { from, to },
});

interface Reading {
  today: string;
  /** Returns the visitors at this moment. */
  readActive: () => Promise<number>;
  dimensions: readonly Dimension[];
  /** From when to when there is data, if the query names no days. */
  data: DataDays | undefined;
  resolve: Awaited<ReturnType<typeof preparePeriod>>;
  /** Whether the person named the period: then it is answered or refused, and no other days take its place. */
  isNamed: boolean;
}

async function readParts(
  call: Call,
  site: string,
  period: string,
  { today, readActive, dimensions, data, resolve, isNamed }: Reading,
  options: QueryOptions,
) {
  const resolved = resolve(today);
  const fitted = fitDefaultDays(resolved.days, data, today);
  const { days: asked, warnings } = fitted;
  const last = await readLastDay(call, { site, today }, options);
  const wanted = findComplete(asked, today);
  const canAdd = wanted === undefined || (await addsUp(call, { site, ...wanted, last }, options));
  const { days: shown, warnings: replaced } = await findSumDays(
    call,
    { asked, wanted, canAdd, last, isNamed, period },
    options,
  );
  const takesDays = (await call.offersDays?.(breakdown, options)) !== false;
  const ask = <O extends DaysOperation>(operation: O, days: Days) =>
    askSpan(call, operation, {}, { site, today, ...days }, options);
  const summary = ask(stats, shown);
  // Days that the service does not reach are left out: what remains is no month or year.
  const compared = replaced.length > 0 ? `last_${countDays(shown.from, shown.to)}_days` : period;
  const preceding = wanted && findBefore(compared, shown, fitted);
  // Visitors that do not add up are those of days until the last one, in place of complete days. Those are compared, by day.
  const isUntilLast = !canAdd && shown.to >= last;
  const { complete, before } = leaveToday(shown, preceding, today);
  const [totals, active, series, { previous, unreached }, day, byHour, { lists, missing }, failures] =
    await Promise.all([
      summary,
      readActiveNow(readActive),
      ask(timeseries, shown),
      readBefore(call, { site, today }, before, options),
      call(stats, { site, days: 1 }, options).then(takeVisitors),
      readOverviewHours(call, { site, today, ...shown }, options),
      readLists(dimensions, (dimension) => {
        const list = { dimension, limit: TOP_ROWS };
        return takesDays
          ? readListNear(call, { list, days: { site, today, ...shown }, last, summary }, options)
          : readUndated(call, { list, days: { site, today, ...shown }, last }, options);
      }),
      // They belong to no visit, so that no filter can choose among them.
      before && !isUntilLast && options.filter === undefined
        ? warnOfServerErrors(call, { site, today, ...shown }, before, options)
        : [],
    ]);
  const includesToday = last === today && (isUntilLast || asked.to === today);
  // Today is not complete, but a trend that ends today shows it.
  const leftOut = day.warnings?.some(({ code }) => code === PROXIED) ? { missing: true as const } : undefined;
  const addsToday = wanted !== undefined && !isUntilLast && includesToday;
  const points = addsToday ? [...series.points, { ...day, date: today, ...leftOut }] : series.points;
  return {
    site: totals.site,
    period: totals.period,
    visitors: totals.visitors,
    pageviews: totals.pageviews,
    ...(totals.events !== undefined && !areUncounted(totals) && { events: totals.events }),
    ...sumAtMost([totals]),
    ...rateVisits(totals),
    ...(last === today && !leftOut && { today: countToday(day, byHour) }),
    ...(active.found[0] !== undefined && { active_now: active.found[0] }),
    trend: {
      ...listCounts(sinceStart(points, series.warnings)),
      partial: includesToday,
      // A period of today and complete days has more points than one.
      ...(points.length === 1 && byHour.trend && { hours: byHour.trend }),
    },
    top: lists.map((list) => {
      const other = pickOtherDays(list, totals);
      const isSame = Object.keys(other).length === 0;
      return { dimension: list.dimension, ...other, rows: list.rows.map((row) => pickRow(row, isSame)) };
    }),
    ...keepMissing(active.missing, missEvents(totals, missing), missing),
    warnings: joinWarnings(
      resolved.warnings,
      warnings,
      replaced,
      totals.warnings ?? [],
      (day.warnings ?? []).filter(isAboutToday),
      lists.flatMap(warnOfList),
      failures,
      unreached,
      isUntilLast && previous ? [warnOfAverages(complete)] : [],
    ),
    series: complete === shown ? series : cutSeries(series, complete),
    previous,
    addUp: canAdd,
  };
}

interface SummedDays extends Pick<Reading, "isNamed"> {
  asked: Days;
  /** The complete days of those. */
  wanted: Days | undefined;
  /** Whether their visitors can be added up. */
  canAdd: boolean;
  last: string;
  period: string;
}

/** How many of so many days a service answers for. */
async function countReached(call: Call, needed: number, options: CallOptions): Promise<number> {
  const count = (await call.fitDays?.(timeseries, needed, options)) ?? needed;
  return count < needed ? Math.min(count, MAX_DAYS) : needed;
}

const areDates = (period: string) => /^\d{4}-/.test(period);

/**
 * The days to show. Recent complete days whose visitors cannot be added up are replaced by as many until the last one, unless the person
 * named them. Other days are also as many as the service has, where days near them will do.
 */
async function findSumDays(
  call: Call,
  { asked, wanted, canAdd, last, isNamed, period }: SummedDays,
  options: QueryOptions,
): Promise<{ days: Days; warnings: Warning[] }> {
  const told = (days: Days, warnings: Warning[] = []) => ({ days, warnings });
  if (wanted === undefined) return told(asked);
  const mayFit = options.usesDefaultDays || options.takesNearDays;
  if (canAdd) {
    const count = countDays(wanted.from, wanted.to);
    const needed = countDays(wanted.from, last);
    const reached = isNamed ? needed : await countReached(call, needed, options);
    const from = addDays(last, 1 - reached);
    if (from <= wanted.from || from > wanted.to) return told(wanted);
    const days = countDays(from, wanted.to);
    // Without today, there can be one day less than the service answers for.
    if (!mayFit && days < count - 1) throw createTooManyDaysError(days, from);
    return told({ from, to: wanted.to }, [warnOfReach({ from, days }, count)]);
  }
  if (isNamed || areDates(period) || !isRecent({ ...wanted, last })) return told(asked);
  let count = countDays(asked.from, asked.to);
  if (mayFit)
    for (const operation of [breakdown, stats])
      count = (await call.fitDays?.(operation, count, options)) ?? count;
  const days = { from: addDays(last, 1 - count), to: last };
  return told(days, days.from === asked.from ? [] : [warnOfNoSum(days)]);
}

const createTooManyDaysError = (maximum: number, from: string) =>
  createParameterError("days", `must be at most ${maximum}: this service reaches back only to ${from}`, {
    range: { minimum: 1, maximum },
  });

/** Totals without events, unless the answer or a missing list has said so. */
const missEvents = ({ events, warnings = [] }: AnswerOf<typeof stats>, lists: Missing): Missing =>
  events !== undefined ||
  warnings.some(({ code, detail }) => code === NEAR && /\bevents\b/i.test(detail)) ||
  lists.some(({ dimension }) => dimension === "events")
    ? []
    : [{ part: "events", reason: NOT_OFFERED }];

const countToday = (
  { period, visitors, pageviews }: AnswerOf<typeof stats> & { visitors: number },
  { today: hours }: Awaited<ReturnType<typeof readOverviewHours>>,
) => ({ date: period.to, visitors, pageviews, ...(hours && { hours }) });

/** A trend begins with the data: days before it are no gap. */
function sinceStart<P extends { date: string }>(points: readonly P[], warnings: readonly Warning[] = []) {
  const since = readDataStart(warnings) ?? "";
  const kept = points.filter(({ date }) => date >= since);
  return kept.length === 0 ? points : kept;
}

/** The days of a list, if they are not those of the totals. */
function pickOtherDays(
  { period: listed, warnings }: AnswerOf<typeof breakdown>,
  { period }: AnswerOf<typeof stats>,
) {
  if (listed === undefined) return { no_period: nameListPeriod(warnings) };
  const { from, to, days, partial } = listed;
  const isSame = from === period.from && to === period.to;
  return isSame ? {} : { period: { from, to, days, ...(partial && { partial: true as const }) } };
}

type Row = AnswerOf<typeof breakdown>["rows"][number];

/** A row with one of its counts. Its share is of the visitors of the list's days, whose number is shown only if those are the totals'. */
function pickRow(row: Row, hasShare: boolean) {
  const { value, label, visitors, pageviews, count, visitors_at_most, percentage } = row;
  const other = pageviews === undefined ? count !== undefined && { count } : { pageviews };
  return {
    value,
    label,
    ...(visitors === undefined ? other : { visitors }),
    ...(visitors_at_most !== undefined && { visitors_at_most }),
    ...(hasShare && percentage !== undefined && { percentage }),
  };
}
