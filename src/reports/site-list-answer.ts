import { AnalyticsError, createParameterError, quoteIfNeeded } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { MAX_DAYS } from "../operations/fields.ts";
import { sites, timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { isAll } from "../operations/period-words.ts";
import { withoutVisits } from "../operations/visit-rates.ts";
import { PERIOD_VISITORS, type Warning } from "../operations/warning.ts";
import { addsUp, NO_VISITORS, readLastDay } from "./added-days.ts";
import { findComplete, precedingDays, readBefore, resolveCompared } from "./compared-days.ts";
import { compareTotals } from "./compared-totals.ts";
import { askSpan, preparePeriod, readToday } from "./site-period.ts";
import { cutSeries } from "./subtracted-spans.ts";
import { sumWindow } from "./windows.ts";

/** One request each: more would use up much of a service's quota per minute. */
const MAX_COUNTED_SITES = 50;

type Site = AnswerOf<typeof sites>["sites"][number];
type Series = AnswerOf<typeof timeseries>;

/** Lists the sites, with the numbers of each if a period is named. */
export async function listSites(
  call: Call,
  { period, against }: { period?: string | undefined; against?: string | undefined },
  options: CallOptions,
) {
  const { as_of, sites: all, warnings: told = [] } = await call(sites, {}, { ...options, withDates: true });
  if (period === undefined && against !== undefined)
    throw createParameterError("against", "needs period, such as period=last_week");
  if (period === undefined) return { as_of, sites: all, ...(told.length > 0 && { warnings: told }) };
  const asked = all.slice(0, MAX_COUNTED_SITES);
  const outcomes = await Promise.allSettled(
    asked.map((site) => countSite(call, site, { period, against, as_of }, options)),
  );
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === "rejected" ? [{ site: asked[index], error: outcome.reason as unknown }] : [],
  );
  // The numbers of some sites are better than none. If all fail, it is probably for the same reason.
  const fatal =
    failures.find(({ error }) => !isAboutSite(error)) ??
    (failures.length === asked.length ? failures[0] : undefined);
  if (fatal) throw fatal.error;
  const warned = [
    ...told,
    ...warnOfFailures(failures.map(({ site, error }) => ({ domain: site?.domain ?? "", error }))),
    ...warnOfRest(all.slice(MAX_COUNTED_SITES)),
  ];
  return {
    as_of,
    sites: all.map((site, index) => {
      const outcome = outcomes[index];
      return outcome?.status === "fulfilled" ? { ...site, ...outcome.value } : site;
    }),
    ...(warned.length > 0 && { warnings: warned }),
  };
}

/** Whether an error may be about one site only: a cancelled query or a wrong key is not. */
const isAboutSite = (error: unknown): error is AnalyticsError =>
  error instanceof AnalyticsError &&
  !["cancelled", "invalid_api_key", "missing_api_key"].includes(error.code);

/** Says which sites have no numbers, each reason once. */
export function warnOfFailures(failures: readonly { domain: string; error: unknown }[]): Warning[] {
  const byReason = new Map<string, string[]>();
  for (const { domain, error } of failures) {
    const reason = error instanceof Error ? error.message : String(error);
    byReason.set(reason, [...(byReason.get(reason) ?? []), quoteIfNeeded(domain)]);
  }
  return [...byReason].map(([reason, domains]) => ({
    code: "not_counted",
    detail: `There are no numbers for ${domains.join(", ")}: ${reason}`,
    values: { sites: domains.length },
  }));
}

function warnOfRest(rest: readonly Site[]): Warning[] {
  if (rest.length === 0) return [];
  const names = rest.map(({ domain }) => quoteIfNeeded(domain)).join(", ");
  return [
    {
      code: "not_counted",
      detail: `Only the first ${MAX_COUNTED_SITES} sites have numbers. Ask about the others one at a time: ${names}.`,
      values: { sites: rest.length },
    },
  ];
}

interface Asked {
  period: string;
  against: string | undefined;
  /** When the list of sites was read. */
  as_of: string;
}

