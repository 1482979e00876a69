import * as z from "zod";
import { AnalyticsError, quoteIfNeeded } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { filterEcho, filterParams, siteParam, siteRef } from "../operations/fields.ts";
import { formatFilter, headFilter } from "../operations/filter.ts";
import { stats } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { answerPeriod } from "../operations/period.ts";
import { createPeriodError, isAll, periodParam, resolvePeriod } from "../operations/period-words.ts";
import { describeLeftRates } from "../operations/visit-rates.ts";
import {
  isOfEvents,
  NEAR_VIEWS,
  NOT_RECORDED_EVENTS,
  PERIOD_VISITORS,
  type Warning,
  warnings,
} from "../operations/warning.ts";
import { NOT_ADDED_UP } from "./added-days.ts";
import {
  type Checked,
  type Conditions,
  type Finding,
  findFailed,
  judgeMetric,
  readTotals,
} from "./check-conditions.ts";
import { type Metric, metrics, readMetric } from "./check-metrics.ts";
import { assertNoSum, explainReach } from "./check-reach.ts";
import { findUnread, isMuchUnread } from "./check-unread.ts";
import { findComplete } from "./compared-days.ts";
import { findLoadedToday, type QueryOptions, readDataForDefault } from "./default-days.ts";
import { UnreachedError } from "./list-days.ts";
import { defineReport, type Query } from "./query.ts";
import { answerToday, askSpan } from "./site-period.ts";

const checkParams = () =>
  z.strictObject({
    site: siteParam,
    period: periodParam().describe(
      "The days to check (default: yesterday): last_week, last_7_days (complete days), monday, october, 2026-11-15, 2026-11, 2026-11-01/2026-11-15; today only with --above, --dead-links or --server-errors.",
    ),
    metric: z.enum(metrics).optional().describe("What to check (default: visitors)."),
    against: periodParam().describe(
      "What --change compares with: another period, or year_before. By default as compare does, but a day with the same day of the week before.",
    ),
    ...filterParams(),
  });

type CheckParams = z.output<ReturnType<typeof checkParams>>;

export const checkResult = () =>
  z.object({
    site: siteRef,
    period: answerPeriod,
    ...filterEcho(),
    findings: z.array(z.custom<Finding>()),
    /** Whether nothing met the filter, in the weeks before either: it may be mistyped. */
    neverMet: z.boolean(),
    warnings,
  });

export type CheckResult = z.output<ReturnType<typeof checkResult>>;

/** The query of a check. Only the shell has it: an assistant can judge the numbers itself. */
export function createCheck(conditions: Conditions): Query {
  return defineReport({
    name: "check",
    summary: "For cron and CI: say when a number is unusual or low",
    tool: { name: "check", title: "Check", description: "" },
    shell: {
      examples: [
        "analytics-mcp check example.com --below 100",
        "analytics-mcp check example.com --unusual",
        "analytics-mcp check example.com --period last-week --change -25",
        "analytics-mcp check example.com --filter 'page=/thanks*' --below 1",
        "analytics-mcp check example.com --dead-links 10 --server-errors 5",
      ],
      fields: "visitors",
    },
    params: checkParams,
    result: checkResult,
    compute: (call, params, options) => check(call, params, options, conditions),
    views: () => [],
  });
}

function check(
  call: Call,
  { site, metric = "visitors", against, ...asked }: CheckParams,
  options: QueryOptions,
  conditions: Conditions,
) {
  return answerToday(call, site, options, async (today) => {
    const named = await resolveDays(call, { site, ...asked }, options, today);
    const { period } = named;
    const span = { site, today, ...leaveToday(conditions, named.days, today) };
    const judge = async () => {
      const { totals, isByDay } = await readTotals({ call, options, metric }, span);
      assertKnown(metric, totals, options);
      if (isByDay) assertNoSum(conditions, { ...span, period }, span.to < named.days.to);
      const { domain } = totals.site;
      const name = options.filter
        ? `${quoteIfNeeded(domain)}${headFilter(formatFilter(options.filter))},`
        : quoteIfNeeded(domain);
      const checked: Checked = {
        ...span,
        ...{ call, options, name, period, against, metric, totals, isByDay },
        isDefault: asked.period === undefined,
        warnings: totals.warnings ?? [],
      };
      const unread = await findUnread(checked);
      // A finding has its sentence.
      const told = listTold(checked, conditions).filter(
        (warning) => unread.length === 0 || !isMuchUnread(warning),
      );
      const findings = [
        ...(await judgeMetric(checked, conditions)),
        ...(conditions.deadLinks === undefined ? [] : [await findFailed(checked, conditions.deadLinks)]),
        ...(conditions.serverErrors === undefined
          ? []
          : [await findFailed(checked, conditions.serverErrors, "5xx")]),
        ...unread,
      ];
      const neverMet = await hasNoHit(checked);
      return { site: totals.site, period: totals.period, findings, neverMet, warnings: told };
    };
    return judge().catch((error: unknown) => {
      throw error instanceof UnreachedError
        ? explainReach(error, conditions, { ...span, period, against })
        : error;
    });
  });
}

