import { AnalyticsError, createParameterError, quote } from "../../../errors.ts";
import { nameValue } from "../../../names/value-names.ts";
import { listDays } from "../../../operations/days.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import {
  conditionOf,
  createFilterError,
  type Filter,
  formatCondition,
  isOnHits,
  MAX_SHOWN,
} from "../../../operations/filter.ts";
import { normalizeSite } from "../../../operations/site-name.ts";
import { NEAR, type Warning } from "../../../operations/warning.ts";
import { startOfDay } from "../../calendar.ts";
import type { DataSource, DayTotals, RankedRow, SourceSite, Span } from "../../data-source.ts";
import { identifySite } from "../../site-id.ts";
import type { GatewayContext } from "../gateway.ts";
import { rankRows, sumRows } from "../row-sums.ts";
import { createTimezonesError, findSiteTimezone, listNamedSites } from "../site-timezones.ts";
import { createPlausibleApi, TITLE } from "./api.ts";
import { findNative, isOfVisitsAlone, nativeDimensions, readValue } from "./dimensions.ts";
import { warnOfHosts } from "./filters.ts";
import { readHours } from "./hours.ts";

type ReadRanking = DataSource["breakdown"];

const COUNTS = ["visitors", "pageviews", "events"] as const;

/** Opens Plausible's Stats API as a source. Visitors are those of each day, by the dimension `time:day`, added up. */
export function openPlausible(context: GatewayContext): DataSource {
  const { siteTimezones } = context;
  const plausible = { title: TITLE, target: context.target };
  const api = createPlausibleApi(context);
  const named = new Map(listNamedSites(siteTimezones).map(([name, zone]) => [normalizeSite(name), zone]));

  const describeSite = async (domain: string, signal?: AbortSignal): Promise<SourceSite> => {
    const timezone = named.get(domain) ?? findSiteTimezone(siteTimezones, domain, plausible);
    const { since, counted } = await api.findStart(domain, timezone, signal);
    const createdAt = startOfDay(since ?? counted, timezone);
    return { id: identifySite(domain), domain, name: domain, timezone, createdAt, dataSince: since };
  };

  const readDays = async (span: Span, signal?: AbortSignal): Promise<DayTotals[]> => {
    const rows = await api.askRows(span, { metrics: COUNTS, dimensions: ["time:day"] }, signal);
    const byDate = new Map(rows.map(({ dimensions: [date = ""], metrics }) => [date, metrics]));
    const days = listDays(span.from, span.to).map((date) => {
      const [visitors, pageviews, all] = byDate.get(date) ?? [];
      return {
        date,
        visitors: visitors ?? 0,
        pageviews: pageviews ?? 0,
        events: Math.max(0, (all ?? 0) - (pageviews ?? 0)),
      };
    });
    assertEvents(span.filter, days);
    return days;
  };

  const readRows: ReadRanking = async (span, dimension, _, signal) => {
    const { name, labels } = findNative(dimension);
    const dimensions = ["time:day", name, ...(labels === undefined ? [] : [labels])];
    const found = await api.askRows(span, { metrics: ["visitors", "pageviews"], dimensions }, signal);
    const rows = found.map(({ dimensions: [date = "", text = "", label], metrics: [visitors, hits] }) => {
      const value = readValue(dimension, text);
      const name = labelOf(dimension, value, label);
      const row = { value, label: name, visitors: visitors ?? 0, hits: hits ?? 0 };
      return { day: `${date} ${value}`, row };
    });
    // Whoever came from two pages of one host on one day is in two of Plausible's rows.
    const isFolded = dimension === "referrers" && new Set(rows.map(({ day }) => day)).size < rows.length;
    // Plausible's pages also have those on which there were events alone.
    const counted = sumRows(rows.map(({ row }) => row)).filter(
      ({ hits }) => hits > 0 || dimension !== "pages",
    );
    return { rows: counted, totalRows: counted.length, warnings: isFolded ? [FOLDED_REFERRERS] : [] };
  };

  /** Plausible counts page views of visits by their first or last page only for one page at a time. */
  const readVisitRows: ReadRanking = async (span, dimension, limit, signal) => {
    const { name } = findNative(dimension);
    const found = await api.askRows(span, { metrics: ["visitors"], dimensions: ["time:day", name] }, signal);
    const visitors = new Map<string | null, number>();
    for (const { dimensions: read, metrics } of found) {
      const value = readValue(dimension, read[1] ?? "");
      visitors.set(value, (visitors.get(value) ?? 0) + (metrics[0] ?? 0));
    }
    const ranked = [...visitors].sort(([, a], [, b]) => b - a);
    if (Math.min(limit, ranked.length) > MAX_ASKED_ONE_BY_ONE)
      throw createManyRowsError(dimension, ranked.length);
    // Page views decide between rows with the same visitors.
    const [, least = 0] = ranked[limit - 1] ?? [];
    const chosen = ranked.filter(([, count]) => count >= least).slice(0, MAX_ASKED_ONE_BY_ONE);
    api.assertAffordable(chosen.length, (left) => `Ask for at most ${left} ${dimension}.`);
    const rows = await Promise.all(
      chosen.map(async ([value]) => {
        const filter = [...(span.filter ?? []), conditionOf(dimension, value)];
        const days = await readDays({ ...span, filter }, signal);
        const sum = (member: "visitors" | "pageviews") => days.reduce((total, day) => total + day[member], 0);
        const label = labelOf(dimension, value);
        return { value, label, visitors: sum("visitors"), hits: sum("pageviews") };
      }),
    );
    return { rows, totalRows: ranked.length };
  };

  const readEvents: ReadRanking = async (span, dimension, _, signal) => {
    const query = { metrics: COUNTS, dimensions: ["time:day", "event:goal"] };
    const found = await api.askRows(span, query, signal);
    const rows = sumRows(
      found.flatMap(({ dimensions: [, value = ""], metrics: [visitors, pageviews, events] }) =>
        // Goals may also be page views, and ways that somebody has scrolled. These are no events.
        pageviews !== 0 || events === null || events === undefined
          ? []
          : [{ value, label: labelOf(dimension, value), visitors: visitors ?? 0, hits: events }],
      ),
    );
    return { rows, totalRows: rows.length };
  };

  return {
    filters: true,
    daysKept: 36_500,
    sites: async (signal) => {
      if (named.size === 0) throw createTimezonesError(plausible);
      const found = await Promise.allSettled(
        [...named.keys()].sort().map((name) => describeSite(name, signal)),
      );
      const sites = found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const failed = found.find((each) => each.status === "rejected" && !isHidden(each.reason));
      // A site that is no longer there is left out, unless it is the only one.
      const reported = failed ?? (sites.length === 0 ? found[0] : undefined);
      if (reported?.status === "rejected") throw reported.reason;
      return sites;
    },
    site: async (name, signal) => {
      const domain = [...named.keys()].find((each) => each === name || identifySite(each) === name);
      const isAny = siteTimezones?.["*"] !== undefined && name.includes(".");
      if (domain === undefined && !isAny) return undefined;
      const site = await describeSite(domain ?? name, signal);
      await api.assertTimezone(site.domain, site.timezone, signal);
      return site;
    },
    days: readDays,
    hours: async (span, signal) => {
      const hours = await readHours(api, span, signal);
      assertEvents(span.filter, hours);
      return hours;
    },
    breakdown: async (span, dimension, limit, signal) => {
      const read =
        dimension === "events" ? readEvents : isOfVisitsAlone(dimension) ? readVisitRows : readRows;
      const [days, { rows, totalRows, warnings = [] }] = await Promise.all([
        readDays(span, signal),
        read(span, dimension, limit, signal),
      ]);
      const all = days.reduce((sum, { visitors }) => sum + visitors, 0);
      return {
        ...rankRows(
          rows.map((row) => ({ ...row, visitors: boundEstimate(row.visitors, all) })),
          limit,
        ),
        totalRows,
        warnings: [
          ...warnings,
          ...warnOfHosts(dimension, span.filter),
          ...warnOfEvents(dimension, rows, days),
        ],
      };
    },
    active: async (site, now, signal, filter) => {
      assertMoments(filter);
      const from = now - WINDOW_MS + 1_000;
      const asked = { site, filter };
      const metrics = ["visitors", "pageviews"] as const;
      const [visitors = 0, pageviews = 0] = await api.askInstants(asked, [from, now], metrics, { signal });
      assertEvents(filter, [{ pageviews }]);
      return visitors;
    },
    dimensions: async () => Object.keys(nativeDimensions) as Dimension[],
  };
}

