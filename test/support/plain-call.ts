import { AnalyticsError } from "../../src/errors.ts";
import type { Call } from "../../src/operations/call.ts";
import { addDays, countDays } from "../../src/operations/days.ts";
import type { Operation } from "../../src/operations/operation.ts";
import type { Warning } from "../../src/operations/warning.ts";

/** What a service that keeps only the specification lacks or does otherwise than the contract. */
export interface PlainShape {
  hasEvents?: boolean;
  timezone?: string | undefined;
  /** Whether it can be known that its last day is today. */
  knowsToday?: boolean;
  /** Whether its breakdowns take `days`. */
  takesDays?: boolean;
  /** Whether its breakdowns that take days have the totals of these days. */
  hasTotals?: boolean;
  /** Why it refuses one of its lists. */
  refusal?: AnalyticsError;
  /** Why it has no dead links. */
  noLinks?: AnalyticsError;
  /** Days that `/stats` does not take. */
  refusedDays?: number[];
  /** Warnings of its lists. */
  listWarnings?: Warning[];
  /** What a row has. */
  rowCounts?: ("visitors" | "pageviews" | "count")[];
  /** Whether a visitor counts once in all the days that are asked for. */
  isUnique?: boolean;
  lastDay?: string;
  /** The time of its answers. */
  asOf?: string;
  /** Days of which its series has no number. */
  missing?: string[];
}

export const PLAIN_TODAY = "2026-11-21";

const viewsOn = (date: string) => 30 + (Number(date.slice(8)) % 7);
export const visitorsOn = (date: string) => 10 + (Number(date.slice(8)) % 5);

const listDates = (from: string, to: string) =>
  Array.from({ length: countDays(from, to) }, (_, index) => addDays(from, index));
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** Answers as a service does that keeps only the specification, as far as its shape says; with nothing named, as the contract has it. */
export function createPlainCall({
  hasEvents = true,
  knowsToday = true,
  takesDays = true,
  hasTotals = takesDays,
  refusal,
  noLinks,
  refusedDays = [],
  listWarnings = [],
  rowCounts = ["visitors", "pageviews"],
  isUnique = false,
  lastDay = PLAIN_TODAY,
  missing = [],
  ...given
}: PlainShape) {
  const timezone = "timezone" in given ? given.timezone : "Europe/Berlin";
  const asked: string[] = [];
  const { asOf: as_of = timezone === undefined ? "2026-11-21T12:00:00Z" : "2026-11-21T13:00:00+01:00" } =
    given;
  const isToday = lastDay === PLAIN_TODAY;
  const site = { id: "7", domain: "example.com" };
  const describe = (days: number) => ({
    from: addDays(lastDay, 1 - days),
    to: lastDay,
    days,
    ...(timezone !== undefined && { timezone }),
    ...(knowsToday && { partial: isToday, complete_through: isToday ? addDays(lastDay, -1) : lastDay }),
    as_of,
  });
  const countDates = (days: number) => {
    const dates = listDates(addDays(lastDay, 1 - days), lastDay).filter((date) => !missing.includes(date));
    const daily = sum(dates.map(visitorsOn));
    return {
      visitors: isUnique && days > 1 ? Math.floor(daily / 2) : daily,
      pageviews: sum(dates.map(viewsOn)),
      ...(hasEvents && { events: 2 * days }),
    };
  };
  const warn = (days: number): { warnings?: Warning[] } => {
    const lacking = missing.filter((date) => date > addDays(lastDay, -days) && date <= lastDay).toSorted();
    const [from, to] = [lacking[0], lacking.at(-1)];
    const warnings: Warning[] = [
      ...(from === undefined || to === undefined
        ? []
        : [{ code: "gap", detail: `No number for ${from}.`, values: { from, to, days: lacking.length } }]),
      ...(isUnique && days > 1 ? [{ code: "period_visitors", detail: "Visitors count once." }] : []),
      ...(knowsToday ? [] : [{ code: "near", detail: "Whether the last day is over is not known." }]),
    ];
    return warnings.length > 0 ? { warnings } : {};
  };
  const answers: Record<string, (params: { days: number; dimension: string; limit: number }) => object> = {
    sites: () => ({
      as_of,
      sites: [{ ...site, name: "Example", ...(timezone !== undefined && { timezone }) }],
    }),
    stats: ({ days }) => {
      if (refusedDays.includes(days)) {
        throw new AnalyticsError("invalid_parameter", "days must be one of 7, 30.", {
          parameters: [{ parameter: "days", detail: "must be one of 7, 30" }],
        });
      }
      return { site, period: describe(days), ...countDates(days), ...warn(days) };
    },
    timeseries: ({ days }) => ({
      site,
      period: describe(days),
      interval: "day",
      points: listDates(addDays(lastDay, 1 - days), lastDay).map((date) =>
        missing.includes(date)
          ? { date, visitors: 0, pageviews: 0, missing: true }
          : { date, visitors: visitorsOn(date), pageviews: viewsOn(date) },
      ),
      ...warn(days),
    }),
    breakdown: ({ days, dimension, limit }) => {
      if (dimension === "events" && !hasEvents) {
        throw new AnalyticsError("invalid_parameter", "There is no such dimension.", {
          parameters: [{ parameter: "dimension", detail: "is not known" }],
        });
      }
      if (refusal !== undefined && dimension === "countries") throw refusal;
      const counts = takesDays ? countDates(days) : countDates(30);
      const rows = [1, 2, 3].map((rank) => {
        const [visitors, pageviews] = [
          Math.floor(counts.visitors / (rank + 1)),
          Math.floor(counts.pageviews / (rank + 1)),
        ];
        const all = { visitors, pageviews, count: pageviews };
        return {
          value: `/${rank}`,
          label: `/${rank}`,
          ...Object.fromEntries(rowCounts.map((name) => [name, all[name]])),
          ...(takesDays && rowCounts.includes("visitors") && { percentage: 10 * (6 - rank) }),
        };
      });
      return {
        site,
        ...(takesDays && { period: describe(days) }),
        ...(hasTotals && { totals: counts }),
        dimension,
        rows: rows.slice(0, limit),
        limit,
        truncated: limit <= rows.length,
        ...(rowCounts.includes("count") && {
          warnings: [{ code: "near", detail: "What the rows count is not said." }],
        }),
        ...(listWarnings.length > 0 && { truncated: true, warnings: listWarnings }),
      };
    },
    realtime: () => ({ site, visitors: 4, window_minutes: 5, as_of }),
  };
  const ask = async (operation: Operation, params: unknown) => {
    const { site: _, ...shown } = params as { site?: string; days: number; dimension: string; limit: number };
    asked.push([operation.name, ...Object.values(shown)].join(" "));
    if (noLinks !== undefined && operation.name === "not-found") throw noLinks;
    const answer = answers[operation.name];
    if (answer === undefined) {
      throw new AnalyticsError("not_found", `There is no ${operation.path}.`, { status: 404 });
    }
    return answer(shown);
  };
  const call = Object.assign(ask as Call, {
    today: async () => PLAIN_TODAY,
    lastDay: async () => lastDay,
    addsUp: async (_site: string, days: number) => !isUnique || days === 1,
    offersDays: async ({ path }: { path: string }) => takesDays || path !== "/breakdown",
  });
  return { call, asked };
}
