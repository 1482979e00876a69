import type { AnalyticsError, NextQuestion } from "../errors.ts";
import { breakdown, realtime, stats, timeseries } from "../operations/index.ts";
import { NoFilterError } from "../operations/no-filter.ts";
import { NoSumsError } from "./added-days.ts";
import { chooseDays, RefusedDaysError, UnlistedDaysError } from "./list-days.ts";

/* What to ask next, in place of a refused question or after an answer. A shell shows it as a command, a model as the call of a tool. */

type Given = Readonly<Record<string, unknown>>;

/** A question with all its parameters. */
export interface CompleteQuestion {
  readonly why: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
}

/** @param given What was asked. */
export function completeNext(
  query: { name: string },
  { why, name = query.name, params }: NextQuestion,
  given: Given,
): CompleteQuestion {
  const { site, filter } = given;
  const all = { ...(name === query.name ? given : { site, filter }), ...params };
  const known = Object.entries(all).filter(([, value]) => value !== undefined);
  return { why, name, params: Object.fromEntries(known) };
}

const NEAREST = "Nearest";

/** What to do about a refusal: its hint, unless that says in words what is proposed, and what can be asked instead. */
export function adviseOnRefusal(
  query: { name: string },
  error: AnalyticsError,
  given: Given,
): { hint: string | undefined; next: CompleteQuestion[] } {
  const next = listNext(query, error, given).map((each) => completeNext(query, each, given));
  // A filter of who is there now has no list in its place.
  const isSaid =
    error instanceof RefusedDaysError ||
    error instanceof NoSumsError ||
    (error instanceof NoFilterError && (query.name === realtime.name || next.length > error.next.length));
  return { hint: next.length > 0 && isSaid ? undefined : error.hint, next };
}

function listNext({ name }: { name: string }, error: AnalyticsError, given: Given): readonly NextQuestion[] {
  if (error instanceof NoFilterError) return [...proposeList(name, error, given), ...error.next];
  if (error.next.length > 0) return error.next;
  const upToToday = { period: undefined, against: undefined };
  const propose = (days: number | undefined) =>
    days === undefined ? [] : [{ why: NEAREST, params: { ...upToToday, days } }];
  if (error instanceof UnlistedDaysError && name !== "conversions") {
    const { dimension, nearest: days } = error;
    // A list is asked for alone.
    return days === undefined
      ? []
      : [{ why: NEAREST, name: breakdown.name, params: { ...upToToday, dimension, days } }];
  }
  if (error instanceof RefusedDaysError) return propose(error.nearest);
  if (error instanceof NoSumsError) {
    const { period } = given;
    return error.nearest === undefined
      ? [{ why: "By day", name: timeseries.name, params: { period } }]
      : propose(error.nearest);
  }
  const refused = error.parameters.find(
    ({ parameter, detail }) => parameter === "days" && isOfService(detail),
  );
  if (refused === undefined) return [];
  const { allowed = [], maximum } = refused;
  return propose(chooseDays(allowed.map(Number), Number(given.days)) ?? maximum);
}

/** The questions whose totals by a filter of one value are a row of a list. */
const TOTALS = new Set([stats.name, timeseries.name, "overview"]);

function proposeList(name: string, { list }: NoFilterError, { days, period }: Given): NextQuestion[] {
  if (list === undefined || !TOTALS.has(name)) return [];
  const { dimension, has, offersPeriods } = list;
  const isAnswered = period === undefined ? days === undefined || has(Number(days)) : offersPeriods;
  const params = { filter: undefined, dimension, days, period };
  return isAnswered ? [{ why: "The list that has it", name: breakdown.name, params }] : [];
}

/** Whether a service has limits of its own. */
export const isOfService = (detail: string) => detail.includes("this service");
