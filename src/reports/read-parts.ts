import { AnalyticsError, type ErrorCode } from "../errors.ts";
import type { CallOptions } from "../operations/call.ts";
import { type Dimension, NO_PLACES } from "../operations/dimensions.ts";
import { NO_SUMS, NoSumsError } from "./added-days.ts";
import { UnlistedDaysError } from "./list-days.ts";
import type { Missing } from "./missing-parts.ts";

/* Reads the parts of answers that a source may lack. */

/**
 * Reads a part of an answer. One that the source does not have is missing (access logs have no countries, for example), and so is one
 * that fails while others may not. Throws all other errors.
 */
export async function readPart<T>(
  part: Pick<Missing[number], "dimension" | "part">,
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
const NOT_RECORDED = "not recorded by this source";

/** Reads what nobody misses where the source does not have it, or where it cannot be read. */
export async function readExtra<T>(read: () => Promise<T>, { signal }: CallOptions): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AnalyticsError && !signal?.aborted) return undefined;
    throw error;
  }
}

/** Failures that say nothing about other answers. What concerns all of them, such as a wrong key or a quota, ends the query. */
const OF_ONE_PART: ReadonlySet<ErrorCode> = new Set([
  "internal_error",
  "unavailable",
  "bad_answer",
  "too_large",
]);

/** Why there is no such part. Throws an error about anything else. */
function explain(error: unknown): Pick<Missing[number], "reason" | "days" | "failed"> {
  if (error instanceof AnalyticsError && OF_ONE_PART.has(error.code))
    return { reason: error.message, failed: true };
  if (error instanceof NoSumsError) return { reason: NO_SUMS, ...join(error) };
  if (error instanceof UnlistedDaysError) return { reason: error.reason, ...join(error) };
  if (error instanceof AnalyticsError && error.code === "not_found") return { reason: NOT_OFFERED };
  const refused =
    error instanceof AnalyticsError && error.code === "invalid_parameter"
      ? error.parameters.find(
          ({ parameter, detail }) => parameter === "dimension" || detail.startsWith("cannot be used for "),
        )
      : undefined;
  if (refused === undefined) throw error;
  const unrecorded = /this source does not record( without --[\w-]+)?/.exec(refused.detail);
  // The option is for who owns the logs: each way says how to add places, if its reader can.
  if (unrecorded !== null) return { reason: unrecorded[1] === undefined ? NOT_RECORDED : NO_PLACES };
  // What follows is longer: lists of what there is, or a service's own words.
  return { reason: OF_LIST.exec(refused.detail)?.[1] ?? "refused by the service" };
}

const join = ({ nearest: days }: { nearest: number | undefined }) => (days === undefined ? {} : { days });

const OF_LIST = /^cannot be (?:used for )?\w+: (this service[\w', ]{1,80}?)(?: \(|$)/;

export const keepMissing = (...lists: Missing[]): { missing?: Missing } =>
  lists.every(({ length }) => length === 0) ? {} : { missing: lists.flat() };
