import * as z from "zod";
import type { Note } from "../operations/note.ts";

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

/** Names what is missing, and why. */
export function noteMissing(missing: Missing = [], verb: "shown" | "compared"): Note[] {
  const reasons = [...new Set(missing.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const names = missing
      .filter((each) => each.reason === reason)
      .map(({ dimension, part }) => dimension ?? (part && PARTS[part]));
    const [, days] = /lists only the last (\d+)/.exec(reason) ?? [];
    const next =
      days && verb === "shown"
        ? ` One of them: analytics-mcp breakdown --dimension ${names[0]} --days ${days}`
        : "";
    return `Not ${verb}: ${names.join(", ")} (${reason}).${next}`;
  });
}
