import { quote } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { countDaysWithData } from "../operations/covered-days.ts";
import { addDays, countDays, type Days, listDays } from "../operations/days.ts";
import { notFound, stats, timeseries } from "../operations/index.ts";
import type { Failure } from "../operations/not-found.ts";
import { type Note, note } from "../operations/note.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { nameWeekday } from "../operations/period.ts";
import { sumPoints } from "../operations/timeseries.ts";
import { FOLDED_FILTER, readDataStart, type Warning } from "../operations/warning.ts";
import { formatCount, nameUnit } from "../render/plural.ts";
import {
  describeNumber,
  describeValue,
  isCount,
  type Metric,
  readMetric,
  type Totals,
} from "./check-metrics.ts";
import { isPreceding, precedingDays, resolveCompared } from "./compared-days.ts";
import type { QueryOptions } from "./default-days.ts";
import { UnreachedError } from "./list-days.ts";
import { askSpan, type SitePeriod } from "./site-period.ts";
import { within } from "./subtracted-spans.ts";
import { isByChance, learnUsual, type Sensitivity, type UsualRange, weekdayOf } from "./usual-range.ts";
import { percentOf, ROW_LIMIT, roundRate, SMALL_SAMPLE } from "./windows.ts";

/** What a check looks for. */
export interface Conditions {
  below?: number | undefined;
  above?: number | undefined;
  /** A change by at least so many percent; of the bounce rate, percentage points. */
  change?: { least: number; direction?: "up" | "down" | undefined } | undefined;
  /** Whether it is unusual, and how soon a number is. */
  unusual?: Sensitivity | undefined;
  /** Paths that people asked for in vain at least so many times. */
  deadLinks?: number | undefined;
  /** Paths that the server failed to answer at least so many times. */
  serverErrors?: number | undefined;
}

/** What a check found about one condition. */
export interface Finding {
  /** `unknown` if there is too little data to tell, and `learning` if that is so because the site is young. */
  state: "met" | "not met" | "unknown" | "learning";
  text: Note;
}

/** What the conditions of a check are about. */
export interface Checked extends SitePeriod {
  call: Call;
  options: QueryOptions;
  /** The site with the filter, as a sentence begins with them. */
  name: string;
  /** Whether the query named no days. */
  isDefault: boolean;
  /** The days as a period. */
  period: string;
  against?: string | undefined;
  metric: Metric;
  /** The numbers of these days, and what to know before using them. */
  totals: Totals;
  /** Whether the visitors are the sum of each day's, which do not add up: only their average may be shown. */
  isByDay: boolean;
  warnings: readonly Warning[];
}

/** Reads the numbers of some days, and whether their visitors have only an average. */
export async function readTotals(
  { call, options, metric }: Pick<Checked, "call" | "options" | "metric">,
  { site, today, from, to }: SitePeriod,
) {
  const span = { site, today, from, to };
  const totals = await askSpan(call, stats, {}, span, options);
  if (metric !== "visitors" || totals.visitors !== null) return { totals, isByDay: false };
  const { points } = await askSpan(call, timeseries, {}, span, options);
  return { totals: { ...totals, visitors: sumPoints(points).visitors }, isByDay: true };
}

interface Measured extends Checked {
  value: number;
  /** Such as: example.com had 87 visitors on Monday, 2026-11-16. */
  had: ReturnType<typeof note>;
}

