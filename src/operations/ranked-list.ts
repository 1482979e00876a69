import * as z from "zod";
import { count, daysParam, siteParam, spanParams } from "./fields.ts";

// What operations that return the top rows of a list share.

const MAX_LIMIT = 1000;

export const limitParam = z.int().min(1).max(MAX_LIMIT).default(10).describe("Maximum number of rows.");

/** The members of an answer that say how many rows there are. */
export const listExtent = {
  limit: z.int().min(1).describe("The requested limit."),
  total_rows: count.describe("Number of rows without the limit."),
  truncated: z.boolean().describe("Whether the limit cut rows off."),
};

/** Leaves out the labels that are equal to their values, to save a model tokens. */
export const omitEqualLabels = <Row extends { value: string | null; label: string }>(rows: readonly Row[]) =>
  rows.map(({ label, ...rest }) => (label === rest.value ? rest : { ...rest, label }));

/** What the operations that rank by requests declare alike. */
export const requestList = {
  isOptional: true,
  params: () => z.strictObject({ site: siteParam, days: daysParam, limit: limitParam }),
  optionalParams: spanParams,
  list: { key: "rows", keep: "first" },
  maxAge: 60,
} as const;

interface RankedList {
  rows: readonly unknown[];
  limit: number;
  total_rows: number;
  truncated: boolean;
}

/** Returns why the number of rows contradicts the requested limit or the answer itself, or undefined if it does not. */
export function verifyExtent(
  { rows, limit, total_rows, truncated }: RankedList,
  asked: { limit: number },
): string | undefined {
  if (limit !== asked.limit) return `its limit is ${limit}, not ${asked.limit}`;
  if (rows.length > limit) return `it has ${rows.length} rows, more than the limit of ${limit}`;
  if (truncated !== total_rows > rows.length) {
    return `it reports truncated: ${truncated} with ${rows.length} of ${total_rows} rows`;
  }
  if (truncated && rows.length < limit) {
    return `it has ${rows.length} of ${total_rows} rows, though the limit is ${limit}`;
  }
  return undefined;
}

/**
 * Returns why rows of requests contradict each other or their total, or undefined if they do not.
 *
 * @param verifyRow Returns why a row contradicts itself; `name` is how to call it.
 */
export function verifyRequests<Row extends { value: string | null; requests: number }>(
  rows: readonly Row[],
  total: number,
  verifyRow: (row: Row, name: string) => string | undefined,
): string | undefined {
  const seen = new Set<string | null>();
  let sum = 0;
  for (const [index, row] of rows.entries()) {
    const { value, requests } = row;
    const name = `"rows[${index}]"`;
    if (requests > (rows[index - 1]?.requests ?? requests))
      return `${name} has more requests than the row before it`;
    if (seen.has(value)) return `${name} repeats the value of another row`;
    const fault = verifyRow(row, name);
    if (fault !== undefined) return fault;
    seen.add(value);
    sum += requests;
  }
  return sum > total ? `its rows have ${sum} requests, but the total is ${total}` : undefined;
}
