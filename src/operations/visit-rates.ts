import { quoteIfNeeded } from "../errors.ts";
import { type Filter, formatCondition, isOnHits } from "./filter.ts";
import { forModels, forPeople, type Note } from "./note.ts";
import type { Cell, Column, View } from "./view.ts";

/** Counts with their visits, as the contract has them; without visits from a service that does not know them. */
export interface WithVisits {
  pageviews?: number | undefined;
  visits?: number | undefined;
  bounces?: number | undefined;
  visit_seconds?: number | undefined;
}

/** What people ask about visits. A rate is null if there are no visits, and absent if only the visits are known. */
export interface VisitRates {
  visits: number;
  /** The share of visits with exactly one hit, 0–100, rounded half up to one decimal. */
  bounce_rate?: number | null;
  /** Rounded half up to two decimals. */
  views_per_visit?: number | null;
  /** The average time from a visit's first hit to its last, in whole seconds, rounded half up. */
  seconds_per_visit?: number | null;
}

/** The rates of some visits; undefined if the counts have no visits. Rates do not add up: add the counts, then divide. */
export function rateVisits({
  pageviews,
  visits,
  bounces,
  visit_seconds,
}: WithVisits): VisitRates | undefined {
  if (visits === undefined) return undefined;
  if (bounces === undefined || visit_seconds === undefined) return { visits };
  const divide = (count: number, scale: number) =>
    visits === 0 ? null : Math.round((scale * count) / visits) / scale;
  return {
    visits,
    bounce_rate: visits === 0 ? null : Math.round((1000 * bounces) / visits) / 10,
    views_per_visit: pageviews === undefined ? null : divide(pageviews, 100),
    seconds_per_visit: divide(visit_seconds, 1),
  };
}

/** The names of the members that counts have for their visits. */
const VISIT_COUNTS = ["visits", "bounces", "visit_seconds"] as const;
export type VisitCount = (typeof VISIT_COUNTS)[number];

/** Whether all of some counts have visits: none do where they were not asked for. */
export const hasVisits = (counts: readonly WithVisits[]): boolean =>
  counts.length > 0 && counts.every(({ visits }) => visits !== undefined);

/** Whether all of some counts have what the rates of their visits are computed from. */
export const hasRates = (counts: readonly WithVisits[]): boolean =>
  hasVisits(counts) && counts.every(({ bounces }) => bounces !== undefined);

/**
 * An answer without what rates are computed from. Where a filter keeps single hits, bounces and seconds are of the whole visits that these
 * hits belong to, and would look like those of a page.
 */
export function withoutRates<T extends object>(answer: T): T {
  const kept = Object.entries(answer).flatMap(([name, member]) => {
    if (name === "bounces" || name === "visit_seconds") return [];
    if (Array.isArray(member))
      return [[name, member.map((each) => (isRecord(each) ? withoutRates(each) : each))]];
    return [[name, name === "totals" && isRecord(member) ? withoutRates(member) : member]];
  });
  // The members that are gone are optional wherever they occur.
  return Object.fromEntries(kept) as T;
}

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Says why there are no rates under a filter that keeps single hits, and how to ask for some; undefined for other filters. */
export function describeLeftRates(filter: Filter): string | undefined {
  const condition = filter.find(isOnHits);
  if (condition === undefined) return undefined;
  const { dimension, isNot } = condition;
  const entry = dimension === "pages" && !isNot ? ", or entry_pages= for those that begin there" : "";
  const whole = quoteIfNeeded(formatCondition({ ...condition, ofVisit: true }));
  return `Bounce rate, views and seconds per visit are of whole visits, and this filter keeps single hits: ask with ${whole}${entry}.`;
}

/** Says why rows lack the visits that were asked for: a column that is silently absent would look like an oversight. */
export function noteMissingVisits(view: View, result: object): View {
  const { dimension, rows, points = rows } = result as Record<string, unknown>;
  const counts = Array.isArray(points) ? points : [];
  if (counts.length === 0 || hasVisits(counts)) return view;
  const isOfHits = ["pages", "events"].includes(`${dimension}`);
  const reason = isOfHits
    ? `Rows of ${dimension} have no visits, because a visit can have several.`
    : "This source does not know visits.";
  return { ...view, warnings: [...(view.warnings ?? []), reason] };
}

/** The counts without their visits. */
export function withoutVisits<T extends object>(counts: T): Omit<T, VisitCount> {
  const kept = Object.entries(counts).filter(([name]) => !VISIT_COUNTS.some((each) => each === name));
  // Only the named members are gone.
  return Object.fromEntries(kept) as Omit<T, VisitCount>;
}

const VISITS: Column = { key: "visits", label: "visits", kind: "count", detail: true };
const RATES: readonly Column[] = [
  { key: "bounce_rate", label: "bounce rate", kind: "percent", detail: true },
  { key: "views_per_visit", label: "views/visit", kind: "count", unit: "hundredths", detail: true },
  { key: "seconds_per_visit", label: "time/visit", kind: "count", unit: "seconds", detail: true },
];

/** The columns of the visits that some counts have, for rows that `showVisits` fills. */
export const listVisitColumns = (counts: readonly WithVisits[]): readonly Column[] => [
  ...(hasVisits(counts) ? [VISITS] : []),
  ...(hasRates(counts) ? RATES : []),
];

export function showVisits(counts: WithVisits): Record<string, Cell> {
  return { ...rateVisits(counts) };
}

/** What the rates of some counts mean. */
export const noteRates = (counts: readonly WithVisits[]): readonly Note[] =>
  hasRates(counts) ? RATE_NOTES : [];

export const RATE_NOTES: readonly Note[] = [
  forPeople(
    "A visit ends after 30 minutes without a hit, and at midnight. With one hit, it is a bounce of 0 seconds.",
  ),
  forModels("A visit with one hit is a bounce and lasts 0 seconds."),
];
