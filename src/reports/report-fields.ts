import * as z from "zod";
import { countDays, type Days } from "../operations/days.ts";
import { count, date } from "../operations/fields.ts";
import { type Note, note } from "../operations/note.ts";
import { nameWeekday } from "../operations/period.ts";
import { type AtMost, countsAtMost, showCount } from "../operations/ranges.ts";
import { once } from "../operations/schemas.ts";
import { type Column, POINTS, type View } from "../operations/view.ts";
import {
  hasRates,
  RATE_NOTES,
  rateVisits,
  type VisitRates,
  withoutVisits,
} from "../operations/visit-rates.ts";
import { nameUnit } from "../render/plural.ts";
import { type Change, type Measure, percentOf, type Window } from "./windows.ts";

// Fields and columns that several reports share.

/** The name of the table of today and this moment, whatever days were asked for. */
export const NOW = "now";

const rate = z.number().nullable().optional();

/** What people ask about visits, as `rateVisits` has it; absent if the source does not know visits. */
export const visitRates = {
  visits: count.optional(),
  bounce_rate: rate,
  views_per_visit: rate,
  seconds_per_visit: rate,
};

export const window = once(() =>
  z.object({
    from: date,
    to: date,
    days: count,
    days_with_data: count.optional(),
    /** Absent where the visitors of days do not add up. Counts are null if no day has data: nobody knows that they were 0. */
    visitors: count.nullable().optional(),
    pageviews: count.nullable(),
    ...countsAtMost("visitors", "pageviews"),
    ...visitRates,
    visits: count.nullable().optional(),
  }),
);
export const change = once(() => z.object({ absolute: z.int().nullable(), percent: z.number().nullable() }));
export const perDay = once(() =>
  z.object({
    current: z.number(),
    previous: z.number(),
    change: z.number(),
    percent: z.number().nullable(),
  }),
);

const rateChange = once(() => z.object({ absolute: z.number().nullable(), percent: z.number().nullable() }));

/** The changes of the totals. The bounce rate changes by percentage points, which have no percentage. */
export const totalsChange = once(() => ({
  visitors: change(),
  pageviews: change(),
  visits: change().optional(),
  bounce_rate: z.object({ points: z.number().nullable() }).optional(),
  views_per_visit: rateChange().optional(),
  seconds_per_visit: rateChange().optional(),
}));

/** The averages per day, where periods differ in length or in days with data. */
export const totalsPerDay = {
  per_day: z.object({ visitors: perDay(), pageviews: perDay(), visits: perDay().optional() }).optional(),
};

/** Whether two windows are comparable (`coverage.ts`). */
export const coverage = {
  comparable: z.boolean(),
  data_since: date.nullable().optional(),
  data_until: date.optional(),
  incomplete: z.string().optional(),
};

export const NO_CHANGE: Change = { absolute: null, percent: null };

/** The changes of the totals of two windows. */
export function measureTotals(measure: Measure, current: Window, previous: Window) {
  const [visitors, pageviews] = (["visitors", "pageviews"] as const).map((name) =>
    measure.perDay(current[name], previous[name]),
  );
  const visits = measureVisits(measure, current, previous);
  return {
    change: {
      visitors: current.isByDay ? NO_CHANGE : measure.change(current.visitors, previous.visitors),
      pageviews: measure.change(current.pageviews, previous.pageviews),
      ...visits?.change,
    },
    ...(visitors &&
      pageviews && { per_day: { visitors, pageviews, ...(visits?.per_day && { visits: visits.per_day }) } }),
  };
}

/**
 * The changes of visits and of their rates; undefined if a window does not have them. Rates do not depend on how many days
 * a window has. Difference and percentage are of the rates as they are shown, so that a reader can check both.
 */
function measureVisits(measure: Measure, current: Window, previous: Window) {
  const [now, before] = [rateVisits(current), rateVisits(previous)];
  if (now === undefined || before === undefined) return undefined;
  const visits = measure.change(now.visits, before.visits);
  const per_day = measure.perDay(now.visits, before.visits);
  if (!hasRates([current, previous])) return { change: { visits }, per_day };
  const differ = (name: "bounce_rate" | "views_per_visit" | "seconds_per_visit") => {
    const [rate = null, rateBefore = null] = [now[name], before[name]];
    if (!measure.isPossible || rate === null || rateBefore === null) return null;
    // Of numbers with at most two decimals.
    return Math.round(100 * (rate - rateBefore)) / 100;
  };
  const changeRate = (name: "views_per_visit" | "seconds_per_visit") => {
    const absolute = differ(name);
    const isKnown = absolute !== null && measure.isComparable;
    return { absolute, percent: isKnown ? percentOf(absolute, before[name] ?? 0) : null };
  };
  return {
    change: {
      visits,
      bounce_rate: { points: differ("bounce_rate") },
      views_per_visit: changeRate("views_per_visit"),
      seconds_per_visit: changeRate("seconds_per_visit"),
    },
    per_day,
  };
}

