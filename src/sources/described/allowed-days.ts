import { AnalyticsError } from "../../errors.ts";
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
  const bounds = [
    ...(minimum > 1 ? [`at least ${minimum}`] : []),
    ...(maximum < Number.POSITIVE_INFINITY ? [`at most ${maximum}`] : []),
  ];
  const createError = (why: string) => {
    const detail = `must be ${listed.length > 0 ? `one of ${listed.join(", ")}` : bounds.join(" and ")} ${why}`;
    return new AnalyticsError("invalid_parameter", `days ${detail}.`, {
      hint: "Its description says so. Ask for days that it has.",
      parameters: [{ parameter: "days", detail, ...(listed.length > 0 && { allowed: listed.map(String) }) }],
    });
  };
  return {
    has: (days) => find(days) === days,
    cover: (days) => {
      const found = find(days);
      if (found === undefined) throw createError(`at this service, not ${days}`);
      return found;
    },
    comeNear: (days) => find(days) ?? listed.at(-1) ?? maximum,
    createError,
  };
}