/** The findings about the metric, for each condition in turn. */
export async function judgeMetric(checked: Checked, conditions: Conditions): Promise<Finding[]> {
  const { name, metric, totals, today, warnings } = checked;
  const { least, most } = readBounds(metric, totals);
  const when = describeDays(checked, today);
  if (most === undefined && warnings.some(({ code }) => code === FOLDED_FILTER)) {
    const had = note`${name} had at least ${describeValue(metric, least ?? 0)} ${when}`;
    const [above] = await judgeValue(checked, { above: conditions.above }, had);
    return [above?.state === "met" ? above : doubt(note`${had}, because values were folded: ${UNTOLD}.`)];
  }
  if (most === undefined) {
    const average = () =>
      note`${roundRate((least ?? 0) / countDays(checked.from, checked.to))} visitors a day`;
    const known =
      least === null || least === undefined ? "" : checked.isByDay ? average() : describeValue(metric, least);
    return judgeValue(checked, conditions, note`${name} had ${known} ${when}`);
  }
  const had = note`${name} had ${least ?? 0} to ${describeValue(metric, most)} ${when}`;
  if (!isCount(metric)) return [doubt(note`${name} had visits ${when} whose values were folded: ${UNTOLD}.`)];
  const judge = (value: number) =>
    judgeValue({ ...checked, totals: { ...totals, [metric]: value } }, conditions, had);
  const [lowest, highest] = [await judge(least ?? 0), await judge(most)];
  return lowest.map((finding, index) =>
    finding.state === highest[index]?.state
      ? finding
      : doubt(note`${had}, because values were folded: ${UNTOLD}.`),
  );
}

const UNTOLD = "that does not tell";

/** A metric, and its upper end if it is only known as a range: that of visits, and of their rates, is that of page views. */
function readBounds(metric: Metric, totals: Totals) {
  const least = readMetric(metric, totals);
  const name = metric === "visitors" || metric === "events" ? metric : "pageviews";
  return { least, most: totals[`${name}_at_most`] };
}

async function judgeValue(
  checked: Checked,
  conditions: Conditions,
  had: ReturnType<typeof note>,
): Promise<Finding[]> {
  const { name, metric, totals, warnings, today } = checked;
  const { below, above, change, unusual } = conditions;
  const when = describeDays(checked, today);
  if (below === undefined && above === undefined && !change && !unusual) return [];
  const value = readMetric(metric, totals);
  const lack = findLack(checked, warnings);
  if (lack !== undefined) return [lack];
  if (value === null || value === undefined)
    return [{ state: "unknown", text: `${name} had no visits ${when}, so there is no ${metric}.` }];
  const measured = { ...checked, value, had };
  const judgeLimit = (isMet: boolean, limit: Note & object) =>
    isMet ? meet(note`${measured.had}: ${limit}.`) : pass(note`${measured.had}: not ${limit}.`);
  return [
    ...(below === undefined ? [] : [judgeLimit(value < below, note`below ${below}`)]),
    ...(above === undefined ? [] : [judgeLimit(value > above, note`above ${above}`)]),
    ...(change === undefined ? [] : [await judgeChange(measured, change)]),
    ...(unusual ? [await judgeUnusual(measured, unusual)] : []),
  ];
}

const meet = (text: Note): Finding => ({ state: "met", text });
const pass = (text: Note): Finding => ({ state: "not met", text });
const doubt = (text: Note): Finding => ({ state: "unknown", text });
const learn = (text: Note): Finding => ({ state: "learning", text });

/** Compares with other days. If these are more or fewer, a count is compared with its average for as many days. */
async function judgeChange(
  { had, value, ...checked }: Measured,
  { least, direction }: NonNullable<Conditions["change"]>,
): Promise<Finding> {
  const { metric, name, site, today, from, to } = checked;
  const days = findCompared(checked);
  const { totals: before, isByDay } = await readTotals(checked, { site, today, ...days });
  const [when, count] = [describeDays(days, today), countDays(days.from, days.to)];
  const isRange = readBounds(metric, before).most !== undefined;
  const lack =
    describeLack(days, before.warnings ?? []) ?? (isRange ? "is known only as a range" : undefined);
  const earlier = readMetric(metric, before);
  if (lack !== undefined || earlier === null || earlier === undefined) {
    const state = isYoung(days, before.warnings ?? []) ? "learning" : "unknown";
    return {
      state,
      text: `${name} ${lack ?? "had no visits"} ${when}, so there is nothing to compare with.`,
    };
  }
  const scale = isCount(metric) ? countDays(from, to) / count : 1;
  const change = measureChange(metric, value, earlier * scale);
  const origin = describeEarlier(metric, earlier, { count, scale, isByDay: isByDay || checked.isByDay });
  const text = note`${had}: ${change.text} from ${origin} ${when}`;
  const isWanted = direction === undefined || direction === change.way;
  if (!isWanted || change.size < least) return pass(note`${text}.`);
  const isSmall = isCount(metric)
    ? isByChance(value, earlier * scale)
    : Math.min(checked.totals.visits ?? 0, before.visits ?? 0) < SMALL_SAMPLE;
  return isSmall ? pass(note`${text}, which may be chance.`) : meet(note`${text}.`);
}

