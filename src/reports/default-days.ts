import type { Call, CallOptions, DataDays } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { readDataStart, readDate, type Warning } from "../operations/warning.ts";
import { formatCount } from "../render/plural.ts";

export interface QueryOptions extends CallOptions {
  /** Whether the query names no days. The default days are then fitted to those with data. */
  usesDefaultDays?: boolean;
  /** Whether days near those of the query will do, where the service does not answer for them. */
  takesNearDays?: boolean;
}

/** Whether a query names no days. Takes the input before parsing, which fills in the default of `days`. */
export const usesDefaultDays = (isGiven: (name: string) => boolean) => !isGiven("days") && !isGiven("period");

/**
 * Reads the first and the last day with data of a site, to fit the default days to them. Undefined if the days must stay as
 * they are: the query names them, there is no data, or the source is a service, which would need another request.
 */
export async function readDataForDefault(
  call: Call,
  site: string,
  options: QueryOptions,
): Promise<DataDays | undefined> {
  const data = options.usesDefaultDays ? await call.readDataDays?.(site, options) : undefined;
  return data?.since === null ? undefined : data;
}

/**
 * The first and the last day with data, as a service tells them with its answer about the default days. Undefined if the query names
 * its days, or if the answer says of none of them that it has no data.
 */
export async function readDataTold(
  call: Call,
  operation: { path: string },
  warnings: readonly Warning[] | undefined,
  options: QueryOptions,
): Promise<DataDays | undefined> {
  if (!options.usesDefaultDays) return undefined;
  const since = readDataStart(warnings) ?? null;
  const end = readDate(warnings?.find(({ code }) => code === "stale")?.values?.data_until);
  // Where days must end today, they cannot end earlier.
  const until = end !== undefined && (await call.offersSpans?.(operation, options)) ? end : undefined;
  return since === null && until === undefined ? undefined : { since, until };
}

/** The codes of the warnings that the default days are not shown as they are. */
export const SHIFTED = "shifted";
export const SHORTENED = "shortened";

/** In days: if the data ended earlier, the source has stopped, and the default days stay as they are. */
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
export function fitDefaultDays(defaultDays: Days, data: DataDays | undefined, today: string): FittedDays {
  const end = findLoadedEnd(data, today);
  const isShifted = end !== undefined && end < defaultDays.to;
  const days = isShifted
    ? { from: addDays(end, 1 - countDays(defaultDays.from, defaultDays.to)), to: end }
    : defaultDays;
  const since = data?.since ?? "";
  const isShortened = since > days.from && since <= today;
  const shown = isShortened ? { from: since, to: since > days.to ? today : days.to } : days;
  return {
    days: shown,
    isShortened,
    warnings: [
      ...(isShifted ? [warnOfShift(shown)] : []),
      ...(isShortened ? [warnOfShortening(shown, defaultDays)] : []),
    ],
  };
}

/** The day to take for today: the one after the last that is loaded, or today if everything is loaded. */
export function findLoadedToday(data: DataDays | undefined, today: string): string {
  const end = findLoadedEnd(data, today);
  return end === undefined ? today : addDays(end, 1);
}

function findLoadedEnd(data: DataDays | undefined, today: string): string | undefined {
  const { until } = data ?? {};
  return until !== undefined && until < today && until >= addDays(today, -MAX_LAG) ? until : undefined;
}

/** Whether a warning says that the default days were fitted to those with data. */
export const isFitted = ({ code }: Pick<Warning, "code">): boolean => code === SHIFTED || code === SHORTENED;

function warnOfShift(shown: Days): Warning {
  const days = countDays(shown.from, shown.to);
  return {
    code: SHIFTED,
    detail: `The data ends on ${shown.to}, so this covers the ${formatCount(days, "day")} until then.`,
    values: { data_until: shown.to, days },
  };
}

/** The warning that visitors of these days are shown because those of the days that were meant cannot be added up. */
export const warnOfNoSum = ({ from, to }: Days): Warning => ({
  code: SHIFTED,
  detail: `Visitors of earlier days cannot be added up, so this covers the ${formatCount(countDays(from, to), "day")} until ${to}.`,
  values: { days: countDays(from, to) },
});

/** The warning that complete days are fewer because the service does not reach back to all of them. */
export const warnOfReach = ({ from, days }: { from: string; days: number }, asked: number): Warning => ({
  code: SHIFTED,
  detail: `This service reaches back only to ${from}, so this covers ${formatCount(days, "day")}, not ${asked}.`,
  values: { from, days, default_days: asked },
});

/** The warning that the service does not answer for a number of days. */
export const warnOfFit = (
  days: number,
  asked: number,
  reason: string,
  { usesDefaultDays }: QueryOptions,
): Warning => ({
  code: SHIFTED,
  detail: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}, so this covers ${days}, not ${usesDefaultDays ? "the default " : ""}${asked}.`,
  values: { days, default_days: asked },
});

function warnOfShortening(shown: Days, asked: Days): Warning {
  const [days, askedDays] = [countDays(shown.from, shown.to), countDays(asked.from, asked.to)];
  return {
    code: SHORTENED,
    detail: `The data begins on ${shown.from}, so this covers ${formatCount(days, "day")}, not ${askedDays}.`,
    values: { data_since: shown.from, days, default_days: askedDays },
  };
}
