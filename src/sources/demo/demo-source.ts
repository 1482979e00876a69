import { listDays } from "../../operations/days.ts";
import { dateAt, listHours, startOfDay } from "../calendar.ts";
import type { DataSource, SourceSite, Span } from "../data-source.ts";
import { createRanking } from "../measure/ranking.ts";
import { addSteps, createNoSteps } from "../measure/steps.ts";
import { rankRequests } from "../not-found-ranking.ts";
import type { Organization } from "./dataset.ts";
import type { Labels } from "./labels.ts";

/*
 * Made-up visits as a source. This folder imports the contract, `measure/`, and what all sources share, which is in the files
 * of `src/sources/` itself.
 */

const DAYS_KEPT = 731;

/** Creates a data source from an organization's made-up visits, by counting them. */
export function createDemoSource({ sites }: Organization, labels: Labels): DataSource {
  const byId = new Map(sites.map((site) => [site.id, site]));
  const find = ({ id }: SourceSite) => {
    const site = byId.get(id);
    if (site === undefined) throw new TypeError(`There is no made-up site ${id}.`);
    return site;
  };
  const countsOf = ({ site, filter }: Pick<Span, "site" | "filter">) => find(site).count(filter);
  return {
    daysKept: DAYS_KEPT,
    filters: true,
    sites: async () => sites,
    days: async (span) => {
      const counts = countsOf(span);
      return listSpan(span).map(({ date, until }) => ({ date, ...counts.totals(date, until) }));
    },
    hours: async (span) => {
      const counts = countsOf(span);
      return listSpan(span).flatMap(({ date, until }) => {
        const hours = listHours(date, date, span.site.timezone).filter((hour) => hour <= span.now);
        const midnight = hours[0] ?? 0;
        const starts = hours.map((hour) => (hour - midnight) / 1000);
        return counts
          .hours(date, starts, until)
          .map((hour, index) => ({ start: hours[index] ?? 0, ...hour }));
      });
    },
    breakdown: async (span, dimension, limit) => {
      const counts = countsOf(span);
      const ranking = createRanking((value) => labels(dimension, value));
      for (const { date, until } of listSpan(span)) {
        const tallies = counts.tallies(date, dimension, until);
        if (tallies !== undefined) ranking.add(tallies);
      }
      return ranking.rank(limit);
    },
    steps: async (span, steps) => {
      const counts = countsOf(span);
      return listSpan(span)
        .map(({ date, until }) => counts.steps(date, steps, until))
        .reduce(addSteps, createNoSteps(steps));
    },
    crawlers: async (span, limit) => {
      const countCrawlers = await find(span.site).openCrawlers();
      return rankRequests(countCrawlers(listStarts(span)), limit);
    },
    notFound: async (span, limit, _, status) => {
      const countDeadLinks = await find(span.site).openDeadLinks();
      return countDeadLinks(listStarts(span), limit, status);
    },
    active: async (site, now, _, filter) => {
      const counts = countsOf({ site, filter });
      const from = now - WINDOW_MS;
      // If the window includes midnight, it has visitors of two days, who count as different people by definition.
      const dates = new Set([dateAt(from, site.timezone), dateAt(now, site.timezone)]);
      const active = [...dates].map((date) => {
        const midnight = startOfDay(date, site.timezone);
        return counts.active(date, (from - midnight) / 1000, (now - midnight) / 1000);
      });
      return active.reduce((total, visitors) => total + visitors, 0);
    },
  };
}

const WINDOW_MS = 5 * 60_000;

/** The days of a span. Today has `until`: the seconds since its midnight. */
function listSpan({ site, from, to, now }: Span): { date: string; until?: number }[] {
  const today = dateAt(now, site.timezone);
  return listDays(from, to).map((date) =>
    date === today ? { date, until: (now - startOfDay(date, site.timezone)) / 1000 } : { date },
  );
}

/** The same with the first instant of each day. */
const listStarts = (span: Span) =>
  listSpan(span).map((day) => ({ ...day, start: startOfDay(day.date, span.site.timezone) }));
