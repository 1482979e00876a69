import { type Average, type Change, changeLines, type Tree } from "./elements.ts";
import type { Format } from "./format.ts";
import type { Comparison } from "./shapes.ts";

export const MEASURES = [
  { name: "visitors", title: "Visitors", format: "count" },
  { name: "pageviews", title: "Page views", format: "count" },
  { name: "visits", title: "Visits", format: "count" },
  { name: "bounce_rate", title: "Bounce rate", format: "percent" },
  { name: "views_per_visit", title: "Views per visit", format: "ratio" },
  { name: "seconds_per_visit", title: "Time per visit", format: "duration" },
] as const;

export type Measure = (typeof MEASURES)[number];

/** A rate is null if there are no visits. */
export const showMeasure = (value: number | null, { format: kind }: Measure, format: Format): string =>
  value === null ? "–" : format[kind](value);

/**
 * The change of a measure; nothing if one of the windows does not have it.
 *
 * @param before What it was before, if it is not shown elsewhere.
 */
export function describeChange(
  { name, format: kind }: Measure,
  change: Comparison["change"],
  { per_day = {} }: { per_day?: ByMeasure<Average> | undefined },
  before: string | undefined,
  format: Format,
): Tree[] {
  const changes: ByMeasure<Change> = {
    ...change,
    bounce_rate: change.bounce_rate && { absolute: change.bounce_rate.points },
  };
  const { [name]: own } = changes;
  // Percentages change by points.
  const show = format[kind === "percent" ? "count" : kind];
  return own ? changeLines(own, per_day[name], before, show, format) : [];
}

export type ByMeasure<T> = { [N in Measure["name"]]?: T | undefined };
