import type { Call, CallOptions } from "../operations/call.ts";
import { countDays, type Days } from "../operations/days.ts";
import { breakdown, type stats } from "../operations/index.ts";
import type { AnswerOf, ParamsOf } from "../operations/operation.ts";
import { OTHER_DAYS, type Warning } from "../operations/warning.ts";
import { createNoDaysError } from "./counted-list.ts";
import { findNearDays, isRecent, nameList, UnlistedDaysError } from "./list-days.ts";
import { askSpan, type SitePeriod } from "./site-period.ts";

interface AskedList {
  list: Pick<ParamsOf<typeof breakdown>, "dimension" | "limit">;
  days: SitePeriod;
  /** The last day that the service's answers have. */
  last: string;
  summary: Promise<AnswerOf<typeof stats>>;
}

/**
 * Reads a list of some days. If they end with the last day or the one before it, and the service lists only other numbers of
 * days, these are the fewest that are as many; its period then says so. Throws UnlistedDaysError for earlier days.
 */
export async function readListNear(
  call: Call,
  { list, days, last, summary }: AskedList,
  options: CallOptions,
): Promise<AnswerOf<typeof breakdown>> {
  const ask = (asked: Days, totals?: typeof summary) =>
    askSpan(call, breakdown, list, { ...days, ...asked }, options, totals).catch(
      nameList(list.dimension, { ...days, last }),
    );
  try {
    return await ask(days, summary);
  } catch (error) {
    if (!(error instanceof UnlistedDaysError)) throw error;
    const near = await findNearDays(call, breakdown, { ...days, last }, options);
    if (!near) throw error;
    const answer = await ask(near);
    return { ...answer, warnings: [warnOfOtherDays(near, error), ...(answer.warnings ?? [])] };
  }
}

/** Reads a list of a service whose lists take no days. Throws AnalyticsError for earlier days, below which nobody would look for others. */
export async function readUndated(
  call: Call,
  { list, days, last }: Omit<AskedList, "summary">,
  options: CallOptions,
): Promise<AnswerOf<typeof breakdown>> {
  const answer = await call(breakdown, { site: days.site, ...list, days: 1 }, options);
  if (answer.period === undefined && !isRecent({ ...days, last }))
    throw createNoDaysError("dimension", list.dimension);
  return answer;
}

const warnOfOtherDays = ({ from, to }: Days, { reason }: UnlistedDaysError): Warning => ({
  code: OTHER_DAYS,
  detail: `Lists cover the ${countDays(from, to)} days until ${to}: ${reason}.`,
  values: { from, to, days: countDays(from, to) },
});
