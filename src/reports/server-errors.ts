import type { Call, CallOptions } from "../operations/call.ts";
import { countDaysWithData } from "../operations/covered-days.ts";
import { countDays, type Days } from "../operations/days.ts";
import { notFound } from "../operations/index.ts";
import type { Warning } from "../operations/warning.ts";
import { readExtra } from "./read-parts.ts";
import { askSpan, type SitePeriod } from "./site-period.ts";
import { isByChance } from "./usual-range.ts";

/** In parts of the days before: fewer errors than this are no news, even where chance does not explain them. */
const MANY = 1.5;

/**
 * Says that a site answered many more requests with 5xx than in the days before. Takes one request, and one more if there are
 * enough to tell. It is an extra: where the source does not know these requests, or they cannot be read, it says nothing.
 */
export async function warnOfServerErrors(
  call: Call,
  span: SitePeriod,
  before: Days,
  options: CallOptions,
): Promise<Warning[]> {
  const ask = (days: Days) =>
    askSpan(call, notFound, { limit: 1, status: "5xx" }, { ...span, ...days }, options);
  const read = async (): Promise<Warning[]> => {
    const { requests } = (await ask(span)).totals;
    if (isByChance(requests, 0)) return [];
    const { totals, warnings = [] } = await ask(before);
    // Days without data are no days without errors.
    if (countDaysWithData(before, warnings) !== countDays(before.from, before.to)) return [];
    const previous = totals.requests;
    if (requests < MANY * previous || isByChance(requests, previous)) return [];
    const detail = `The server failed to answer ${requests} requests (5xx), after ${previous} in the days before: not-found (tool get_not_found) with status 5xx lists them.`;
    return [{ code: "server_errors", detail, values: { requests, previous } }];
  };
  return (await readExtra(read, options)) ?? [];
}
