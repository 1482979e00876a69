import { AnalyticsError, quoteIfNeeded } from "../../errors.ts";
import { countDays } from "../../operations/days.ts";
import { MAX_DAYS } from "../../operations/fields.ts";
import { breakdown, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import type { AnswerOf } from "../../operations/operation.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { ONCE_PER_PERIOD, OTHER_ORDER } from "../../operations/warning.ts";
import { dateAt } from "../calendar.ts";
import type { DataSource, RankedRow, SourceSite, Span, UnlistedSite } from "../data-source.ts";
import { isPossibleValue } from "../dimension-values.ts";
import { again } from "./allowed-days.ts";
import type { Described } from "./capabilities.ts";

type Site = AnswerOf<typeof sites>["sites"][number];

/** A service's longest list is asked for: only a list that is not cut shows how many rows there are. */
const ALL_ROWS = 1000;

/**
 * A service that describes itself, as far as the contract's answers can be made of what it says: for the reference API in front
 * of it. What the contract requires and the service does not have is refused by name, and never filled in.
 */
export async function createDescribedSource(
  { service, reader }: Described,
  clock: () => number,
): Promise<DataSource> {
  const daysKept = Math.min(MAX_DAYS, reader.allowedDays(timeseries).comeNear(MAX_DAYS));
  const starts = new Map<string, string | null>();

  /** The first day with data. It can be another one tomorrow. */
  const readStart = async ({ id }: Site, timezone: string, signal?: AbortSignal) => {
    const key = `${dateAt(clock(), timezone)} ${id}`;
    const known = starts.get(key);
    if (known !== undefined) return known;
    const { since } = await service.dataStart(id, { signal });
    starts.set(key, since);
    return since;
  };

  const readSite = async (site: Site, signal?: AbortSignal): Promise<SourceSite> => {
    const { id, domain, name, timezone, created_at } = site;
    if (timezone === undefined) throw createLackError(site, "names no timezone", ` ${NAME_TIMEZONE}`);
    const dataSince = await readStart(site, timezone, signal);
    return {
      id,
      domain,
      name,
      timezone,
      dataSince,
      ...(created_at !== undefined && { createdAt: Date.parse(created_at) }),
    };
  };

  const listSites = async (signal?: AbortSignal) => {
    const { sites: listed } = await service.answer(sites, {}, { signal });
    const found: SourceSite[] = [];
    const lacking: UnlistedSite[] = [];
    for (const site of listed) {
      try {
        found.push(await readSite(site, signal));
        if (site.created_at === undefined) throw createLackError(site, "does not say when it was added");
      } catch (reason) {
        if (!(reason instanceof AnalyticsError)) throw reason;
        lacking.push({ domain: site.domain, reason });
      }
    }
    return { found, lacking };
  };

  const askFor = ({ site, from, to }: Span) => ({ site: site.id, days: countDays(from, to) });
  /** Throws AnalyticsError for an answer of other days. */
  const assertDays = (what: string, period: { from: string; to: string } | undefined, span: Span) => {
    if (period?.from === span.from && period.to === span.to) return;
    const which = period === undefined ? "does not say which days it covers" : `ends on ${period.to}`;
    throw createRefusal(`${what} of this service ${which}, and the contract's days end today, ${span.to}.`);
  };

  const readRows = async (
    span: Span,
    dimension: Parameters<DataSource["breakdown"]>[1],
    signal?: AbortSignal,
  ) => {
    const asked = { ...askFor(span), dimension, limit: ALL_ROWS };
    const list = await service.answer(breakdown, asked, { signal });
    assertDays("A breakdown", list.period, span);
    const measure = dimension === "events" ? "events" : "pageviews";
    const refuse = (reason: string) => createDimensionError(dimension, reason);
    const rows = list.rows.map(({ value, label, visitors, [measure]: hits }): RankedRow => {
      if (visitors === undefined) throw refuse("this service does not say how many visitors its rows have");
      if (hits === undefined) throw refuse(`this service does not say how many ${measure} its rows have`);
      return { value, label, visitors, hits };
    });
    if (rows.some(({ value }) => value !== null && !isPossibleValue(dimension, value)))
      throw refuse("this service's values are not those of the contract");
    if (list.truncated && list.warnings?.some(({ code }) => code === OTHER_ORDER))
      throw refuse("this service cuts its lists in an order of its own");
    const totalRows = list.total_rows ?? (list.truncated ? undefined : rows.length);
    if (totalRows === undefined)
      throw refuse("this service cuts its lists and does not say how many rows there are");
    return { rows, totalRows };
  };

  return {
    daysKept,
    spans: false,
    lacks: await findLacks({ service, reader }),
    sites: async (signal) => (await listSites(signal)).found,
    unlisted: async (signal) => (await listSites(signal)).lacking,
    site: async (name, signal) => {
      const { sites: listed } = await service.answer(sites, {}, { signal });
      const found = listed.find(({ id, domain }) => id === name || normalizeSite(domain) === name);
      return found && readSite(found, signal);
    },
    days: async (span, signal) => {
      const { period, points } = await service.answer(timeseries, askFor(span), { signal });
      assertDays("The series", period, span);
      const missing = points.find((point) => point.missing);
      if (missing) throw createRefusal(`The series of this service has no number for ${missing.date}.`);
      return points.map(({ date, visitors, pageviews }) => ({ date, visitors, pageviews }));
    },
    events: async ({ site, from, to }, signal) =>
      (await again(() => service.totals(site.id, countDays(from, to), { signal }))).events,
    breakdown: async (span, dimension, limit, signal) => {
      const days = countDays(span.from, span.to);
      if (!(await service.addsUp(span.site.id, days, { signal })))
        throw createDimensionError(dimension, `this service ${ONCE_PER_PERIOD}`);
      const { rows, totalRows } = await readRows(span, dimension, signal);
      return { rows: rows.slice(0, limit), totalRows };
    },
    active: async ({ id }, _, signal) => (await service.answer(realtime, { site: id }, { signal })).visitors,
  };
}

/** The operations that the contract has and that cannot be answered, each with why. One site shows it for all. */
async function findLacks({ service, reader }: Described): Promise<NonNullable<DataSource["lacks"]>> {
  const [site] = reader.learned().sites;
  const readTotals = ({ id }: { id: string }) =>
    again(() => service.totals(id, reader.allowedDays(stats).comeNear(PROBED_DAYS), {}));
  const hasEvents = site === undefined || (await readTotals(site)).events !== undefined;
  return {
    ...(!hasEvents && { [stats.name]: "it has no events, and /timeseries has its visitors and page views" }),
    ...(!reader.takes(breakdown.path, "days") && {
      [breakdown.name]: "its lists take no days",
    }),
  };
}

const PROBED_DAYS = 7;

const NAME_TIMEZONE =
  "Whoever runs reference can name it: analytics-mcp login --site-timezones, or ANALYTICS_SITE_TIMEZONES.";

const createRefusal = (message: string) => new AnalyticsError("not_found", message, { status: 404 });

/** @param advice The API's clients see no hint. */
const createLackError = ({ domain }: Site, lack: string, advice = "") =>
  createRefusal(`For ${quoteIfNeeded(domain)}, the service ${lack}, and the contract requires it.${advice}`);

function createDimensionError(dimension: string, reason: string): AnalyticsError {
  const detail = `cannot be ${dimension}: ${reason}`;
  return new AnalyticsError("invalid_parameter", `dimension ${detail}.`, {
    status: 400,
    parameters: [{ parameter: "dimension", detail }],
  });
}
