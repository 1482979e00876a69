import { createParameterError } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { clockOfHour, dateOfHour } from "../operations/days.ts";
import { DEFAULT_DAYS } from "../operations/fields.ts";
import { HOURS_NOTE } from "../operations/hours.ts";
import { timeseries } from "../operations/index.ts";
import { type Note, note } from "../operations/note.ts";
import { describePeriod, type Period, periodHeadline, WEEK } from "../operations/period.ts";
import { showCount } from "../operations/ranges.ts";
import { pointColumns } from "../operations/series-fields.ts";
import type { Column, View } from "../operations/view.ts";
import { noteRates, withoutVisits } from "../operations/visit-rates.ts";
import type { Warning } from "../operations/warning.ts";
import { nameUnit } from "../render/plural.ts";
import { createCompleteTest } from "./complete-days.ts";
import type { QueryOptions } from "./default-days.ts";
import {
  type DatedPoint,
  type Extremes,
  findExtremes,
  foldSeries,
  nameFirst,
  type ProfileInterval,
  type Slot,
} from "./profile.ts";
import type { Answer } from "./query.ts";
import { askHours } from "./series-answer.ts";
import { askDays } from "./site-period.ts";

/** Four weeks of complete days. */
const DEFAULT_PERIOD = `last_${DEFAULT_DAYS}_days`;

interface Found {
  site: { domain: string };
  period: Period;
  filter?: readonly string[] | undefined;
  warnings?: readonly Warning[] | undefined;
}

/** Answers when people come: by day of the week, by hour of the day, or by both. */
export async function askProfile(
  call: Call,
  interval: ProfileInterval,
  { with: added, ...given }: Record<string, unknown>,
  options: QueryOptions,
): Promise<Pick<Answer, "result" | "views">> {
  const isDefault = options.usesDefaultDays && given.period === undefined;
  const params = isDefault ? { ...given, ...(await chooseDefault(call, interval, options)) } : given;
  if (added === "visits" && interval === "week_hour")
    throw createParameterError("with", "cannot be combined with interval week_hour, whose rows are too many");
  const { points, ...series } =
    interval === "weekday"
      ? await askDays(call, timeseries, params, options)
      : await readHours(call, params, options);
  const isComplete = createCompleteTest(series);
  const complete = points.filter((point) => isComplete(point.date, point));
  const shown = added === "visits" ? complete : complete.map(withoutVisits);
  const slots = foldSeries(interval, shown);
  const extremes = findExtremes(slots);
  const days = new Set(complete.map(({ date }) => date)).size;
  return {
    result: {
      ...series,
      interval,
      ...(extremes && { highest: nameSlot(extremes.highest), lowest: nameSlot(extremes.lowest) }),
      points: slots,
    },
    views: viewProfile(series, interval, { slots, shown, days, extremes }),
  };
}

/** The default days; of a service that has fewer, as many as it has. */
async function chooseDefault(call: Call, interval: ProfileInterval, options: QueryOptions) {
  const days =
    interval === "weekday" ? await call.fitDays?.(timeseries, DEFAULT_DAYS + 1, options) : undefined;
  return days === undefined || days > DEFAULT_DAYS ? { period: DEFAULT_PERIOD } : { days };
}

async function readHours(call: Call, params: Record<string, unknown>, options: QueryOptions) {
  const { points, ...series } = await askHours(call, params, options);
  return {
    ...series,
    points: points.map(({ time, ...point }) => ({
      ...point,
      date: dateOfHour(time),
      hour: Number(clockOfHour(time).slice(0, 2)),
    })),
  };
}

const nameSlot = ({ weekday, hour, visitors }: Slot) => ({
  ...(weekday !== undefined && { weekday }),
  ...(hour !== undefined && { hour }),
  visitors,
});

interface Folded {
  slots: readonly Slot[];
  shown: readonly DatedPoint[];
  days: number;
  extremes: Extremes<Slot> | undefined;
}

