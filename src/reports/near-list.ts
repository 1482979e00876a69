import type { Call, CallOptions } from "../operations/call.ts";
import type { Days } from "../operations/days.ts";
import { breakdown, type stats } from "../operations/index.ts";
import type { AnswerOf, ParamsOf } from "../operations/operation.ts";
import { findNearDays, nameList, UnlistedDaysError } from "./list-days.ts";
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
    const isUnlisted = error instanceof UnlistedDaysError;
    const near = isUnlisted && (await findNearDays(call, breakdown, { ...days, last }, options));
    if (!near) throw error;
    return ask(near);
  }
}
