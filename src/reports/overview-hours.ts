import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, clockOfHour, type Days, dateOfHour } from "../operations/days.ts";
import { hours } from "../operations/hours.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { BEFORE_DATA, PROXIED } from "../operations/warning.ts";
import { readExtra } from "./read-parts.ts";
import { askSpan } from "./site-period.ts";
import { countPoints } from "./trend-counts.ts";

type Hours = AnswerOf<typeof hours>;
type HourPoint = Hours["points"][number];

/**
 * Reads the finished hours of today beside those of yesterday, and the hours of a single day. Takes one request, and one more
 * for a single day before yesterday. Hours are an extra: where the source has none, or they cannot be read, they are left out.
 *
 * @param shown The days of the overview.
 */
export async function readOverviewHours(
  call: Call,
  { site, today, from, to }: Days & { site: string; today: string },
  options: CallOptions,
): Promise<{ today?: ReturnType<typeof compareToday>; trend?: ReturnType<typeof listHours> }> {
  const ask = (days: Days) => askSpan(call, hours, { interval: "hour" }, { site, today, ...days }, options);
  const read = async () => {
    if (!(await call.offersHours?.(options))) return {};
    const yesterday = addDays(today, -1);
    const isRecent = from >= yesterday;
    const [recent, single] = await Promise.all([
      ask({ from: yesterday, to: today }),
      from === to && !isRecent ? ask({ from, to }) : undefined,
    ]);
    const points = from === to ? (single?.points ?? listOf(recent, from)) : [];
    const compared = compareToday(recent, today);
    return { ...(compared && { today: compared }), ...(points.length > 0 && { trend: listHours(points) }) };
  };
  return (await readExtra(read, options)) ?? {};
}

/** The hours of a day: until the clocks first show a later date. */
function listOf({ points }: Hours, day: string): HourPoint[] {
  const start = points.findIndex(({ time }) => dateOfHour(time) >= day);
  const end = points.findIndex(({ time }) => dateOfHour(time) > day);
  return start === -1 ? [] : points.slice(start, end === -1 ? undefined : end);
}

/** Undefined before the first hour of today is over, and where the data of a day may be missing. */
function compareToday(recent: Hours, today: string) {
  const finished = listOf(recent, today);
  const current = finished.pop();
  const isPartial = (recent.warnings ?? []).some(({ code }) => ABOUT_MISSING.has(code));
  if (current === undefined || finished.length === 0 || isPartial) return undefined;
  const until = clockOfHour(current.time);
  const before = listOf(recent, addDays(today, -1)).filter(({ time }) => clockOfHour(time) < until);
  const sum = (points: readonly HourPoint[]) => points.reduce((total, { pageviews }) => total + pageviews, 0);
  return { until, pageviews_until_then: sum(finished), yesterday_until_then: sum(before) };
}

/** Warnings that a part of yesterday or today has no data. */
const ABOUT_MISSING = new Set([
  BEFORE_DATA,
  "partial_first_day",
  "gap",
  PROXIED,
  "incomplete",
  "stale",
  "damaged_file",
  "damaged_history",
  "unread_input",
]);

const listHours = (points: readonly HourPoint[]) => ({
  times: points.map(({ time }) => time),
  ...countPoints(points),
});