function viewProfile(series: Found, interval: ProfileInterval, folded: Folded): View[] {
  const { slots, shown, days } = folded;
  const headline = `${TITLES[interval]} of ${periodHeadline(series, `${days || "no"} ${nameUnit(days, "complete day")}`)}`;
  const said = describeProfile(series, interval, folded);
  if (interval === "week_hour")
    return MEASURES.map((measure, index) => ({
      name: measure.name,
      headline: index === 0 ? `${headline}: ${measure.label}` : measure.label,
      columns: [...GRID_COLUMNS],
      rows: buildGrid(slots, measure.name),
      ...(index === 0 ? said : { notes: [] }),
    }));
  const names = slots.map((slot) => slot.weekday ?? nameClock(slot));
  return [
    {
      headline,
      columns: [
        interval === "weekday"
          ? { key: "weekday", label: "weekday", kind: "word" }
          : { key: "hour", label: "hour", kind: "word" },
        { key: "days", label: "days", kind: "count" },
        ...pointColumns(shown).flatMap((column) =>
          column.key === "partial"
            ? []
            : [AVERAGES.has(column.key) ? { ...column, unit: "tenths" as const } : column],
        ),
      ],
      rows: slots.map(({ weekday, hour, days, visits, ...slot }) => ({
        ...(weekday !== undefined && { weekday }),
        ...(hour !== undefined && { hour: nameClock({ hour }) }),
        days,
        visitors: showCount(slot, "visitors"),
        pageviews: showCount(slot, "pageviews"),
        ...(visits !== undefined && {
          visits,
          bounce_rate: slot.bounce_rate ?? null,
          views_per_visit: slot.views_per_visit ?? null,
          seconds_per_visit: slot.seconds_per_visit ?? null,
        }),
      })),
      series: {
        label: `${TITLES[interval]}: visitors`,
        from: names[0] ?? "",
        values: slots.map(({ visitors }) => visitors),
        partial: false,
        interval: { name: interval, starts: names, to: names.at(-1) ?? "" },
      },
      ...said,
    },
  ];
}

const TITLES = {
  weekday: "Average day of the week",
  hour_of_day: "Average hour of the day",
  week_hour: "Average hour of the week",
};

const AVERAGES: ReadonlySet<string> = new Set(["visitors", "pageviews", "visits"]);

const MEASURES = [
  { name: "visitors", label: "visitors" },
  { name: "pageviews", label: "page views" },
] as const;

const nameClock = ({ hour = 0 }: Pick<Slot, "hour">) => `${String(hour).padStart(2, "0")}:00`;

/** A column for each day of the week. */
const GRID_COLUMNS: readonly Column[] = [
  { key: "hour", label: "hour", kind: "word" },
  ...WEEK.map(
    (weekday): Column => ({
      ...{ key: weekday.toLowerCase(), label: weekday.slice(0, 3) },
      ...{ kind: "count", unit: "tenths" },
    }),
  ),
];

/** A row for each hour of the day. */
function buildGrid(slots: readonly Slot[], measure: "visitors" | "pageviews"): View["rows"] {
  const hours = [...new Set(slots.map(({ hour = 0 }) => hour))].sort((a, b) => a - b);
  return hours.map((hour) => ({
    hour: nameClock({ hour }),
    ...Object.fromEntries(
      slots.flatMap((slot) =>
        slot.hour === hour ? [[slot.weekday?.toLowerCase() ?? "", showCount(slot, measure)]] : [],
      ),
    ),
  }));
}

function describeProfile(
  { period, warnings: warned }: Found,
  interval: ProfileInterval,
  { slots, shown, days, extremes }: Folded,
): { notes: Note[]; warnings: Note[] } {
  // Today is left out, so that it makes nothing incomplete.
  const described = describePeriod({ ...period, partial: false }, warned);
  const named = new Set(slots.map(({ weekday }) => weekday));
  const without = interval === "hour_of_day" || days === 0 ? [] : WEEK.filter((day) => !named.has(day));
  const today = period.partial ? " Today is left out." : "";
  const name = ({ weekday = "", ...slot }: Slot) =>
    `${weekday} ${slot.hour === undefined ? "" : nameClock(slot)}`.trim();
  return {
    notes: [
      note`Averages per day, of ${days} ${nameUnit(days, "complete day")} with data.${today}`,
      ...(extremes
        ? [
            note`Most visitors: ${nameFirst(name(extremes.highest), extremes.ties.highest)} (${extremes.highest.visitors}). Fewest: ${nameFirst(name(extremes.lowest), extremes.ties.lowest)} (${extremes.lowest.visitors}).`,
          ]
        : []),
      ...(interval === "weekday" ? [] : [HOURS_NOTE]),
      ...described.notes,
      ...noteRates(shown),
    ],
    warnings: [
      ...(days === 0 ? ["None of these days is complete and has data, so there are no averages."] : []),
      ...(without.length > 0 ? [`No complete day with data is a ${without.join(" or a ")}.`] : []),
      ...described.warnings,
    ],
  };
}
