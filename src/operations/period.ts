import * as z from "zod";
import { quoteIfNeeded } from "../errors.ts";
import { countDaysWithData, isStop, isUnread } from "./covered-days.ts";
import { addDays } from "./days.ts";
import { date, timestamp } from "./fields.ts";
import { headFilter, readFilter, verifyFilter } from "./filter.ts";
import { forModels, forPeople, type Note } from "./note.ts";
import { verifySite } from "./site-name.ts";
import { ONLY_EVENTS, PERIOD_VISITORS, PROVISIONAL, STRAYS, showWarnings, type Warning } from "./warning.ts";

export const period = z
  .object({
    from: date.describe("First day, in the site's timezone."),
    to: date.describe("Last day, in the site's timezone: today at the site, unless `to` was given."),
    days: z.int().min(1).describe("Number of days from `from` to `to`, both included."),
    timezone: z.string().describe("IANA name of the site's timezone."),
    partial: z.boolean().describe("Whether the last day is still incomplete."),
    complete_through: date.describe("The last complete day. With days=1 it is before `from`."),
    as_of: timestamp.describe("When the numbers were read, with the site's offset from UTC."),
  })
  .describe("The days that the numbers cover.");

/** The same where a service does not say whose days they are, or whether the last of them is over. */
export const answerPeriod = period.partial({ timezone: true, partial: true, complete_through: true });

export type Period = z.output<typeof answerPeriod>;
/** As the contract has it. */
export type FullPeriod = z.output<typeof period>;

interface Asked {
  days: number;
  /** The first day, if the query named one. */
  from?: string | undefined;
}

/**
 * Returns why a period is not the requested one, or undefined if it is. A service that implements only the original
 * specification may ignore `days` on a breakdown; its numbers would then cover other days.
 */
function verifyPeriod(actual: FullPeriod, { days, from = actual.from }: Asked): string | undefined {
  if (actual.from !== from) return `it begins on ${actual.from}, not on ${from}`;
  if (actual.days !== days) return `it covers ${actual.days} days, not ${days}`;
  if (addDays(actual.from, days - 1) !== actual.to) {
    return `its period from ${actual.from} to ${actual.to} is not ${days} days long`;
  }
  if (actual.partial !== actual.complete_through < actual.to) {
    return `its period is ${actual.partial ? "" : "not "}partial, but complete_through is ${actual.complete_through}`;
  }
  return undefined;
}

interface Answered {
  site: { id: string; domain: string };
  period: FullPeriod;
  filter?: readonly string[] | undefined;
}

/** Returns why an answer is not about the site, the days and the hits that were asked for, or undefined if it is. */
export const verifyAsked = (
  { site, period, filter }: Answered,
  asked: Asked & { site: string },
): string | undefined =>
  verifySite(site, asked.site) ?? verifyPeriod(period, asked) ?? verifyFilter(filter, readFilter(asked));

/** A span of days as text. */
export const formatSpan = ({ from, to }: { from: string; to: string }) =>
  from === to ? from : `${from} to ${to}`;

interface Dated {
  site: { domain: string };
  period: Period;
  filter?: readonly string[] | undefined;
  warnings?: readonly Warning[] | undefined;
}

/** @param counted The days that were counted, if not all of the period. */
export function periodHeadline(
  { site, period, filter, warnings }: Dated,
  counted = countOf(period, warnings),
): string {
  const about = [counted, ...(period.timezone === undefined ? [] : [period.timezone])];
  return `${quoteIfNeeded(site.domain)}${headFilter(filter)}, ${formatSpan(period)} (${about.join(", ")})`;
}

/** How many days, how many of them have data, and whether all are complete. */
function countOf({ from, to, days, partial }: Period, warnings: readonly Warning[] = []): string {
  const covered = countDaysWithData({ from, to }, warnings);
  if (covered === 0) return warnings.some(isUnread) ? "nothing read" : "no data";
  // Where the data ended earlier, today is not incomplete but missing.
  const hasToday = partial === true && (covered === days || !warnings.some(isStop));
  const today = hasToday ? ", today included" : "";
  if (covered !== undefined && covered < days) return `${covered} of ${days} days with data${today}`;
  if (days === 1) return "1 day";
  const areComplete = partial === false && covered === days && !warnings.some(({ code }) => CUT.has(code));
  return `${days} ${areComplete ? "complete " : ""}days${today}`;
}

/** Warnings that data begins or ends in the middle of a day. */
const CUT = new Set(["partial_first_day", "stale"]);

const ADDED_UP = "Visitors are unique per day and added up: coming on two days counts twice.";

/** What visitors of more than one day are. A model has it in the description of its tool. */
export const noteVisitors = (days: number): Note[] => (days > 1 ? [forPeople(ADDED_UP)] : []);

/** What a reader must know about a period. Finished days do not change, so only models get the time of the answer. */
export function describePeriod(
  { to, partial, as_of }: Period,
  warned: readonly Warning[] | undefined,
): { notes: Note[]; warnings: Note[] } {
  // Notes, because nearly every question about yesterday, or to logs, has one.
  const isSlight = ({ code }: Warning) => [PROVISIONAL, STRAYS, ONLY_EVENTS].includes(code);
  const slight = warned?.filter(isSlight);
  const serious = warned?.filter((each) => !isSlight(each));
  const today = `Today, ${nameWeekday(to)}, is incomplete (data to ${formatTime(as_of, to)}).`;
  return {
    notes: [...showWarnings(slight), ...(partial ? [] : [forModels(`As of ${as_of}.`)])],
    // Where the data ended, its own warning says so.
    warnings: [...(partial === true && !warned?.some(isStop) ? [today] : []), ...showWarnings(serious)],
  };
}

/** Whether visitors are those of each day, added up. */
export const areAddedUp = (warned: readonly Warning[] = []): boolean =>
  !warned.some(({ code }) => code === PERIOD_VISITORS);

/** The same for days whose visitors are shown. */
export function describeVisitors(period: Period, warned: readonly Warning[] | undefined) {
  const { notes, warnings } = describePeriod(period, warned);
  return { notes: [...(areAddedUp(warned) ? noteVisitors(period.days) : []), ...notes], warnings };
}

/** People ask about weeks, and a date alone does not show the weekday. */
export function nameWeekday(day: string): string {
  return WEEK.at(new Date(`${day}T00:00:00Z`).getUTCDay() - 1) ?? "";
}

/** From Monday on. */
export const WEEK: readonly string[] = [
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
];

/** Hours and minutes at the site; the whole timestamp if it is not on the given day. */
const formatTime = (timestamp: string, day: string) =>
  timestamp.startsWith(`${day}T`) ? timestamp.slice(day.length + 1, day.length + 6) : timestamp;
