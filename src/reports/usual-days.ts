import type { Call, CallOptions, DataDays } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import type { Warning } from "../operations/warning.ts";

/** The options of a query. */
export interface QueryOptions extends CallOptions {
  /** Whether the query names no days. The default days are then fitted to those with data. */
  isUsual?: boolean;
}

/** Whether a query names no days. Needs the input before parsing, which fills in the default of `days`. */
export const isUsual = (isGiven: (name: string) => boolean) => !isGiven("days") && !isGiven("period");

/**
 * The first and last day with data of a site, if a query names no days. Undefined if the days must stay as they are: they were
 * named, there is no data, or the source is a service, which would have to be asked first.
 */
export async function readUsualData(
  call: Call,
  site: string,
  options: QueryOptions,
): Promise<DataDays | undefined> {
  const data = options.isUsual ? await call.readDataDays?.(site, options) : undefined;
  return data?.since === null ? undefined : data;
}

/** In days: if the data ended earlier than that, the source has stopped, and the default days stay as they are. */
const MAX_LAG = 3;

/** Days, and a warning about how they were chosen. */
export interface FittedDays {
  days: Days;
  warnings: Warning[];
  /** Whether they begin with the data, so that there is nothing before them. */
  isShortened: boolean;
}

/**
 * Fits the default days to those with data. If the source has not loaded the last days yet, the same number of days ends
 * earlier. If the data begins later, there are fewer days; if it begins today, only today is left.
 */
export function fitUsual(usual: Days, data: DataDays | undefined, today: string): FittedDays {
  const end = findLoadedEnd(data, today);
  const isShifted = end !== undefined && end < usual.to;
  const days = isShifted ? { from: addDays(end, 1 - countDays(usual.from, usual.to)), to: end } : usual;
  const since = data?.since ?? "";
  const isShortened = since > days.from && since <= today;
  const shown = isShortened ? { from: since, to: since > days.to ? today : days.to } : days;
  return {
    days: shown,
    isShortened,
    warnings: [
      ...(isShifted ? [warnOfShift(shown)] : []),
      ...(isShortened ? [warnOfShortening(shown, usual)] : []),
    ],
  };
}

/** The day after the last that is loaded, in place of today; today if all is loaded. */
export function findUsualToday(data: DataDays | undefined, today: string): string {
  const end = findLoadedEnd(data, today);
  return end === undefined ? today : addDays(end, 1);
}

function findLoadedEnd(data: DataDays | undefined, today: string): string | undefined {
  const { until } = data ?? {};
  return until !== undefined && until < today && until >= addDays(today, -MAX_LAG) ? until : undefined;
}

function warnOfShift(shown: Days): Warning {
  const days = countDays(shown.from, shown.to);
  return {
    code: "shifted",
    detail: `The data ends on ${shown.to}, so this covers the ${formatDays(days)} until then.`,
    values: { data_until: shown.to, days },
  };
}

function warnOfShortening(shown: Days, usual: Days): Warning {
  const [days, usualDays] = [countDays(shown.from, shown.to), countDays(usual.from, usual.to)];
  return {
    code: "shortened",
    detail: `The data begins on ${shown.from}, so this covers ${formatDays(days)}, not ${usualDays}.`,
    values: { data_since: shown.from, days, default_days: usualDays },
  };
}

const formatDays = (count: number) => `${count} ${count === 1 ? "day" : "days"}`;
