import type { Dimension } from "../../src/operations/dimensions.ts";
import type { Moment } from "./moments.ts";
import { type Question, question } from "./question.ts";
import { listDays, type Span } from "./spans.ts";
import type { SiteTruth } from "./truth.ts";

// Questions about a period, by what they ask for. The days that a period should be are written beside it.

/** What a person asks, when, about which site, and the period that an assistant makes of it. */
type Asked = [question: string, at: Moment, site: string, period: string];

/** The site of Globex, whose key has no other. */
const GLOBEX = "globex.example";
const askerOf = (site: string) => ({ key: site === GLOBEX ? "globex" : "acme" }) as const;

/** Visitors, page views, events and visits of some days. */
export const askTotals = (...[text, at, site, period, covers]: [...Asked, covers: Span]): Question =>
  question({
    question: text,
    at,
    ...askerOf(site),
    calls: [{ tool: "get_stats", args: { site, period }, covers }],
    read: ([{ visitors, pageviews, events, visits, bounces, visit_seconds }]) => ({
      visitors,
      pageviews,
      events,
      visits,
      bounces,
      visit_seconds,
    }),
    expect: (count) => ({ ...count(site).total(covers) }),
    shell: true,
  });

/** Each of some days. */
export const askDays = (...[text, at, site, period, covers]: [...Asked, covers: Span]): Question =>
  question({
    question: text,
    at,
    ...askerOf(site),
    calls: [{ tool: "get_timeseries", args: { site, period }, covers }],
    read: ([{ points }]) => points.map(({ date, visitors, pageviews }) => [date, visitors, pageviews]),
    expect: (count) =>
      count(site)
        .days(covers)
        .map(({ date, visitors, pageviews }) => [date, visitors, pageviews]),
  });

/** The first rows of some days, how many there are, and the totals. */
export const askRows = (
  ...[text, at, site, period, covers, dimension]: [...Asked, covers: Span, dimension: Dimension]
): Question =>
  question({
    question: text,
    at,
    ...askerOf(site),
    calls: [{ tool: "get_breakdown", args: { site, dimension, limit: 5, period }, covers }],
    read: ([{ rows, total_rows, totals }]) => ({
      rows: rows.map((row) => [row.value, row.visitors, row.pageviews ?? row.events, row.percentage]),
      total_rows,
      visitors: totals.visitors,
      pageviews: totals.pageviews,
    }),
    expect: (count) => {
      const truth = count(site);
      const all = truth.rows(covers, dimension);
      const { visitors, pageviews } = truth.total(covers);
      return {
        rows: all
          .slice(0, 5)
          .map((row) => [row.value, row.visitors, row.hits, truth.share(covers, dimension, row.value)]),
        total_rows: all.length,
        visitors,
        pageviews,
      };
    },
  });

/** How some days differ from others, by the channels too. The days to compare with are the tool's choice if not given. */
export const askChange = (
  ...[text, at, site, period, now, before, against]: [...Asked, now: Span, before: Span, against?: string]
): Question =>
  question({
    question: text,
    at,
    ...askerOf(site),
    calls: [
      {
        tool: "compare_periods",
        args: { site, period, dimension: "channels", ...(against !== undefined && { against }) },
        covers: [now, before],
      },
    ],
    read: ([{ current, previous, change, per_day, comparable, dimensions }]) => ({
      now: current.visitors,
      before: previous.visitors,
      change: change.visitors,
      perDay: per_day?.visitors ?? null,
      comparable,
      moved: (dimensions[0]?.movers ?? []).map((mover) =>
        Math.abs(mover.per_day?.change ?? mover.change?.absolute ?? 0),
      ),
    }),
    expect: (count) => expectChange(count(site), now, before),
  });

function expectChange(site: SiteTruth, now: Span, before: Span) {
  const { since, visitors, dates } = site;
  const measure = (span: Span) => {
    const all = listDays(dates(span));
    return { days: all.length, withData: site.daysWithData(span), from: dates(span)[0] };
  };
  const [recent, old] = [measure(now), measure(before)];
  const first = recent.from < old.from ? recent.from : old.from;
  const comparable = since !== null && since < first;
  const isWhole = recent.withData === recent.days && old.withData === old.days;
  const isPerDay = !isWhole || recent.days !== old.days;
  const isPossible = recent.withData > 0 && old.withData > 0;
  const [a, b] = [visitors(now), visitors(before)];
  const percent = (change: number, base: number) =>
    comparable && base > 0 ? roundTenths((100 * change) / base) : null;
  const [rate, oldRate] = [a / recent.withData, b / old.withData];
  const steps = site.moves(before, now, "channels").map(({ value }) => {
    const [a = 0, b = 0] = [now, before].map((span) => site.row(span, "channels", value).visitors);
    return Math.abs(isPerDay ? a / recent.withData - b / old.withData : a - b);
  });
  return {
    now: recent.withData > 0 ? a : null,
    before: old.withData > 0 ? b : null,
    comparable,
    change: {
      absolute: isWhole ? a - b : null,
      percent: isPerDay ? null : percent(a - b, b),
    },
    perDay:
      isPerDay && isPossible
        ? {
            current: roundRate(rate),
            previous: roundRate(oldRate),
            change: roundRate(rate - oldRate),
            percent: percent(rate - oldRate, oldRate),
          }
        : null,
    moved: isPossible
      ? steps
          .filter((step) => step > 1e-9)
          .sort((a, b) => b - a)
          .slice(0, 10)
          .map(isPerDay ? roundRate : (step) => step)
      : [],
  };
}

/** One decimal; two digits below 1. */
const roundRate = (value: number) =>
  Math.abs(value) < 1 ? Number(value.toPrecision(2)) : roundTenths(value);

/** Away from zero, so that a fall is rounded as a rise is. */
function roundTenths(value: number): number {
  const tenths = Math.round(10 * Math.abs(value)) / 10;
  return tenths === 0 ? 0 : Math.sign(value) * tenths;
}

/** A comparison that has no complete day to compare. */
export const askTooEarly = (...[text, at, site, period]: Asked): Question =>
  question({
    question: text,
    at,
    ...askerOf(site),
    calls: [{ tool: "compare_periods", args: { site, period }, refused: true }],
    read: ([refusal]) => refusal.text,
    expect: () => `period ${period} has no complete day yet, so there is nothing to compare.`,
  });