const WINDOW_MS = 5 * 60_000;

/** A question must not use up what Plausible allows in an hour. */
const MAX_ASKED_ONE_BY_ONE = 50;

const FOLDED_REFERRERS: Warning = {
  code: NEAR,
  detail:
    "Plausible counts visitors by the whole address of a referrer: a visitor who came from two addresses of one host on one day counts twice in its row.",
};

const isHidden = (error: unknown) => error instanceof AnalyticsError && error.code === "site_not_found";

const labelOf = (dimension: Dimension, value: string | null, label = "") =>
  value === null || label === "" ? nameValue(dimension, value) : label;

/**
 * Beyond some ten thousand visitors a day, Plausible estimates, each number for itself. So a row may have slightly more
 * than all rows together, of which it is a part.
 */
const boundEstimate = (count: number, all: number) => (count > all && count <= all * 1.01 ? all : count);

/**
 * Throws AnalyticsError `invalid_parameter` for what somebody did in a whole visit: Plausible looks for it in the five minutes
 * alone.
 */
function assertMoments(filter: Filter = []) {
  const ofVisit = filter.find((condition) => condition.ofVisit);
  if (ofVisit === undefined) return;
  const shown = quote(formatCondition(ofVisit), { maxLength: MAX_SHOWN });
  throw createFilterError(
    `cannot be ${shown} for who is there now: Plausible knows what they did in the last five minutes, not in their whole visit`,
  );
}

