import * as z from "zod";
import { AnalyticsError } from "../errors.ts";
import type { Dimension } from "../operations/dimensions.ts";
import type { Note } from "../operations/note.ts";
import { UnreadableListError } from "../operations/unreadable-list.ts";

/** The lists that an answer lacks, each with why. Absent if it has all of them. */
export const missingLists = () => z.array(z.object({ dimension: z.string(), reason: z.string() })).optional();

export type Missing = NonNullable<z.output<ReturnType<typeof missingLists>>>;

/**
 * Reads several lists. One that the source does not have is missing, and said to be: access logs have no countries, for example.
 * Throws all other errors.
 */
export async function readLists<T>(
  dimensions: readonly Dimension[],
  read: (dimension: Dimension) => Promise<T>,
): Promise<{ lists: T[]; missing: Missing }> {
  const missing: Missing = [];
  const lists = await Promise.all(
    dimensions.map((dimension) =>
      read(dimension).then(
        (list) => [list],
        (error: unknown) => {
          missing.push({ dimension, reason: explain(error) });
          return [];
        },
      ),
    ),
  );
  const names: readonly string[] = dimensions;
  const order = ({ dimension }: Missing[number]) => names.indexOf(dimension);
  return { lists: lists.flat(), missing: missing.toSorted((a, b) => order(a) - order(b)) };
}

/** Why there is no such list. Throws an error that is not about its dimension. */
function explain(error: unknown): string {
  if (error instanceof UnreadableListError) return "the service's answer cannot be read";
  const refused =
    error instanceof AnalyticsError && error.code === "invalid_parameter"
      ? error.parameters.find(({ parameter }) => parameter === "dimension")
      : undefined;
  if (refused === undefined) throw error;
  const unrecorded = /this source does not record( without --[\w-]+)?/.exec(refused.detail);
  if (unrecorded !== null) return `not recorded by this source${unrecorded[1] ?? ""}`;
  // Longer reasons are lists of what there is, and may be a service's own words.
  return /^cannot be \w+: (this service[\w' ]{1,80})$/.exec(refused.detail)?.[1] ?? "refused by the service";
}

/** Names the lists that are missing, and why. */
export function noteMissing(missing: Missing = [], verb: "shown" | "compared"): Note[] {
  const reasons = [...new Set(missing.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const names = missing.filter((each) => each.reason === reason).map(({ dimension }) => dimension);
    return `Not ${verb}: ${names.join(", ")} (${reason}).`;
  });
}

export const keepMissing = (missing: Missing): { missing?: Missing } =>
  missing.length === 0 ? {} : { missing };
