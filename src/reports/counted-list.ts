import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { breakdown } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import type { Period } from "../operations/period.ts";
import { OTHER_ORDER } from "../operations/warning.ts";
import type { Bounds } from "./bounds.ts";
import { NO_DAYS } from "./missing-parts.ts";

type List = AnswerOf<typeof breakdown>;
type Row = List["rows"][number];

/** A breakdown that says which days it covers and how many visitors each row has. */
export interface CountedRows extends Omit<List, "rows" | "period" | "total_rows"> {
  period: Period;
  rows: (Row & { visitors: number })[];
  /** At least, where a service cut its list and does not say how many there are. */
  total_rows: number;
}

/** One that also has the visitors of all. */
export interface CountedList extends CountedRows {
  totals: NonNullable<List["totals"]>;
}

/** Why breakdowns of a service cannot be compared, subtracted or put beside a total. */
export const createNoDaysError = (parameter: "days" | "period" | "dimension" | "goal", dimension?: string) =>
  new AnalyticsError("invalid_parameter", `${parameter} ${UNUSABLE}.`, {
    hint: "If /breakdown does take days, list that parameter in the service's description (/openapi.json).",
    next: dimension === undefined ? [] : proposeList("Without days", dimension),
    parameters: [{ parameter, detail: UNUSABLE }],
  });

/** A list alone, of the days that the service gives it. */
const proposeList = (why: string, dimension: string) => [
  { why, name: breakdown.name, params: { dimension, days: undefined, period: undefined } },
];

/** A service's own refusal of a list that it is known not to have; undefined if it may have it. */
export async function findRefusal(
  call: Call,
  { site, dimension }: { site: string; dimension: Dimension },
  options: CallOptions,
): Promise<AnalyticsError | undefined> {
  if ((await call.listed?.(options))?.includes(dimension) !== false) return undefined;
  try {
    await call(breakdown, { site, dimension, limit: 1, days: 1 }, options);
    return undefined;
  } catch (error) {
    if (error instanceof AnalyticsError) return error;
    throw error;
  }
}

const UNUSABLE = `cannot be used: ${NO_DAYS}`;

/** The error for a list that the service has and that cannot be used here. */
export function createListError(dimension: string, reason: string): AnalyticsError {
  const detail = `cannot be ${dimension}: ${reason}`;
  return new AnalyticsError("invalid_parameter", `dimension ${detail}.`, {
    next: proposeList("The list itself", dimension),
    parameters: [{ parameter: "dimension", detail }],
  });
}

/** Takes a breakdown only with its days and its visitors. Throws AnalyticsError `invalid_parameter` for one without. */
export function countRows(list: List): CountedRows {
  const { period, rows, total_rows, truncated, dimension, warnings = [] } = list;
  if (period === undefined) throw createNoDaysError("dimension", dimension);
  const counted = rows.flatMap(({ visitors, ...row }) =>
    visitors === undefined ? [] : [{ ...row, visitors }],
  );
  if (counted.length < rows.length)
    throw createListError(dimension, "this service does not say how many visitors its rows have");
  if (truncated && warnings.some(({ code }) => code === OTHER_ORDER))
    throw createListError(dimension, "this service cuts its lists in an order of its own");
  return { ...list, period, rows: counted, total_rows: total_rows ?? rows.length + Number(truncated) };
}

/** Takes a breakdown only with the visitors of all beside those of its rows. Throws AnalyticsError like `countRows`. */
export function countList(list: List): CountedList {
  const { totals, ...rest } = { ...countRows(list) };
  if (totals === undefined) throw createListError(list.dimension, "this service's breakdowns have no totals");
  return { ...rest, totals };
}

/**
 * How many visitors a value has at most that a list lacks. Rows are sorted by visitors, so one that was cut off has at most as
 * many as the last one; and any value can be one of those that the service folded into one row.
 */
export const mostUnlisted = ({ rows, truncated }: CountedRows): number =>
  (truncated ? (rows.at(-1)?.visitors ?? Number.MAX_SAFE_INTEGER) : 0) +
  (rows.find(({ other }) => other)?.visitors ?? 0);

/** Finds the visitors and the hits of a value, as far as a list tells. */
export function indexRows(list: CountedRows, measure: "events" | "pageviews" = "pageviews") {
  const { rows, truncated, totals } = list;
  const byValue = new Map(rows.flatMap((row) => (row.other ? [] : [[row.value, row] as const])));
  const other = rows.find((row) => row.other);
  const folded = { visitors: other?.visitors ?? 0, hits: other?.[measure] ?? 0 };
  const unlisted = {
    visitors: { least: 0, most: mostUnlisted(list) },
    hits: { least: 0, most: truncated ? (totals?.[measure] ?? 0) : folded.hits },
  };
  return (value: string | null): { visitors: Bounds; hits: Bounds } => {
    const row = byValue.get(value);
    if (row === undefined) return unlisted;
    const hits = row[measure] ?? 0;
    return {
      visitors: { least: row.visitors, most: (row.visitors_at_most ?? row.visitors) + folded.visitors },
      hits: { least: hits, most: (row[`${measure}_at_most`] ?? hits) + folded.hits },
    };
  };
}
