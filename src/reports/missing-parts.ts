import * as z from "zod";
import { AnalyticsError, type ParameterError } from "../errors.ts";
import type { CallOptions } from "../operations/call.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { forModels, forPeople, type Note } from "../operations/note.ts";
import { UnreadableListError } from "../operations/unreadable-list.ts";

/*
 * What queries that combine several answers do where the source lacks one: the others are shown, and what is missing is named
 * once, with the reason. A query for that answer alone fails.
 */

const PARTS = { active_now: "active visitors", events: "events" } as const;

/** What an answer lacks, each with why: a list, or another part. Absent if it lacks nothing. */
export const missingParts = () =>
  z
    .array(
      z.object({
        dimension: z.string().optional(),
        part: z.enum(["active_now", "events"]).optional(),
        reason: z.string(),
      }),
    )
    .optional();

export type Missing = NonNullable<z.output<ReturnType<typeof missingParts>>>;

/**
 * Reads a part of an answer. One that the source does not have is missing: access logs have no countries, for example. Throws all
 * other errors.
 */
async function readPart<T>(
  part: { dimension: Dimension } | { part: keyof typeof PARTS },
  read: () => Promise<T>,
): Promise<{ found: T[]; missing: Missing }> {
  try {
    return { found: [await read()], missing: [] };
  } catch (error) {
    return { found: [], missing: [{ ...part, reason: explain(error) }] };
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
function explain(error: unknown): string {
  if (error instanceof UnreadableListError) return "the service's answer cannot be read";
  if (error instanceof AnalyticsError && error.code === "not_found") return NOT_OFFERED;
  const refused =
    error instanceof AnalyticsError && error.code === "invalid_parameter"
      ? error.parameters.find((each) => each.parameter === "dimension" || isOfList(each))
      : undefined;
  if (refused === undefined) throw error;
  const unrecorded = /this source does not record( without --[\w-]+)?/.exec(refused.detail);
  if (unrecorded !== null) return `not recorded by this source${unrecorded[1] ?? ""}`;
  // Longer reasons are lists of what there is, and may be a service's own words.
  return OF_LIST.exec(refused.detail)?.[1] ?? "refused by the service";
}

/** Whether a list alone is refused for the period. */
const isOfList = ({ detail }: ParameterError) => detail.startsWith("cannot be used for ");
const OF_LIST = /^cannot be (?:used for )?\w+: (this service[\w', ]{1,80})$/;

/** Names what is missing, and why. */
export function noteMissing(missing: Missing = [], verb: "shown" | "compared"): Note[] {
  const reasons = [...new Set(missing.map(({ reason }) => reason))];
  return reasons.flatMap((reason): Note[] => {
    const names = missing
      .filter((each) => each.reason === reason)
      .map(({ dimension, part }) => dimension ?? (part && PARTS[part]));
    const text = `Not ${verb}: ${names.join(", ")} (${reason}).`;
    const days = verb === "shown" && /lists only the last (\d+)/.exec(reason)?.[1];
    if (!days) return [text];
    const command = `analytics-mcp breakdown --dimension ${names[0]} --days ${days}`;
    return [forPeople(`${text} Such a list: ${command}`), forModels(text)];
  });
}

export const keepMissing = (...lists: Missing[]): { missing?: Missing } =>
  lists.every(({ length }) => length === 0) ? {} : { missing: lists.flat() };
