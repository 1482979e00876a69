import * as z from "zod";
import { breakdown } from "../operations/index.ts";
import { forShell, type Note } from "../operations/note.ts";
import { formatCommand } from "../operations/shell-command.ts";

/*
 * What queries that combine several answers do where the source lacks one: the others are shown, and what is missing is named
 * once, with the reason. A query for that answer alone fails.
 */

const PARTS = { active_now: "active visitors", events: "events" } as const;

/**
 * What an answer lacks, each with why: a list, or another part. Absent if it lacks nothing. `days` is a number of days that
 * the source has the list of.
 */
export const missingParts = () =>
  z
    .array(
      z.object({
        dimension: z.string().optional(),
        part: z.enum(["active_now", "events"]).optional(),
        reason: z.string(),
        days: z.number().optional(),
      }),
    )
    .optional();

export type Missing = NonNullable<z.output<ReturnType<typeof missingParts>>>;

/**
 * Names what is missing, and why.
 *
 * @param site The site whose lists a breakdown would show.
 */
export function noteMissing(missing: Missing = [], verb: "shown" | "compared", site?: string): Note[] {
  const reasons = [...new Set(missing.map(({ reason }) => reason))];
  return reasons.flatMap((reason) => {
    const alike = missing.filter((each) => each.reason === reason);
    const names = alike.map(({ dimension, part }) => dimension ?? (part && PARTS[part]));
    const [first] = alike;
    const said = `Not ${verb}: ${names.join(", ")} (${reason}).`;
    if (site === undefined || first?.days === undefined) return [said];
    const { dimension, days } = first;
    return [said, forShell(`One of them: ${formatCommand(breakdown, { site, dimension, days }, [])}`)];
  });
}