/** The number of the days before: an average where they do not add up, and with their count where there are more or fewer. */
function describeEarlier(
  metric: Metric,
  earlier: number,
  { count, scale, isByDay }: { count: number; scale: number; isByDay: boolean },
) {
  if (isByDay) return note`${describeNumber(metric, earlier / count)}${count === 1 ? "" : " a day"}`;
  const several = scale === 1 ? "" : ` in ${formatCount(count, "day")}`;
  return note`${describeNumber(metric, earlier)}${several}`;
}

/** A change in percent, or in percentage points if the metric is a percentage. */
function measureChange(metric: Metric, value: number, earlier: number) {
  if (value === earlier) return { way: "none", size: 0, text: "unchanged" } as const;
  const way = value > earlier ? "up" : "down";
  const isPoints = metric === "bounce_rate";
  const change = isPoints ? roundRate(value - earlier) : percentOf(value - earlier, earlier);
  // From nothing to something is more than any percentage.
  if (change === null) return { way, size: Number.POSITIVE_INFINITY, text: way };
  const size = Math.abs(change);
  return {
    way,
    size,
    text: note`${way} ${size}${isPoints ? ` ${nameUnit(size, "percentage point")}` : "%"}`,
  };
}

/** The days to compare with. A single day is compared with the same day of the week. */
export function findCompared({
  from,
  to,
  today,
  period,
  against,
}: Pick<Checked, "from" | "to" | "today" | "period" | "against">): Days {
  if (!isPreceding(against)) return resolveCompared({ days: 1, period, against }, today).previous;
  if (from === to) return { from: addDays(from, -7), to: addDays(to, -7) };
  return precedingDays(period, { from, to });
}

const WEEKS = 8;
/** Of these weeks, how many must have data. */
export const MIN_WEEKS = 4;

async function judgeUnusual(
  { had, value, ...checked }: Measured,
  sensitivity: Sensitivity,
): Promise<Finding> {
  const { metric, name, from, to, totals, today } = checked;
  const { earlier, weeks, reached, since, visits } = await readEarlier(checked);
  if (weeks < MIN_WEEKS) {
    const enough = addDays(since ?? from, 7 * MIN_WEEKS);
    if (enough > from)
      return learn(`${name} has data only since ${since ?? from}: what is usual is known from ${enough} on.`);
    const days = from === to ? `${nameWeekday(from)}s` : "weeks";
    return doubt(
      `${name} has data of only ${weeks} of the ${reached} ${days} before, too few to tell what is usual.`,
    );
  }
  if (!isCount(metric) && Math.min(totals.visits ?? 0, visits) < SMALL_SAMPLE)
    return pass(note`${had}, of too few visits to tell what is usual.`);
  const findRange = learnUsual(earlier, isCount(metric), sensitivity);
  const describe = ({ expected, least, most }: UsualRange) => {
    const [first, last] = isCount(metric) ? [Math.ceil(least), Math.floor(most)] : [least, most];
    const usual = note`${describeNumber(metric, first)} to ${describeNumber(metric, last)}`;
    const about = describeNumber(metric, isCount(metric) ? Math.round(expected) : expected);
    return note`after the ${weeks} weeks before, ${usual} would be usual (about ${about} expected).`;
  };
  const range = findRange(isDaily(metric) ? listDays(from, to).map((_, day) => day) : [0]);
  const way = value < range.least ? "unusually low" : value > range.most ? "unusually high" : undefined;
  if (way !== undefined) return meet(note`${had}, ${way}: ${describe(range)}`);
  // A fall that a day by itself does not show. If the day before did, that was told.
  const before = earlier.find(({ day }) => day === -1);
  if (from === to && before !== undefined && before.value >= findRange([-1]).least) {
    const together = findRange([-1, 0], true);
    const sum = before.value + value;
    const days = describeDays({ from: addDays(from, -1), to }, today);
    if (sum < together.least)
      return meet(
        note`${name} had ${describeValue(metric, sum)} ${days}, unusually low: ${describe(together)}`,
      );
  }
  return pass(note`${had}, not unusual: ${describe(range)}`);
}

