import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { countDays, type Days } from "../operations/days.ts";
import { ONCE_PER_PERIOD, PERIOD_VISITORS, type Warning } from "../operations/warning.ts";

/** Days at a site, in a service whose answers end on `last`. */
export interface AddedDays extends Days {
  site: string;
  last: string;
}

/** The last day that answers to `days` have: today, unless the service ends earlier. */
export async function readLastDay(
  call: Call,
  { site, today }: { site: string; today: string },
  options: CallOptions,
): Promise<string> {
  return (await call.lastDay?.(site, options)) ?? today;
}

/** Whether the visitors of some days can be added up. A service may count a visitor once in all days that it is asked for. */
export async function addsUp(
  call: Call,
  { site, from, to, last }: AddedDays,
  options: CallOptions,
): Promise<boolean> {
  return from === to || ((await call.addsUp?.(site, countDays(from, last), options)) ?? true);
}

/** Why days cannot be added up, as far as it is known. */
export const NO_SUMS = `this service ${ONCE_PER_PERIOD}, so its days cannot be added up`;

/** Says why days that cannot be added up have page views, but no visitors. */
export const NO_VISITORS: Warning = { code: PERIOD_VISITORS, detail: `Visitors are missing: ${NO_SUMS}.` };

/** The warnings of days whose visitors are left out. */
export const missVisitors = (warnings: readonly Warning[] = []): Warning[] => [
  NO_VISITORS,
  ...warnings.filter(({ code }) => code !== PERIOD_VISITORS),
];

/** The refusal of days whose visitors cannot be added up, where nothing can be said without them. */
export class NoSumsError extends AnalyticsError {
  /** Of a list: the number of days up to today that comes nearest to those asked for. */
  readonly nearest: number | undefined;

  constructor(nearest?: number) {
    const detail = `must end today: ${NO_SUMS}`;
    super("invalid_parameter", `period ${detail}.`, {
      status: 400,
      parameters: [{ parameter: "period", detail }],
      hint: "Ask for days that end today (days), or for a single day.",
    });
    this.nearest = nearest;
  }
}

/** Takes totals only with their visitors. Throws NoSumsError for those of days that cannot be added up. */
export function takeVisitors<T extends { visitors: number | null }>(totals: T): T & { visitors: number } {
  const { visitors } = totals;
  if (visitors === null) throw new NoSumsError();
  return { ...totals, visitors };
}

/** Says why there are no visitors of several days. */
export const NOT_ADDED_UP = `This service ${ONCE_PER_PERIOD}, so visitors are compared by day.`;
