import { AnalyticsError, createParameterError } from "../../errors.ts";
import type { DescribedParameter } from "./description.ts";

/** The numbers of days that a service's description allows in a request. */
export interface AllowedDays {
  has(days: number): boolean;
  /** The fewest that have these among them. Throws AnalyticsError if there are none. */
  cover(days: number): number;
  /** The fewest that have these among them, else the most. */
  comeNear(days: number): number;
  /** The error for days that are not allowed, or whose numbers cannot be had from those that are. */
  createError(why: string): AnalyticsError;
}

export function readAllowedDays(parameter: DescribedParameter | undefined): AllowedDays {
  const { allowed = [], minimum = 1, maximum = Number.POSITIVE_INFINITY } = parameter ?? {};
  const listed = allowed
    .map(Number)
    .filter(Number.isInteger)
    .toSorted((a, b) => a - b);
  const find = (days: number) =>
    (listed.length > 0 ? listed : [Math.max(days, minimum)]).find(
      (count) => count >= days && count <= maximum,
    );
  const most = Math.min(maximum, listed.at(-1) ?? maximum);
  const bounds = [
    ...(minimum > 1 ? [`at least ${minimum}`] : []),
    ...(most < Number.POSITIVE_INFINITY ? [`at most ${most}`] : []),
  ];
  const createError = (why: string) => {
    const detail = `must be ${listed.length > 0 ? `one of ${listed.join(", ")}` : bounds.join(" and ")} ${why}`;
    return new AnalyticsError("invalid_parameter", `days ${detail}.`, {
      parameters: [{ parameter: "days", detail, ...(listed.length > 0 && { allowed: listed.map(String) }) }],
    });
  };
  return {
    has: (days) => find(days) === days,
    cover: (days) => {
      const found = find(days);
      if (found !== undefined) return found;
      // Fewer can be had from these, so that what it lists is not all that can be asked.
      throw createParameterError("days", `must be at most ${most} at this service`, {
        range: { minimum: 1, maximum: most },
      });
    },
    comeNear: (days) => find(days) ?? most,
    createError,
  };
}

/** The refusal of a number of days that names those that can be had: the question can be answered from these. */
export class OtherDaysError extends AnalyticsError {}

/** Reads once more for each path that has only now told the numbers of days that it takes. */
export async function again<T>(read: () => Promise<T>, paths = 3): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof OtherDaysError) || paths === 0) throw error;
    return again(read, paths - 1);
  }
}

const NUMBERS = /\b\d{1,3}\b["']?(?:(?: ?[,|] ?| (?=or |and ))(?:or |and )?["']?\d{1,3}\b["']?){1,20}/;
const MAX_REFUSAL = 500;

/** The numbers of days that a sentence lists, such as `days must be one of 7, 30, 90`. */
export function findListedDays(sentence: string): number[] {
  const text = sentence.slice(0, MAX_REFUSAL);
  const [list = ""] = (/\bdays\b/i.test(text) && NUMBERS.exec(text)) || [];
  const numbers = (list.match(/\d+/g) ?? []).map(Number);
  // Two with an "and" are the ends of a range.
  const isRange = numbers.length === 2 && / and /.test(list);
  return isRange || numbers.includes(0) ? [] : numbers;
}