/** Throws AnalyticsError `invalid_parameter` if what was asked for as an event is a goal of page views. */
function assertEvents(filter: Filter | undefined, counts: readonly { pageviews: number }[]): void {
  const isOfEvents = filter?.some((condition) => condition.dimension === "events" && isOnHits(condition));
  if (isOfEvents && counts.some(({ pageviews }) => pageviews > 0))
    throw createFilterError("names a goal of page views in Plausible, which is no event; use pages=…");
}

/** Plausible lists the events that somebody has made a goal. */
function warnOfEvents(dimension: Dimension, rows: readonly RankedRow[], days: readonly DayTotals[]) {
  if (dimension !== "events") return [];
  const all = days.reduce((sum, { events }) => sum + events, 0);
  const listed = rows.reduce((sum, { hits }) => sum + hits, 0);
  if (listed === all) return [];
  const detail =
    listed < all
      ? `Plausible names only events that are goals: ${all - listed} of ${all} events are in no row.`
      : "Some goals in Plausible are part of others: their events are in several rows.";
  return [{ code: NEAR, detail, values: { events: all, listed } }];
}

function createManyRowsError(dimension: Dimension, rows: number): AnalyticsError {
  const detail = `is ${dimension}, whose page views Plausible gives for one value at a time, and there are ${rows}`;
  return createParameterError("dimension", detail, {
    hint: `Ask for at most ${MAX_ASKED_ONE_BY_ONE} rows, or for some by a filter, such as ${dimension}=/blog/*.`,
  });
}