/** Whether a metric is known day by day: a series has no events, and rates of few visits tell nothing. */
const isDaily = (metric: Metric): boolean => isCount(metric) && metric !== "events";

/**
 * The metric in the weeks before, day by day or else of the same days of each week, as far as there is data: of how many of the
 * weeks that the source reaches, from which day on, and how many visits each has at least.
 */
async function readEarlier(checked: Checked) {
  const { call, options, metric, site, today, from, to } = checked;
  const read = (weeks: number) => {
    const span = { site, today, from: addDays(from, -7 * weeks), to: addDays(from, -1) };
    return askSpan(call, timeseries, {}, span, options);
  };
  let reached = WEEKS;
  const series = await read(WEEKS).catch((error: unknown) => {
    // Fewer weeks tell as well what is usual, down to the fewest that do.
    reached = error instanceof UnreachedError ? Math.floor((countDays(error.earliest, from) - 1) / 7) : 0;
    if (reached < MIN_WEEKS) throw error;
    return read(reached);
  });
  const known = series.points.filter(({ date }) => hasData({ from: date, to: date }, series));
  const since = known[0]?.date;
  const dayOf = (date: string) => countDays(from, date) - 1;
  if (isDaily(metric)) {
    const earlier = known.map((point) => ({ day: dayOf(point.date), value: readMetric(metric, point) ?? 0 }));
    const weeks = listDays(from, to).map(
      (_, asked) => earlier.filter(({ day }) => weekdayOf(day) === weekdayOf(asked)).length,
    );
    return { earlier, weeks: Math.min(...weeks), reached, since, visits: 0 };
  }
  const weeks = Array.from({ length: reached }, (_, index) => 7 * (index - reached))
    .map((day) => ({ day, from: addDays(from, day), to: addDays(to, day) }))
    .filter((week) => hasData(week, series));
  const totals: Totals[] =
    metric === "events"
      ? await Promise.all(weeks.map((week) => askSpan(call, stats, {}, { site, today, ...week }, options)))
      : weeks.map((week) => sumPoints(pointsOf(week, series)));
  const earlier = weeks.flatMap(({ day }, index) => {
    const value = readMetric(metric, totals[index] ?? { visitors: 0, pageviews: 0 });
    return value === null || value === undefined ? [] : [{ day, value }];
  });
  const visits = Math.min(...totals.map((week) => week.visits ?? 0));
  return { earlier, weeks: earlier.length, reached, since, visits };
}

type Series = AnswerOf<typeof timeseries>;

const pointsOf = ({ from, to }: Days, { points }: Series) =>
  points.filter(({ date }) => date >= from && date <= to);

/** Whether a series has data of all days of a span. If its warnings do not tell, a day without a visitor counts as none. */
function hasData(days: Days, series: Series): boolean {
  if (sumPoints(pointsOf(days, series)).pageviews_at_most !== undefined) return false;
  const covered = countDaysWithData(days, within(days, series));
  if (covered === undefined) return pointsOf(days, series).every(({ visitors }) => visitors > 0);
  return covered === countDays(days.from, days.to);
}

