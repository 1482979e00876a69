import { addDays } from "../operations/days.ts";
import type { AnyOperation, OperationName } from "../operations/index.ts";
import type { ParamsOf, ResultOf } from "../operations/operation.ts";
import type { Period } from "../operations/period.ts";
import { dateAt, formatInstant, startOfDay } from "./calendar.ts";
import type { Organization, Site } from "./dataset.ts";
import type { Labels } from "./labels.ts";

/** What an answer is made from; `now` is in whole seconds, as every timestamp of the contract. */
export interface Context {
  organization: Organization;
  /** Throws the 404 of the contract where the organization has no such site. */
  findSite(name: string): Site;
  now: number;
  labels: Labels;
  document(): ResultOf<Extract<AnyOperation, { name: "openapi" }>>;
}

type Answers = {
  [N in OperationName]: (
    context: Context,
    params: ParamsOf<Extract<AnyOperation, { name: N }>>,
  ) => ResultOf<Extract<AnyOperation, { name: N }>>;
};

/** One answer for each operation, computed from the visits. */
export const answers: Answers = {
  sites: ({ organization, now }) => ({
    as_of: formatUtc(now),
    sites: organization.sites.map(({ id, domain, name, timezone, createdAt, dataSince }) => ({
      id,
      domain,
      name,
      timezone,
      created_at: formatUtc(createdAt),
      data_since: dataSince,
    })),
  }),

  stats: (context, params) => {
    const { site, days, head } = openPeriod(context, params.site, params.days);
    const totals = days.map(({ date, until }) => site.counts.totals(date, until));
    return {
      ...head,
      visitors: sum(totals.map((day) => day.visitors)),
      pageviews: sum(totals.map((day) => day.pageviews)),
      events: sum(totals.map((day) => day.events)),
      ...warn(site, head.period),
    };
  },

  timeseries: (context, params) => {
    const { site, days, head } = openPeriod(context, params.site, params.days);
    return {
      ...head,
      interval: "day",
      points: days.map(({ date, until }) => {
        const { visitors, pageviews } = site.counts.totals(date, until);
        return { date, visitors, pageviews, ...(until !== undefined && { partial: true }) };
      }),
      ...warn(site, head.period),
    };
  },

  breakdown: (context, { dimension, limit, ...params }) => {
    const { site, days, head } = openPeriod(context, params.site, params.days);
    const isEvents = dimension === "events";
    const tallies = site.counts.tallies(
      days.map((day) => day.date),
      dimension,
      days.at(-1)?.until,
    );
    // Counted with the tallies, and remembered.
    const totals = days.map(({ date, until }) => site.counts.totals(date, until));
    const visitors = sum(totals.map((day) => day.visitors));
    const ranked = [...tallies].sort(
      ([a, x], [b, y]) => y.visitors - x.visitors || y.hits - x.hits || compareValues(a, b),
    );
    return {
      ...head,
      dimension,
      rows: ranked.slice(0, limit).map(([value, tally]) => ({
        value,
        label: context.labels(dimension, value),
        visitors: tally.visitors,
        ...(isEvents ? { events: tally.hits } : { pageviews: tally.hits }),
        percentage: Math.round((1000 * tally.visitors) / visitors) / 10,
      })),
      limit,
      total_rows: ranked.length,
      truncated: ranked.length > limit,
      totals: {
        visitors,
        pageviews: sum(totals.map((day) => day.pageviews)),
        ...(isEvents && { events: sum(totals.map((day) => day.events)) }),
      },
      ...warn(site, head.period),
    };
  },

  realtime: ({ findSite, now }, params) => {
    const site = findSite(params.site);
    const from = now - WINDOW_MINUTES * 60_000;
    // A window over midnight sees the visitors of two days, who are different visitors by definition.
    const dates = new Set([dateAt(from, site.timezone), dateAt(now, site.timezone)]);
    const active = [...dates].map((date) => {
      const midnight = startOfDay(date, site.timezone);
      return site.counts.active(date, (from - midnight) / 1000, (now - midnight) / 1000);
    });
    return {
      site: refer(site),
      visitors: sum(active),
      window_minutes: WINDOW_MINUTES,
      as_of: formatInstant(now, site.timezone),
    };
  },

  openapi: ({ document }) => document(),
};

const WINDOW_MINUTES = 5;

interface Day {
  date: string;
  /** Seconds after midnight up to which the day has gone; absent where it is over. */
  until?: number;
}

function openPeriod({ findSite, now }: Context, name: string, length: number) {
  const site = findSite(name);
  const today = dateAt(now, site.timezone);
  const days: Day[] = Array.from({ length }, (_, index) => ({ date: addDays(today, index + 1 - length) }));
  days[length - 1] = { date: today, until: (now - startOfDay(today, site.timezone)) / 1000 };
  const period: Period = {
    from: addDays(today, 1 - length),
    to: today,
    days: length,
    timezone: site.timezone,
    partial: true,
    complete_through: addDays(today, -1),
    as_of: formatInstant(now, site.timezone),
  };
  return { site, days, head: { site: refer(site), period } };
}

function refer({ id, domain }: Site) {
  return { id, domain };
}

function warn({ dataSince }: Site, { from }: Period) {
  if (dataSince !== null && dataSince <= from) return {};
  const detail =
    dataSince === null
      ? "The site has no data yet: every number is zero."
      : `The site has data since ${dataSince}: the days before it are zeros.`;
  return { warnings: [{ code: "before_data_since", detail }] };
}

/** By code point, null last. Strings compare by UTF-16 units, which puts what lies beyond U+FFFF too early. */
export function compareValues(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function formatUtc(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
