import { createParameterError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { countDays, type Days } from "../operations/days.ts";
import { ONCE_PER_PERIOD } from "../operations/warning.ts";

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

/** The same for weeks or months, whatever the days. */
export async function assertIntervals(
  call: Call,
  { interval, ...asked }: AddedDays & { interval: string },
  options: CallOptions,
): Promise<void> {
  if (await addsUp(call, asked, options)) return;
  throw createParameterError("interval", `cannot be ${interval}: ${NO_SUMS}`, {
    hint: "Ask for the same days by day, which is the default.",
  });
}

/** Says why there are no visitors of several days. */
export const NOT_ADDED_UP = `This service ${ONCE_PER_PERIOD}, so visitors are compared by day.`;
