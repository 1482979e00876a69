import * as z from "zod";
import { dateOfHour, nameHour } from "./days.ts";
import { filterParams, MAX_HOUR_DAYS, siteParam, spanParams } from "./fields.ts";
import { defineOperation } from "./operation.ts";
import { describePeriod, periodHeadline, verifyAsked } from "./period.ts";
import { hourPoint, pointColumns, seriesResult, showPoint } from "./series-fields.ts";
import { beginWithData } from "./series-start.ts";
import { timeseries } from "./timeseries.ts";
import { noteRates } from "./visit-rates.ts";

const HOUR_MS = 3_600_000;

/**
 * The hours of `timeseries`: the same path with `interval=hour`. An operation of its own for callers, because its points have
 * `time` in place of `date`. A service offers it if it lists `interval`.
 */
export const hours = defineOperation({
  name: "hours",
  path: timeseries.path,
  summary: timeseries.summary,
  description: timeseries.description,
  tool: timeseries.tool,
  shell: timeseries.shell,
  conform: {
    section: "hours",
    ask: (site) => ({ site, days: 2, interval: "hour" as const }),
    members: "site, period, interval and points of time, visitors and pageviews",
    fix: "time is RFC 3339 with the site's offset, in place of date",
  },
  params: () =>
    z.strictObject({
      site: siteParam,
      days: z.int().min(1).max(MAX_HOUR_DAYS),
      interval: z.literal("hour"),
    }),
  optionalParams: () => ({ ...spanParams(), ...filterParams() }),
  result: () => seriesResult(hourPoint()),
  list: { key: "points", keep: "last", hasVisits: true },
  maxAge: timeseries.maxAge,
  verify: (result, params) =>
    verifyAsked(result, params) ??
    (result.interval === "hour" ? undefined : "its interval is not hour") ??
    verifyHours(result),
  view: (result) => {
    const { period, points } = result;
    const { notes, warnings } = describePeriod(period, result.warnings);
    const labels = points.map(({ time }) => nameHour(time));
    const hasOneOffset = new Set(points.map(({ time }) => time.slice(OFFSET_AT))).size < 2;
    return {
      headline: periodHeadline(result),
      columns: [
        { key: "time", label: "hour", kind: hasOneOffset ? "hour" : "word" },
        ...pointColumns(points),
      ],
      rows: points.map((point) => ({ time: point.time, ...showPoint(point) })),
      series: beginWithData(
        {
          label: "visitors an hour",
          from: labels[0] ?? period.from,
          values: points.map(({ visitors, missing }) => (missing ? null : visitors)),
          partial: points.at(-1)?.partial === true,
          interval: { name: "hour", starts: labels, to: labels.at(-1) ?? period.to },
        },
        result.warnings,
      ),
      notes: [HOURS_NOTE, ...notes, ...noteRates(points)],
      warnings,
    };
  },
});

export const HOURS_NOTE =
  "A visitor counts once an hour, so the visitors of hours do not add up to those of the day. Page views do.";

/** Where the offset begins in a timestamp without fractions of a second. */
const OFFSET_AT = "2026-11-20T14:00:00".length;

type Hours = z.output<ReturnType<typeof seriesResult<ReturnType<typeof hourPoint>>>>;

/** Returns why hours are not all those of their period, one after the other. */
function verifyHours({ period, points }: Hours): string | undefined {
  const starts = points.map(({ time }) => Date.parse(time));
  const misplaced = points.find((_, index) => {
    const [before, start] = [starts[index - 1], starts[index] ?? 0];
    return before !== undefined && !(start > before && start - before <= HOUR_MS);
  });
  if (misplaced) return `its point ${misplaced.time} is out of order, repeated or after a gap`;
  const outside = points.find(({ time }) => dateOfHour(time) > period.to);
  if (outside) return `its point ${outside.time} is outside the period`;
  const [first, last] = [points[0], points.at(-1)];
  if (first && dateOfHour(first.time) < period.from)
    return `its first point, ${first.time}, is before the period`;
  const age = Date.parse(period.as_of) - (starts.at(-1) ?? 0);
  if (last && period.partial && !(age >= 0 && age < HOUR_MS))
    return `its last point, ${last.time}, is not the hour of ${period.as_of}`;
  const foreign = period.timezone === undefined ? undefined : findForeign(points, period.timezone);
  if (foreign) return `its point ${foreign.time} has another offset than ${period.timezone} at that time`;
  return undefined;
}

const MINUTE_MS = 60_000;

/** Finds an hour that the clocks of a timezone do not show as it is written. Old offsets had seconds, which timestamps lack. */
function findForeign<P extends { time: string }>(points: readonly P[], timeZone: string): P | undefined {
  let clock: Intl.DateTimeFormat;
  try {
    clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  } catch {
    // A timezone that this Node does not know.
    return undefined;
  }
  return points.find(({ time }) => {
    const shown = Date.parse(`${clock.format(Date.parse(time)).replace(" ", "T")}Z`);
    return Math.abs(shown - Date.parse(`${time.slice(0, OFFSET_AT)}Z`)) >= MINUTE_MS;
  });
}
