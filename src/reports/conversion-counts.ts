import { AnalyticsError, quote } from "../errors.ts";
import type { stats } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import type { AtMost } from "../operations/ranges.ts";
import { compareRows } from "../operations/row-order.ts";
import { SUBTRACTED, type Warning } from "../operations/warning.ts";
import { takeVisitors } from "./added-days.ts";
import { type Bounds, exact } from "./bounds.ts";
import type { Breakdown } from "./window-counts.ts";

/** An answer about visitors: in total, or also by a dimension. */
export type Visitors = AnswerOf<typeof stats> | Breakdown;

/** The answers about all visitors, before and after that about those who reached the goal. */
export interface Answers {
  before: Visitors;
  reached: Visitors;
  after: Visitors;
}

/** Visitors, and how many of them reached the goal, as far as the answers tell. */
export interface Pair {
  visitors: Bounds;
  converted: Bounds;
}

export interface PairedRow extends Pair {
  value: string | null;
  label: string;
  other?: true;
}

/** Visitors, how many of them reached a goal, and their share. What is not known is null, never guessed. */
export interface Conversion {
  visitors: number | null;
  converted: number | null;
  /** In percent. Null if there are no visitors, or if it is not known. */
  conversion_rate: number | null;
  /** The ranges, if a count is not known. */
  bounds?: { visitors: Bounds; converted: Bounds; conversion_rate: Bounds };
}

export const countVisitors = (answer: Visitors): number =>
  takeVisitors("rows" in answer ? answer.totals : answer).visitors;

export function pairTotals({ before, reached, after }: Answers): Pair {
  const totals = (answer: Visitors) => boundsOf(takeVisitors("rows" in answer ? answer.totals : answer));
  return { visitors: join(totals(before), totals(after)), converted: totals(reached) };
}

/** The rows by value, most conversions first, then most visitors; none if the answers have no rows. */
export function pairRows({ before, reached, after }: Answers): PairedRow[] {
  if (!("rows" in before && "rows" in reached && "rows" in after)) return [];
  const [findBefore, findReached, findAfter] = [indexRows(before), indexRows(reached), indexRows(after)];
  const rows = new Map(
    [before, after, reached].flatMap(({ rows }) => rows.map((row) => [keyOf(row), row] as const)),
  );
  return [...rows]
    .map(([key, { value, label, other }]) => ({
      value,
      label,
      ...(other && { other }),
      visitors: join(findBefore(key), findAfter(key)),
      converted: findReached(key),
    }))
    .sort((a, b) => compareRows(orderOf(a), orderOf(b)));
}

/** By what is certain. */
const orderOf = ({ value, visitors, converted }: PairedRow) => ({
  value,
  visitors: converted.least,
  hits: visitors.least,
});

/** What lies in either range, or between them. */
const join = (a: Bounds, b: Bounds): Bounds => ({
  least: Math.min(a.least, b.least),
  most: Math.max(a.most, b.most),
});

/** All folded values are one row. Its value is null, like that of visits that have none. */
const OTHER: unique symbol = Symbol("other");
type Key = string | null | typeof OTHER;
const keyOf = ({ value, other }: Breakdown["rows"][number]): Key => (other ? OTHER : value);

const boundsOf = ({
  visitors,
  visitors_at_most: most = visitors,
}: { visitors: number } & AtMost): Bounds => ({
  least: visitors,
  most,
});

function indexRows(list: Breakdown) {
  const byKey = new Map(list.rows.map((row) => [keyOf(row), boundsOf(row)]));
  const unlisted = { least: 0, most: mostUnlisted(list) };
  return (key: Key): Bounds => byKey.get(key) ?? unlisted;
}

/** Whether a list that this program computed may lack rows, so that a value that is missing need not be zero. */
const mayLackRows = (warnings: readonly Warning[] = []) =>
  warnings.some(
    ({ code, values = {} }) => code === SUBTRACTED && ("row_limit" in values || "more_rows" in values),
  );

/** How many visitors a value has at most that is not in a list. Rows are sorted by visitors. */
function mostUnlisted({ rows, truncated, totals, warnings }: Breakdown): number {
  if (mayLackRows(warnings)) return boundsOf(totals).most;
  const last = truncated ? rows.at(-1) : undefined;
  return last === undefined ? 0 : boundsOf(last).most;
}

/** The visitors of a value in a list, where any value can be one of those that were folded into one row. */
export function findVisitors(list: Breakdown, value: string): Bounds {
  const folded = list.rows.find(({ other }) => other)?.visitors ?? 0;
  const { least, most } = indexRows(list)(value);
  return { least, most: Math.min(most + folded, list.totals.visitors) };
}

/** Whether more visitors reached the goal than there are. */
export const isContradiction = ({ visitors, converted }: Pair): boolean => converted.least > visitors.most;

/**
 * Measures a pair. Those who reached the goal are among the visitors, so each count also bounds the other. Throws
 * AnalyticsError `bad_answer` for a contradiction: it is never clamped.
 *
 * @param name Of what, for the error.
 */
export function measurePair(pair: Pair, name: string): Conversion {
  if (isContradiction(pair)) throw createContradictionError(name);
  const visitors = { least: Math.max(pair.visitors.least, pair.converted.least), most: pair.visitors.most };
  const converted = { least: pair.converted.least, most: Math.min(pair.converted.most, pair.visitors.most) };
  if (visitors.most === 0) return { visitors: 0, converted: 0, conversion_rate: null };
  const rate = {
    least: percentOf(converted.least, visitors.most),
    most: findHighest(visitors.least, converted.most),
  };
  const counts = { visitors: exact(visitors), converted: exact(converted) };
  const isKnown = counts.visitors !== null && counts.converted !== null;
  return {
    ...counts,
    conversion_rate: exact(rate),
    ...(!isKnown && { bounds: { visitors, converted, conversion_rate: rate } }),
  };
}

/** All, if there may be no more visitors than may have reached the goal. */
function findHighest(fewest: number, converted: number): number {
  if (converted === 0) return 0;
  return converted >= fewest ? 100 : percentOf(converted, fewest);
}

/** Rounded half up to one decimal, and below 0.1 to two digits, so that a goal that was reached never shows as zero. */
export function percentOf(part: number, whole: number): number {
  const rounded = Math.round((1000 * part) / whole) / 10;
  return rounded === 0 ? Number(((100 * part) / whole).toPrecision(2)) : rounded;
}

const createContradictionError = (name: string) =>
  new AnalyticsError(
    "bad_answer",
    `The service's answers contradict each other: more visitors of ${quote(name)} reached the goal than there are.`,
    {
      hint: "Nothing was shown, because the numbers would be wrong. Try again; if it keeps happening, contact the service's operator.",
    },
  );
