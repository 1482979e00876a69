import { AnalyticsError, quote } from "../errors.ts";
import type { stats, timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { type Bounds, narrow, subtract } from "./bounds.ts";
import { type CountedList, indexRows, mostUnlisted } from "./counted-list.ts";
import { sumWindow } from "./windows.ts";

export type Breakdown = CountedList;

/** What is known about a dimension's values in two windows. */
export interface WindowCounts {
  values: readonly { value: string | null; label: string; current: Bounds; previous: Bounds }[];
  /** Values that are in no list: how many there may be, and how many visitors each has at most. */
  unlisted: { count: number; most: number };
  /** How far visits that arrived between the calls may have changed a count. */
  errorBound: number;
  /** Whether the service cut a list. */
  cut_off: boolean;
}

/** The breakdowns until today that give both windows by subtraction. */
export interface UntilToday {
  /** From the first day of the earlier window. */
  sincePrevious: Breakdown;
  /** From the day after the earlier window. */
  afterPrevious: Breakdown;
  /** From the first day of the later window; the same as `afterPrevious` if one window follows the other. */
  sinceCurrent: Breakdown;
  /** From the day after the later window. */
  afterCurrent: Breakdown;
}

/**
 * Counts from a breakdown of each window.
 *
 * @param whole Over both windows, if one follows the other: it may have values that another list lacks.
 */
export function countDirectly(current: Breakdown, previous: Breakdown, whole?: Breakdown): WindowCounts {
  const lists = whole ? [current, previous, whole] : [current, previous];
  const [later, earlier, both] = [indexRows(current), indexRows(previous), whole && indexRows(whole)];
  const labels = new Map(lists.flatMap(listLabels));
  const hidden = (list: Breakdown) => Math.max(0, list.total_rows - list.rows.length);
  const separate = Math.max(mostUnlisted(current), mostUnlisted(previous));
  return {
    values: [...labels].map(([value, label]) => {
      const [now, before] = [later(value).visitors, earlier(value).visitors];
      const sum = both?.(value).visitors;
      return {
        value,
        label,
        current: sum ? narrow(now, subtract(sum, before)) : now,
        previous: sum ? narrow(before, subtract(sum, now)) : before,
      };
    }),
    unlisted: {
      count: whole ? Math.max(0, whole.total_rows - labels.size) : hidden(current) + hidden(previous),
      most: whole ? Math.min(separate, mostUnlisted(whole)) : separate,
    },
    errorBound: 0,
    cut_off: lists.some(({ truncated }) => truncated),
  };
}

/**
 * Counts by subtraction. A negative difference beyond the error bound means that the service contradicts itself: that is an error
 * and is never clamped.
 *
 * @param errorBound How far visits that arrived between the calls may have changed a difference.
 */
export function countBySubtraction(lists: UntilToday, errorBound: number): WindowCounts {
  const all = [lists.sincePrevious, lists.afterPrevious, lists.sinceCurrent, lists.afterCurrent];
  const [sincePrevious, afterPrevious, sinceCurrent, afterCurrent] = [
    indexRows(lists.sincePrevious),
    indexRows(lists.afterPrevious),
    indexRows(lists.sinceCurrent),
    indexRows(lists.afterCurrent),
  ];
  const labels = new Map(all.toReversed().flatMap(listLabels));
  const longest = all.reduce((a, b) => (b.period.days > a.period.days ? b : a));
  const missing = longest.truncated ? Math.max(0, longest.total_rows - labels.size + errorBound) : 0;
  return {
    values: [...labels].map(([value, label]) => {
      const [first, last] = [sincePrevious(value).visitors, afterCurrent(value).visitors];
      // More days cannot have fewer visitors.
      const within = { least: last.least, most: first.most };
      const isOrdered = lists.sincePrevious === longest;
      const middle = (range: Bounds) => (isOrdered ? narrow(range, within) : range);
      return {
        value,
        label,
        current: countBetween(middle(sinceCurrent(value).visitors), last, errorBound, label),
        previous: countBetween(first, middle(afterPrevious(value).visitors), errorBound, label),
      };
    }),
    // A value that is in no list has at most as many visitors in both windows together as a list's last row.
    unlisted: {
      count: missing,
      most: Math.max(mostUnlisted(lists.sincePrevious), mostUnlisted(lists.sinceCurrent)),
    },
    errorBound,
    cut_off: all.some(({ truncated }) => truncated),
  };
}

/** The row of folded values is no value. */
const listLabels = ({ rows }: Breakdown) =>
  rows.flatMap((row) => (row.other ? [] : [[row.value, row.label] as const]));

/** The visitors of the days that only the longer span has. */
function countBetween(longer: Bounds, shorter: Bounds, errorBound: number, label: string): Bounds {
  const difference = subtract(longer, shorter);
  if (difference.most < -errorBound) {
    throw new AnalyticsError(
      "bad_answer",
      `The service's breakdowns contradict each other: ${quote(label)} has fewer visitors over more days.`,
      {
        hint: "Nothing was compared, because the numbers would be wrong. Report it to the service's operator.",
      },
    );
  }
  if (difference.most < 0) return { least: 0, most: difference.most + errorBound };
  return { least: Math.max(0, difference.least), most: difference.most };
}

/**
 * How far the totals of the breakdowns differ from the series over the same days, summed. Page views count too: when a
 * known visitor views another page, that page's row gains a visitor.
 */
export function findErrorBound(
  lists: Breakdown[],
  { points }: AnswerOf<typeof timeseries>,
  summaries: AnswerOf<typeof stats>[],
): number {
  const differences = lists.map(({ period, totals }) => {
    const expected = sumWindow(points.slice(-period.days));
    const events = summaries.find((summary) => summary.period.days === period.days)?.events;
    return Math.max(
      Math.abs(totals.visitors - expected.visitors),
      Math.abs(totals.pageviews - expected.pageviews),
      totals.events === undefined || events === undefined ? 0 : Math.abs(totals.events - events),
    );
  });
  return differences.reduce((sum, difference) => sum + difference, 0);
}
