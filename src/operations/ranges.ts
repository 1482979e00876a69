import type * as z from "zod";
import { readMember } from "../member.ts";
import { count } from "./fields.ts";

/*
 * Counts that are known only as a range: `visitors` is its lower end then, and `visitors_at_most` its upper one.
 */

const COUNTS = ["visitors", "pageviews", "events"] as const;
type Count = (typeof COUNTS)[number];

export type AtMost = { [Name in `${Count}_at_most`]?: number | undefined };

/** The members of an answer for the upper ends of some of its counts. */
export const countsAtMost = <Name extends Count>(...names: readonly Name[]) =>
  // The names are those of the parameters.
  Object.fromEntries(
    names.map((name) => [
      `${name}_at_most`,
      count
        .optional()
        .describe(`Set if ${name} are only known to be so many at most, because values were folded.`),
    ]),
  ) as Record<`${Name}_at_most`, z.ZodOptional<typeof count>>;

/** The upper ends of sums; none if all of their parts are known. */
export function sumAtMost(
  parts: readonly ({ [Name in Count]?: number | null | undefined } & AtMost)[],
): AtMost {
  return Object.fromEntries(
    COUNTS.flatMap((name) => {
      const most = parts.map((part) => part[`${name}_at_most`] ?? part[name] ?? 0);
      const isRange = parts.some((part) => (part[`${name}_at_most`] ?? 0) > (part[name] ?? 0));
      return isRange ? [[`${name}_at_most`, most.reduce((sum, each) => sum + each, 0)]] : [];
    }),
  );
}

/** A count as a cell: a range if that is all that is known. Null if there is none. */
export function showCount(row: object, name: string): number | string | null {
  const [least, most]: unknown[] = [readMember(row, name), readMember(row, `${name}_at_most`)];
  if (typeof least !== "number") return null;
  return typeof most === "number" && most > least ? `${least}–${most}` : least;
}
