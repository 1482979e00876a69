import { AnalyticsError, quoteIfNeeded } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { countDaysWithData, isStop, isUnread } from "../operations/covered-days.ts";
import { addDays, type Days } from "../operations/days.ts";
import { sites } from "../operations/index.ts";
import { formatSpan } from "../operations/period.ts";
import { hasNoCounts, type View } from "../operations/view.ts";
import { isBeforeData, PROXIED, type Warning } from "../operations/warning.ts";
import { NOW } from "./report-fields.ts";

/** What is said in place of numbers. */
export interface InPlace {
  /** If there is no data of these days, or nothing that meets the filter: a sentence in place of tables of zeros. */
  empty?: string;
  /** The period to ask for instead, and what it is. */
  instead?: { name: string; period: string };
}

interface Dated {
  period?: (Days & { as_of?: string }) | undefined;
  /** Only comparisons have these. */
  current?: Days | undefined;
  previous?: Days | undefined;
  comparison?: { previous: Days } | null;
  as_of?: string;
}

interface SiteAnswer extends Dated {
  site?: { id: string; domain: string };
  /** The visitors of an answer about its period. */
  visitors?: number;
  totals?: { visitors?: number };
  points?: readonly { visitors?: number }[];
  warnings?: readonly Warning[];
  data_since?: string | null;
  data_until?: string;
}

/**
 * Says that there is no data of an answer's days, if that is why it has only zeros: because the site never had any, or
 * because its data begins after these days or ended before them. Asks for the sites if the warnings do not tell. If they
 * cannot be read, the answer is shown as it is.
 */
export async function describeEmpty(
  call: Call,
  answer: SiteAnswer,
  views: readonly View[],
  options: CallOptions,
): Promise<InPlace & { isUnread?: true }> {
  const { site, warnings = [], period, current, previous } = answer;
  if (site === undefined) return {};
  if (period !== undefined) assertCounted(answer, period, warnings);
  // There may be data that could not be read.
  if (warnings.some(isUnread)) return hasNoDay(period, warnings) ? { isUnread: true } : {};
  const isZero = views.every(hasNoCounts);
  const start = warnings.find(isBeforeData);
  const isTold = start?.values?.data_since !== undefined;
  const since = isTold
    ? start.values?.data_since
    : start && isZero
      ? await readDataStart(call, site.id, options)
      : answer.data_since;
  if (since === null && isZero)
    return { empty: `${quoteIfNeeded(site.domain)} has no data yet: nothing was ever recorded.` };
  const { spans } = listSpans({ period, current, previous });
  if (spans.length === 0) return {};
  if (typeof since === "string" && spans.every(({ to }) => to < since)) {
    return { empty: `${quoteIfNeeded(site.domain)} has no data before ${since}.` };
  }
  const {
    data_until: until = answer.data_until,
    last_days_from: from,
    time,
  } = warnings.find(isStop)?.values ?? {};
  if (typeof until !== "string" || !spans.every((span) => span.from > until))
    return describeGap(site.domain, period, warnings);
  const last = `${typeof from === "string" ? from : addDays(until, 1 - LAST_DAYS)}/${until}`;
  const isSilent = typeof time === "string" && /^\d\d:\d\d$/.test(time);
  const end = isSilent ? `${until} ${time}: it is missing, or nobody came` : until;
  return {
    empty: `${quoteIfNeeded(site.domain)} has no data after ${end}.`,
    instead: { name: "Its last days", period: last },
  };
}

const hasNoDay = (period: Days | undefined, warnings: readonly Warning[]): period is Days =>
  period !== undefined && countDaysWithData(period, warnings) === 0;

/** Says so if all days of a period are in gaps. */
function describeGap(domain: string, period: Days | undefined, warnings: readonly Warning[]) {
  if (!hasNoDay(period, warnings)) return {};
  return { empty: `${quoteIfNeeded(domain)} has no data of ${formatSpan(period)}.` };
}

/** The days that an answer is about, and when it was read. */
export function listSpans(answer: Dated): { spans: Days[]; asOf: string | undefined } {
  const { period, current, previous = answer.comparison?.previous } = answer;
  const spans = [period, current, previous].filter((span) => span !== undefined);
  return { spans, asOf: period?.as_of ?? answer.as_of };
}

const LAST_DAYS = 7;

/** Throws AnalyticsError if an answer is about visitors of days that are all left out: nobody counted its zeros. */
function assertCounted({ visitors, totals, points }: SiteAnswer, days: Days, warnings: readonly Warning[]) {
  const proxied = warnings.find(({ code }) => code === PROXIED);
  const isAboutVisitors = [visitors, totals?.visitors, points?.[0]?.visitors].some(
    (each) => each !== undefined,
  );
  if (proxied === undefined || !isAboutVisitors || countDaysWithData(days, warnings) !== 0) return;
  throw new AnalyticsError("usage", proxied.detail);
}

async function readDataStart(call: Call, id: string, options: CallOptions) {
  if (call.readDataDays) return (await call.readDataDays(id, options).catch(() => undefined))?.since;
  const answer = await call(sites, {}, options).catch(() => undefined);
  return answer?.sites.find((site) => site.id === id)?.data_since;
}

/** The members of a report's result that are totals of its days. */
const TOTALS = new Set(["visitors", "pageviews", "events", "visits", "converted"]);

interface Shown {
  result: Record<string, unknown>;
  views: View[];
}

/**
 * Leaves out the zeros of days that have no data: nobody counted them. What is of today stays; notes would be about these zeros.
 *
 * @param isReport Whether its totals can be null; the contract has zeros with a warning.
 * @param isUnread Whether there may be data, as the warnings say.
 */
export function leaveUncounted(answer: Shown, { isReport = false, isUnread = false }): Shown {
  const leaveTotal = ([name, value]: [string, unknown]) => [
    name,
    isReport && TOTALS.has(name) ? null : value,
  ];
  return {
    result: Object.fromEntries(Object.entries(answer.result).map(leaveTotal)),
    views: answer.views.map((view) => ({
      ...view,
      rows: view.name === NOW ? view.rows : view.rows.map(leaveZeros),
      notes: [],
      ...(!isUnread && { warnings: [] }),
    })),
  };
}

const leaveZeros = (row: View["rows"][number]) =>
  Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, cell === 0 ? null : cell]));

/** Says so if a period is before the data. Of days until now, the last two weeks are offered if there are some. */
export function describeUncompared({
  site,
  current,
  previous,
  data_since: since,
  as_of = "",
}: SiteAnswer): InPlace | undefined {
  if (site === undefined || current === undefined || previous === undefined) return undefined;
  if (typeof since !== "string" || (current.to >= since && previous.to >= since)) return undefined;
  const empty = `${quoteIfNeeded(site.domain)} has no data before ${since}, so there is nothing to compare.`;
  const week = addDays(as_of.slice(0, "2026-11-20".length), -7);
  return since < week && week <= current.to ? { empty, instead: WEEKS } : { empty };
}

/** Days that can be compared wherever there is data of two weeks. */
export const WEEKS = { name: "The last 7 days with the 7 before", period: "last_7_days" };

/** A sentence in place of tables, whose notes would be about nothing. Programs get the numbers as they are. */
export const sayAlone = <T extends { views: View[] }>(answer: T, said: InPlace) => ({
  ...answer,
  views: answer.views.map((view) => ({ ...view, notes: [], warnings: [] })),
  ...said,
});
