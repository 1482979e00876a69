import type { Call, CallOptions } from "../operations/call.ts";
import { countDays, type Days } from "../operations/days.ts";
import type { Warning } from "../operations/period.ts";

/** The options of a query. */
export interface QueryOptions extends CallOptions {
  /** Whether the query names no days. Then the usual ones are shortened to those that have data. */
  isUsual?: boolean;
}

/** Whether a query names no days. Needs the input before parsing, which fills in the default of `days`. */
export const isUsual = (isGiven: (name: string) => boolean) => !isGiven("days") && !isGiven("period");

/**
 * The first day with data of a site whose query names no days. Undefined if the days must stay as they are: they were named,
 * there is no data, or the source is a service, which would have to be asked first.
 */
export async function readUsualStart(
  call: Call,
  site: string,
  options: QueryOptions,
): Promise<string | undefined> {
  return (options.isUsual && (await call.readDataSince?.(site, options))) || undefined;
}

/** Shortens the usual days to those since the first day with data. If that is today, only today is left. */
export function shortenUsual(usual: Days, since: string | undefined, today: string): Days {
  if (since === undefined || since <= usual.from || since > today) return usual;
  return { from: since, to: since > usual.to ? today : usual.to };
}

/** Says that the usual days were shortened. */
export function warnOfShortening(shown: Days, usual: Days): Warning {
  const count = countDays(shown.from, shown.to);
  const days = `${count} ${count === 1 ? "day" : "days"}`;
  return {
    code: "shortened",
    detail: `The data begins on ${shown.from}, so this covers ${days}, not ${countDays(usual.from, usual.to)}.`,
  };
}