/** The finding that the days lack data. If nobody named them, and the site has data only since then, that is nothing to tell. */
function findLack(checked: Checked, warnings: readonly Warning[]): Finding | undefined {
  const lack = describeLack(checked, warnings);
  if (lack === undefined) return undefined;
  const state = checked.isDefault && isYoung(checked, warnings) ? "learning" : "unknown";
  return { state, text: `${checked.name} ${lack} ${describeDays(checked, checked.today)}.` };
}

/** Whether days lack data because the site has data only since then. */
const isYoung = ({ from }: Days, warnings: readonly Warning[]): boolean =>
  (readDataStart(warnings) ?? from) > from;

/** What is wrong with the data of some days, to go between the site and the days; undefined if nothing is. */
function describeLack(days: Days, warnings: readonly Warning[]): string | undefined {
  const [covered, count] = [countDaysWithData(days, warnings), countDays(days.from, days.to)];
  if (covered === count && isCut(days, warnings)) return "may lack data of the last hours";
  if (covered === count) return undefined;
  if (covered === 0) return "has no data";
  return covered === undefined ? "may lack data" : `has data of only ${covered} of the ${count} days`;
}

/** Data that a day has until then is nearly whole. */
const LAST_HOUR = "23:00";

/** Whether data ends in the middle of the last of some days. */
const isCut = ({ to }: Days, warnings: readonly Warning[]): boolean =>
  warnings.some(
    ({ code, values: { data_until, time } = {} }) =>
      code === "stale" && data_until === to && typeof time === "string" && time < LAST_HOUR,
  );

/** Some days in words: `on Monday, 2026-11-16`, `from 2026-11-16 to 2026-11-22`. */
const describeDays = ({ from, to }: Days, today: string): string =>
  from === to
    ? `on ${nameWeekday(from)}, ${from}${to === today ? ", so far" : ""}`
    : `from ${from} to ${to}${to === today ? " so far" : ""}`;

const SHOWN_LINKS = 3;

/** The finding about paths that people asked for in vain, or that the server failed to answer, at least so many times. */
export async function findFailed(checked: Checked, least: number, status?: Failure): Promise<Finding> {
  const { call, options, site, today, from, to, name } = checked;
  const asked = { limit: ROW_LIMIT, ...(status && { status }) };
  const answer = await askSpan(call, notFound, asked, { site, today, from, to }, options);
  const when = describeDays(checked, today);
  const lack = findLack(checked, answer.warnings ?? []);
  if (lack !== undefined) return lack;
  const links = answer.rows.filter(({ value, requests }) => value !== null && requests >= least);
  const times = least === 1 ? "" : note` at least ${least} times`;
  const hasFailed = status === "5xx";
  if (links.length === 0 && hasFailed)
    return pass(
      least === 1
        ? note`${name} answered nothing with a server error (5xx) ${when}.`
        : note`${name} had fewer than ${least} server errors (5xx) on each path ${when}.`,
    );
  if (links.length === 0) return pass(note`${name} had no dead link ${when} that people asked for${times}.`);
  const shown = links.slice(0, SHOWN_LINKS).map(describeLink);
  const more = links.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
  if (hasFailed) {
    const paths = note`${links.length} ${nameUnit(links.length, "path")}`;
    return meet(note`${name} answered ${paths} with a server error (5xx) ${when}${times}: ${list}.`);
  }
  const count = links.length === 1 ? "a dead link" : note`${links.length} dead links`;
  return meet(note`${name} had ${count} ${when} that people asked for${times}: ${list}.`);
}

/** In a sentence: visitors choose these texts. */
const MAX_SHOWN = 60;

type DeadLink = AnswerOf<typeof notFound>["rows"][number];

function describeLink({ value, requests, referrers: [first] }: DeadLink): string {
  const from = first === undefined ? "" : `, most from ${quote(first.value, { maxLength: MAX_SHOWN })}`;
  return `${quote(value, { maxLength: MAX_SHOWN })} (${requests} ${nameUnit(requests, "request")}${from})`;
}