/** A window as a result has it: rates in place of the counts that they are computed from. */
export function rateWindow({ isByDay, visitors, ...window }: Window) {
  const rates = rateVisits(window);
  const unless = (counted: number) => (window.days_with_data === 0 ? null : counted);
  return {
    ...withoutVisits(window),
    pageviews: unless(window.pageviews),
    ...(!isByDay && { visitors: unless(visitors) }),
    ...rates,
    ...(rates && { visits: unless(rates.visits) }),
  };
}

type Changes = z.output<z.ZodObject<ReturnType<typeof totalsChange>>>;
type Averages = z.output<typeof totalsPerDay.per_day>;

/** The totals of a window as a result has them. */
type Counts = { pageviews: number | null; visitors?: number | null | undefined } & AtMost & {
    [N in keyof VisitRates]?: VisitRates[N] | null | undefined;
  };

export const changeColumns: View["columns"] = [
  { key: "current", label: "current", kind: "count" },
  { key: "previous", label: "previous", kind: "count", spare: true },
  { key: "change", label: "change", kind: "change" },
  { key: "percent", label: "percent", kind: "percent_change", spare: true },
];

/** Columns without any value, which programs get alone. */
export const leaveEmpty = (columns: readonly Column[], rows: View["rows"]): Column[] =>
  columns.map((column) =>
    rows.every((row) => row[column.key] === null) ? { ...column, machine: true } : column,
  );

/** The columns of values compared by their averages per day; programs also get the counts. */
export const averageColumns: View["columns"] = [
  ...changeColumns.slice(0, 3).map((column) => ({ ...column, machine: true as const })),
  { key: "current_per_day", label: "current a day", kind: "count", unit: "tenths" },
  { key: "previous_per_day", label: "previous a day", kind: "count", unit: "tenths", spare: true },
  { key: "change_per_day", label: "change a day", kind: "change", unit: "tenths" },
  { key: "change_per_day_percent", label: "percent", kind: "percent_change", spare: true },
];

/**
 * The rows of two windows: the sums with their change, the rates of the visits and, where they have them, the averages per
 * day.
 */
export function listTotals(
  current: Counts,
  previous: Counts | undefined,
  { change, per_day }: { change?: Changes; per_day?: Averages },
) {
  const hasVisits = current.visits !== undefined;
  const hasRates = current.bounce_rate !== undefined;
  const counted = [...(["visitors", "pageviews"] as const), ...(hasVisits ? (["visits"] as const) : [])];
  const fill = (name: Exclude<keyof Counts, keyof AtMost>) => ({
    label: MEASURE_NAMES[name],
    current: showCount(current, name),
    previous: previous ? showCount(previous, name) : null,
  });
  const points = change?.bounce_rate?.points ?? null;
  return {
    // Visitors that do not add up have averages alone.
    sums: counted
      .filter((name) => current[name] !== undefined)
      .map((name) => ({ ...fill(name), ...readChange(change?.[name]) })),
    rates: hasRates
      ? [
          { ...fill("bounce_rate"), change: points, percent: null, unit: POINTS },
          { ...fill("views_per_visit"), ...readChange(change?.views_per_visit), unit: "hundredths" },
          { ...fill("seconds_per_visit"), ...readChange(change?.seconds_per_visit), unit: "seconds" },
        ]
      : [],
    averages: counted.flatMap((name) => {
      const average = per_day?.[name];
      return average ? [{ label: `${MEASURE_NAMES[name]} a day`, ...average, unit: "tenths" }] : [];
    }),
    notes: hasRates ? RATE_NOTES : [],
  };
}

const readChange = (change: Change | undefined) => ({
  change: change?.absolute ?? null,
  percent: change?.percent ?? null,
});

export const MEASURE_NAMES = {
  visitors: "visitors",
  pageviews: "page views",
  events: "events",
  visits: "visits",
  bounce_rate: "bounce rate %",
  views_per_visit: "views/visit",
  seconds_per_visit: "seconds/visit",
};

interface Span extends Days {
  days: number;
}

/** Of so many days, one weekday more or less does not matter. */
const MANY_DAYS = 56;

/** Says what a reader of the dates alone would miss: other lengths, and which weekdays are beside each other. */
export function noteCompared(current: Span, previous: Span): Note[] {
  const { days } = current;
  if (days !== previous.days)
    return [
      note`The periods have ${days} and ${previous.days} days, so percentages are of averages per day.`,
    ];
  const back = countDays(previous.from, current.from) - 1;
  const isWhole = days % 7 === 0;
  if (back % 7 === 0) {
    const ago = new Map([
      [7, " a week before"],
      [364, " a year before"],
    ]);
    // Beside whole weeks, the weeks before them go without saying.
    return back === days && isWhole
      ? []
      : [`Compared with the same ${nameUnit(days, "weekday")}${ago.get(back) ?? ""}.`];
  }
  if (days === 1) return [`${nameWeekday(current.from)} is compared with ${nameWeekday(previous.from)}.`];
  const areMonths = current.from.endsWith("-01") && previous.from.endsWith("-01");
  return isWhole || areMonths || days > MANY_DAYS
    ? []
    : ["The two periods do not have the same weekdays, as whole weeks would."];
}
