import { AnalyticsError } from "../errors.ts";
import type { CallOptions } from "../operations/call.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { UnreadablePartError } from "../operations/unreadable-part.ts";
import { UnlistedDaysError } from "./list-days.ts";
import type { Missing } from "./missing-parts.ts";

/* Reads the parts of answers that a source may lack. */

/**
 * Reads a part of an answer. One that the source does not have is missing: access logs have no countries, for example. Throws all
 * other errors.
 */
async function readPart<T>(
  part: { dimension: Dimension } | Required<Pick<Missing[number], "part">>,
  read: () => Promise<T>,
): Promise<{ found: T[]; missing: Missing }> {
  try {
    return { found: [await read()], missing: [] };
  } catch (error) {
    return { found: [], missing: [{ ...part, ...explain(error) }] };
  }
}

export const readActiveNow = (read: () => Promise<number>) => readPart({ part: "active_now" }, read);

export async function readLists<T>(
  dimensions: readonly Dimension[],
  read: (dimension: Dimension) => Promise<T>,
): Promise<{ lists: T[]; missing: Missing }> {
  const parts = await Promise.all(
    dimensions.map((dimension) => readPart({ dimension }, () => read(dimension))),
  );
  return { lists: parts.flatMap(({ found }) => found), missing: parts.flatMap(({ missing }) => missing) };
}

export const NOT_OFFERED = "not offered by this source";

/** Reads what nobody misses where the source does not have it, or where it cannot be read. */
export async function readExtra<T>(read: () => Promise<T>, { signal }: CallOptions): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AnalyticsError && !signal?.aborted) return undefined;
    throw error;
  }
}

/** Why there is no such part. Throws an error about anything else. */
function explain(error: unknown): Pick<Missing[number], "reason" | "days"> {
  if (error instanceof UnreadablePartError) return { reason: "the service's answer cannot be read" };
  if (error instanceof UnlistedDaysError)
    return { reason: error.reason, ...(error.days !== undefined && { days: error.days }) };
  if (error instanceof AnalyticsError && error.code === "not_found") return { reason: NOT_OFFERED };
  const refused =
    error instanceof AnalyticsError && error.code === "invalid_parameter"
      ? error.parameters.find(
          ({ parameter, detail }) => parameter === "dimension" || detail.startsWith("cannot be used for "),
        )
      : undefined;
  if (refused === undefined) throw error;
  const unrecorded = /this source does not record( without --[\w-]+)?/.exec(refused.detail);
  if (unrecorded !== null) return { reason: `not recorded by this source${unrecorded[1] ?? ""}` };
  // Longer reasons are lists of what there is, and may be a service's own words.
  return { reason: OF_LIST.exec(refused.detail)?.[1] ?? "refused by the service" };
}

const OF_LIST = /^cannot be (?:used for )?\w+: (this service[\w', ]{1,80})$/;

export const keepMissing = (...lists: Missing[]): { missing?: Missing } =>
  lists.every(({ length }) => length === 0) ? {} : { missing: lists.flat() };
