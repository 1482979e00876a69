import { type AnalyticsError, createParameterError } from "../errors.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { NO_SUMS } from "./added-days.ts";
import { type Conditions, findCompared, MIN_WEEKS } from "./check-conditions.ts";
import { isPreceding } from "./compared-days.ts";
import { describeReach, type UnreachedError } from "./list-days.ts";

/** What a check asks for. */
interface AskedCheck extends Days {
  today: string;
  period: string;
  against?: string | undefined;
}

/** Says which days a service does not reach: those of a check, or those before that a condition needs. Proposes the first that work. */
export function explainReach(
  error: UnreachedError,
  conditions: Conditions,
  asked: AskedCheck,
): AnalyticsError {
  const { earliest } = error;
  const limit = `and this service reaches back only to ${earliest}`;
  const findRefused = (days: AskedCheck) => {
    if (days.from < earliest) return { parameter: "period", detail: describeReach(earliest) };
    const weeks = addDays(days.from, -7 * MIN_WEEKS);
    if (conditions.unusual && weeks < earliest)
      return {
        parameter: "unusual",
        detail: `needs the ${MIN_WEEKS} weeks before, which begin on ${weeks}, ${limit}`,
      };
    const compared = conditions.change ? findCompared(days).from : earliest;
    if (compared >= earliest) return undefined;
    return isPreceding(days.against)
      ? { parameter: "change", detail: `compares with days that begin on ${compared}, ${limit}` }
      : { parameter: "against", detail: `begins on ${compared}, ${limit}` };
  };
  const refused = findRefused(asked);
  if (refused === undefined) return error;
  const count = countDays(asked.from, asked.to);
  const isOne = count === 1;
  for (let from = earliest; ; from = addDays(from, 1)) {
    const to = addDays(from, count - 1);
    if (to >= asked.today) return createParameterError(refused.parameter, refused.detail);
    const period = isOne ? from : `${from}/${to}`;
    if (findRefused({ ...asked, from, to, period, against: undefined })) continue;
    const why = `The first ${isOne ? "day" : `${count} days`} that can be checked`;
    const next = [{ why, params: { period, against: undefined } }];
    return createParameterError(refused.parameter, refused.detail, { next });
  }
}

/** Refuses conditions on the number of visitors of days that do not add up: only their average is known. */
export function assertNoSum(
  { below, above, unusual }: Conditions,
  { to, today }: AskedCheck,
  leavesToday: boolean,
): void {
  const condition =
    below !== undefined ? "below" : above !== undefined ? "above" : unusual ? "unusual" : undefined;
  if (condition === undefined) return;
  const complete = leavesToday ? "only complete days are checked, and " : "";
  throw createParameterError(condition, `cannot check visitors of several days: ${complete}${NO_SUMS}`, {
    next: [
      { why: "A single day", params: { period: addDays(to, 1) === today ? "yesterday" : to } },
      { why: "Page views", params: { metric: "pageviews" } },
    ],
  });
}
