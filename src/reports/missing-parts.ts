import * as z from "zod";
import { breakdown } from "../operations/index.ts";
import { type Note, propose } from "../operations/note.ts";

/*
 * What queries that combine several answers do where the source lacks one: the others are shown, and what is missing is named
 * once, with the reason. A query for that answer alone fails.
 */

const PARTS = { active_now: "active visitors", events: "events", not_found: "dead links" } as const;

/**
 * What an answer lacks, each with why: a list, or another part. Absent if it lacks nothing. `days` is a number of days that
 * the source has the list of. What failed may be there at another time; the reason is a sentence then.
 */
export const missingParts = () =>
  z
    .array(
      z.object({
        dimension: z.string().optional(),
        part: z.enum(["active_now", "events", "not_found"]).optional(),
        reason: z.string(),
        days: z.number().optional(),
        failed: z.literal(true).optional(),
      }),
    )
    .optional();

export type Missing = NonNullable<z.output<ReturnType<typeof missingParts>>>;

/** Why a list has no place below other days: a breakdown shows it alone. */
export const NO_DAYS = "this service's lists take no days";

const namePart = ({ dimension, part }: Missing[number]) => dimension ?? (part && PARTS[part]);

/**
 * Names what the source does not have, and why.
 *
 * @param proposes Whether a breakdown shows such a list.
 */
export function noteMissing(missing: Missing = [], verb: "shown" | "compared", proposes = false): Note[] {
  const lacking = missing.filter(({ failed }) => !failed);
  return groupByReason(lacking).flatMap(([reason, alike]) => {
    const [first] = alike;
    const said = `Not ${verb}: ${alike.map(namePart).join(", ")} (${reason}).`;
    const { dimension, days } = first ?? {};
    if (!proposes || (days === undefined && reason !== NO_DAYS)) return [said];
    return [said, propose({ why: "One of them", name: breakdown.name, params: { dimension, days } })];
  });
}

/** Names what failed, and why. A warning, since a list that is absent could be taken for an empty one. */
export const warnMissing = (missing: Missing = [], verb: "shown" | "compared"): string[] =>
  groupByReason(missing.filter(({ failed }) => failed)).map(
    ([reason, alike]) => `Not ${verb}: ${alike.map(namePart).join(", ")}. ${reason}`,
  );

function groupByReason(missing: Missing): [reason: string, alike: Missing][] {
  const reasons = [...new Set(missing.map(({ reason }) => reason))];
  return reasons.map((reason) => [reason, missing.filter((each) => each.reason === reason)]);
}