/** Counts a site's complete days of a period and compares them with those before; or today so far, if there are none. */
async function countSite(call: Call, site: Site, asked: Asked, options: CallOptions) {
  const { series, before, warnings: resolved } = await readSite(call, site, asked, options);
  const { from, to, days, partial } = series.period;
  const { visitors, pageviews } = sumWindow(series.points);
  const first = before && before.period.from < from ? before.period.from : from;
  const end = before && before.period.to > to ? before.period.to : to;
  const span = {
    site: site.id,
    from: first,
    to: end,
    last: await readLastDay(call, { site: site.id, today: to }, options),
  };
  const canAdd = await addsUp(call, span, options);
  const all = [...resolved, ...(series.warnings ?? []), ...(before?.warnings ?? [])];
  // Nothing is to be said of days that do add up.
  const others = all.filter(({ code }) => code !== PERIOD_VISITORS);
  const warned = canAdd || from === to ? others : [NO_VISITORS, ...others];
  const unique = [...new Map(warned.map((warning) => [warning.detail, warning])).values()];
  const starts = new Map(site.data_since === undefined ? [] : [[series.site.id, site.data_since]]);
  const { data_since: since } = site;
  const hasNone = since === null || (since !== undefined && since > to);
  const unless = (counted: number) => (hasNone ? null : counted);
  return {
    ...((canAdd || from === to) && { visitors: unless(visitors) }),
    pageviews: unless(pageviews),
    period: { from, to, days, partial: partial === true },
    comparison: before ? compareTotals(leaveVisits(series), leaveVisits(before), starts, canAdd) : null,
    ...(unique.length > 0 && { warnings: unique }),
  };
}

/** A list of sites has room for visitors and page views only. */
const leaveVisits = (series: Series): Series => ({ ...series, points: series.points.map(withoutVisits) });

interface Counted {
  series: Series;
  /** Absent if there is nothing to compare with, or if the service does not reach back so far. */
  before?: Series | undefined;
  warnings: Warning[];
}

/**
 * Reads the days and those before. A service is asked for one series until today, which also tells the date at the site;
 * for days that it does not reach, it is asked as any other query does.
 */
async function readSite(
  call: Call,
  site: Site,
  { period, against, as_of }: Asked,
  options: CallOptions,
): Promise<Counted> {
  const resolve = await preparePeriod(call, timeseries, site.id, period, options);
  const choose = (today: string) => {
    if (against !== undefined) {
      const { current, previous } = resolveCompared({ days: 1, period, against }, today);
      return { days: current, previous, warnings: [] };
    }
    const { days, warnings } = resolve(today);
    const complete = findComplete(days, today);
    const previous = complete && !isAll(period) ? precedingDays(period, complete) : undefined;
    return { days: complete ?? days, previous, warnings };
  };
  const known = await call.today?.(site.id, options);
  const length = known === undefined ? findLength(choose, as_of) : undefined;
  if (length !== undefined && length <= MAX_DAYS) {
    const series = await call(timeseries, { site: site.id, days: length }, options);
    const { days, previous, warnings } = choose(series.period.to);
    return { series: cutSeries(series, days), before: previous && cutSeries(series, previous), warnings };
  }
  const today = known ?? (await readToday(call, site.id, options)).today;
  const { days, previous, warnings } = choose(today);
  const at = { site: site.id, today };
  const [series, compared] = await Promise.all([
    askSpan(call, timeseries, {}, { ...at, ...days }, options),
    readBefore(call, at, previous, options),
  ]);
  return { series, before: compared.previous, warnings: [...warnings, ...compared.unreached] };
}

/** How many days until today have both spans, whether a site's date is that of UTC or one beside it. */
function findLength(
  choose: (today: string) => { days: Days; previous?: Days | undefined },
  as_of: string,
): number {
  const date = new Date(as_of).toISOString().slice(0, 10);
  const lengths = [-1, 0, 1].map((offset) => {
    const today = addDays(date, offset);
    try {
      const { days, previous } = choose(today);
      return countDays(previous && previous.from < days.from ? previous.from : days.from, today);
    } catch (error) {
      // A day that is not in the future everywhere.
      return error;
    }
  });
  const counted = lengths.filter((length) => typeof length === "number");
  if (counted.length === 0) throw lengths[1];
  return Math.max(...counted);
}
