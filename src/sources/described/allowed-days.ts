import { AnalyticsError, createParameterError } from "../../errors.ts";
import type { DescribedParameter } from "./description.ts";

/** The numbers of days that a service's description allows in a request. */
export interface AllowedDays {
  has(days: number): boolean;
  /** The fewest that have these among them. Throws AnalyticsError if there are none. */
  cover(days: number): number;
  /** The fewest that have these among them, else the most. */
  comeNear(days: number): number;
  /**
   * The error for days that are not allowed, or whose numbers cannot be had from those that are.
   *
   * @param what What there is only of the others: `this service has lists`.
   */
  createError(days: number, what: string): AnalyticsError;
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
  const others = listed.length > 0 ? listed.join(", ").replace(/, (\d+)$/, " or $1") : bounds.join(" and ");
  const createError = (days: number, what: string) => {
    const allowed = listed.length > 0 ? listed.map(String) : undefined;
    const nearest = find(days) ?? most;
    return createParameterError("days", `cannot be ${days}: ${what} only of ${others} days`, {
      allowed: allowed ?? (nearest === days ? undefined : [String(nearest)]),
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

const MAX_REFUSAL = 500;
const NUMBERS = /\b\d{1,3}\b["']?(?:(?: ?[,|] ?| (?=or |and ))(?:or |and )?["']?\d{1,3}\b["']?){1,20}/;
const RANGE = /(?<![\d-])(\d{1,4}) ?(?:and|to|through|[-–]|\.{2,3}) ?(\d{1,4})(?![\d-])/;
const MOST =
  /(?:at most|up to|limited to|max(?:imum)?\.?(?: (?:is|of|value))*:?|(?:no|not)(?: be)? (?:more|greater) than|not exceed|less than or equal to|<=|≤) ?\(?(\d{1,4})(?![\d-])/i;

/**
 * The numbers of days that a sentence allows in place of a refused one: those of a list, such as `days must be one of 7, 30, 90`, or all
 * up to a most, such as `days must be between 1 and 120`. Undefined if it names neither, or allows the refused one.
 */
export function findOtherDays(
  sentence: string,
  refused: number,
): { allowed: number[] } | { maximum: number } | undefined {
  const text = sentence.slice(0, MAX_REFUSAL);
  if (!/\bdays\b/i.test(text)) return undefined;
  const [list = ""] = NUMBERS.exec(text) ?? [];
  const allowed = (list.match(/\d+/g) ?? []).map(Number);
  // Two with an "and" are the ends of a range.
  const isRange = allowed.length === 2 && / and /.test(list);
  if (allowed.length > 0 && !isRange && !allowed.includes(0))
    return allowed.includes(refused) ? undefined : { allowed };
  const [, least, end] = RANGE.exec(text) ?? [];
  const maximum = Number(end ?? MOST.exec(text)?.[1]);
  return Number(least ?? 1) < maximum && maximum < refused ? { maximum } : undefined;
}