/** The warnings about what is checked: cron mails them. */
function listTold({ warnings, metric, isByDay }: Checked, conditions: Conditions): Warning[] {
  const { below, above, change, unusual } = conditions;
  const usesMetric = below !== undefined || above !== undefined || change !== undefined || unusual;
  const told = warnings.filter(({ code, ...warning }) => {
    if (code === PERIOD_VISITORS) return usesMetric && metric === "visitors" && !isByDay;
    if (code === NEAR_VIEWS) return usesMetric && metric !== "visitors" && metric !== "events";
    return !isOfEvents({ code, ...warning }) || (usesMetric && metric === "events");
  });
  return isByDay && usesMetric ? [...told, { code: PERIOD_VISITORS, detail: NOT_ADDED_UP }] : told;
}

/** Throws AnalyticsError `usage` if the source does not know the metric. */
function assertKnown(metric: Metric, totals: AnswerOf<typeof stats>, { filter = [] }: QueryOptions): void {
  const { events, visits, warnings = [] } = totals;
  const hasEvents = events !== undefined && !warnings.some(({ code }) => code === NOT_RECORDED_EVENTS);
  if (metric === "events" ? hasEvents : readMetric(metric, totals) !== undefined) return;
  const left = metric === "events" || visits === undefined ? undefined : describeLeftRates(filter);
  const reason = `this source does not know ${metric === "events" ? "events" : "visits"}.`;
  throw new AnalyticsError("usage", `--metric cannot be ${metric}: ${left ?? reason}`, {
    hint: `It can be visitors, pageviews${hasEvents ? " or events" : ""}.`,
  });
}

/** In days. */
const LOOK_BACK = 28;

/** Whether nothing met the filter, on these days and in the weeks before. */
async function hasNoHit({ call, options, totals, ...span }: Checked): Promise<boolean> {
  const isNothing = ({ visitors, pageviews, events = 0 }: Checked["totals"]) =>
    (visitors ?? 0) + pageviews + events === 0;
  if (options.filter === undefined || !isNothing(totals)) return false;
  const { site, today, from, to } = span;
  const before = { site, today, from: addDays(from, -LOOK_BACK), to };
  return askSpan(call, stats, {}, before, options).then(isNothing, (error: unknown) => {
    if (error instanceof UnreachedError) return false;
    throw error;
  });
}

/** The days to check and the period that they are: by default the last complete day that the source has loaded. */
async function resolveDays(
  call: Call,
  { site, period }: Pick<CheckParams, "site" | "period">,
  options: QueryOptions,
  today: string,
): Promise<{ days: Days; period: string }> {
  if (period === undefined) {
    const data = await readDataForDefault(call, site, options);
    const day = addDays(findLoadedToday(data, today), -1);
    return { days: { from: day, to: day }, period: day };
  }
  if (isAll(period)) throw createPeriodError("cannot be all: name the days to check");
  return { days: resolvePeriod(period, today), period };
}

const MAX_UNUSUAL_DAYS = 7;

/**
 * The days that the conditions judge: without today, if one of them needs days that are over. Throws AnalyticsError `usage` if none
 * is left, or if there are too many.
 */
function leaveToday({ below, change, unusual }: Conditions, named: Days, today: string): Days {
  const flag = below !== undefined ? "--below" : change ? "--change" : unusual ? "--unusual" : undefined;
  const days = flag === undefined ? named : findComplete(named, today);
  if (days === undefined) {
    throw new AnalyticsError("usage", `${flag} needs days that are over, and today is not.`, {
      hint: "Name complete days, such as --period yesterday or last_7_days. Only --above, --dead-links and --server-errors may be about today.",
    });
  }
  const count = countDays(days.from, days.to);
  if (unusual && count > MAX_UNUSUAL_DAYS) {
    throw new AnalyticsError("usage", `--unusual is for at most ${MAX_UNUSUAL_DAYS} days, not ${count}.`, {
      hint: "Name fewer, such as --period yesterday or last_week.",
    });
  }
  return days;
}
