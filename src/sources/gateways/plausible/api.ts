import * as z from "zod";
import { createGatewayClient, type GatewayService } from "../../../client/gateway-client.ts";
import type { Target } from "../../../client/http-client.ts";
import { AnalyticsError, quoteIfNeeded } from "../../../errors.ts";
import type { Filter } from "../../../operations/filter.ts";
import { dateAt, formatInstant, offsetAt } from "../../calendar.ts";
import type { Span } from "../../data-source.ts";
import type { GatewayContext } from "../gateway.ts";
import { formatLogin } from "../login-command.ts";
import { createHiddenSiteError, explainFailure } from "./failure.ts";
import { formatFilters } from "./filters.ts";

export const TITLE = "Plausible";

const SERVICE: Omit<GatewayService, "explain"> = {
  title: TITLE,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  concurrency: 4,
  quota: { requests: 600, seconds: 3_600 },
};

/** Its Stats API, version 2: https://plausible.io/docs/stats-api */
const PATH = "/api/v2/query";
/** The most rows of one answer. */
const PAGE = 10_000;
/** Seconds for which answers are kept. Days that have been over for as long change no more. */
const FRESH = { past: 3_600, today: 60, site: 3_600, timezone: 86_400 };

interface PlausibleQuery {
  metrics: readonly ("visitors" | "pageviews" | "events")[];
  /** The first one is a time, by which the rows are in order. */
  dimensions: readonly string[];
}

interface PlausibleRow {
  /** The values of the query's dimensions, in its order. */
  dimensions: string[];
  /** Null for what Plausible does not count, such as the events of goals that are no events. */
  metrics: (number | null)[];
}

const answer = z.object({
  results: z.array(
    z.object({
      dimensions: z.array(z.union([z.string(), z.number(), z.null()]).transform((value) => `${value ?? ""}`)),
      metrics: z.array(z.int().min(0).nullable()),
    }),
  ),
  meta: z.object({ total_rows: z.int().min(0).optional() }).optional(),
  query: z.object({ date_range: z.tuple([z.string(), z.string()]) }),
});

type Answer = z.output<typeof answer>;

export type PlausibleApi = ReturnType<typeof createPlausibleApi>;

/** Plausible's queries, with every answer checked to be about the site's own days. */
export function createPlausibleApi({ target, clock, limits }: GatewayContext) {
  const explain: GatewayService["explain"] = (...failure) => explainFailure(target, ...failure);
  const client = createGatewayClient({ ...SERVICE, explain }, target, { clock, limits });

  const ask = async (
    domain: string,
    query: Record<string, unknown>,
    freshFor: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> => {
    try {
      return await client.ask(
        { path: PATH, json: { site_id: domain, ...query }, schema: answer, freshFor },
        signal,
      );
    } catch (error) {
      throw isKeyOrSite(error) ? await tellApart(error, domain, signal) : error;
    }
  };

  /** Plausible answers a wrong key and a hidden site alike. It looks at the key first, and misses the site only then. */
  const tellApart = async (error: unknown, domain: string, signal: AbortSignal | undefined) => {
    try {
      await client.ask({ path: PATH, json: {}, schema: z.unknown() }, signal);
    } catch (failure) {
      if (failure instanceof AnalyticsError && failure.status === 400)
        return createHiddenSiteError(domain, target);
    }
    return error;
  };

  return {
    assertAffordable: client.assertAffordable,

    /** `since`: the first day with data; null if there is none. `counted`: the first day that Plausible looks at. */
    findStart: async (domain: string, timezone: string, signal?: AbortSignal) => {
      const query = {
        metrics: ["events"],
        date_range: "all",
        dimensions: ["time:day"],
        order_by: [["time:day", "asc"]],
        pagination: { limit: 1, offset: 0 },
      };
      const { results, query: echoed } = await ask(domain, query, FRESH.site, signal);
      assertOffsets(domain, timezone, echoed.date_range, target);
      return { since: results[0]?.dimensions[0] ?? null, counted: echoed.date_range[0].slice(0, 10) };
    },

    /** Throws AnalyticsError `usage` if Plausible's clocks for the site are others, in winter or in summer. */
    assertTimezone: async (domain: string, timezone: string, signal?: AbortSignal) => {
      const year = Number(dateAt(clock(), timezone).slice(0, 4)) - 1;
      const query = { metrics: ["visitors"], date_range: [`${year}-01-01`, `${year}-07-01`] };
      const { query: echoed } = await ask(domain, query, FRESH.timezone, signal);
      assertOffsets(domain, timezone, echoed.date_range, target);
    },

    /** All rows about the days of a span. */
    askRows: async (
      { site, from, to, now, filter }: Span,
      { metrics, dimensions }: PlausibleQuery,
      signal?: AbortSignal,
    ): Promise<PlausibleRow[]> => {
      const isToday = to >= dateAt(now, site.timezone);
      const isOver = to < dateAt(now - FRESH.past * 1_000, site.timezone);
      const askPage = async (offset: number) => {
        const query = {
          date_range: [from, to],
          metrics,
          dimensions,
          filters: formatFilters(filter),
          // Pages fit together only in an order that leaves nothing open. Goals have none of their own.
          ...(!dimensions.includes("event:goal") && {
            order_by: dimensions.map((dimension) => [dimension, "asc"]),
          }),
          include: { total_rows: true },
          pagination: { limit: PAGE, offset },
        };
        const page = await ask(site.domain, query, isOver ? FRESH.past : FRESH.today, signal);
        const [start, end] = page.query.date_range;
        assertOffsets(site.domain, site.timezone, [start, end], target);
        if (!start.startsWith(from) || !end.startsWith(to)) throw createShapeError("are about other days");
        return page;
      };
      const first = await askPage(0);
      const total = first.meta?.total_rows ?? first.results.length;
      const further = Math.ceil(total / PAGE) - 1;
      if (further <= 0) return assertForm(first.results, dimensions, metrics);
      client.assertAffordable(further, () => "Ask for fewer days, or for a part by a filter.");
      const offsets = Array.from({ length: further }, (_, index) => (index + 1) * PAGE);
      const pages = await Promise.all(offsets.map(askPage));
      const rows = new Map(
        [first, ...pages]
          .flatMap(({ results }) => results)
          .map((row) => [JSON.stringify(row.dimensions), row]),
      );
      // Of today, rows may have been added between two pages.
      if (rows.size < total && !isToday) throw createShapeError("are fewer than it says");
      return assertForm([...rows.values()], dimensions, metrics);
    },

    /** The counts of instants, both included: milliseconds since 1970. Visitors are distinct over all of them. */
    askInstants: async (
      { site, filter }: { site: Span["site"]; filter?: Filter | undefined },
      [from, to]: readonly [number, number],
      metrics: PlausibleQuery["metrics"],
      { freshFor = 0, signal }: { freshFor?: number; signal?: AbortSignal | undefined } = {},
    ): Promise<number[]> => {
      const query = {
        date_range: [from, to].map((instant) => formatInstant(instant, site.timezone)),
        metrics,
        filters: formatFilters(filter),
      };
      const { results, query: echoed } = await ask(site.domain, query, freshFor, signal);
      const instants = echoed.date_range.map((instant) => Math.floor(Date.parse(instant) / 1_000) * 1_000);
      if (instants[0] !== from || instants[1] !== to) throw createShapeError("are about another time");
      const [row] = assertForm(results, [], metrics);
      return metrics.map((_, index) => row?.metrics[index] ?? 0);
    },
  };
}

const isKeyOrSite = (error: unknown) => error instanceof AnalyticsError && error.status === 401;

function assertForm(rows: PlausibleRow[], dimensions: readonly string[], metrics: readonly string[]) {
  const isOther = (row: PlausibleRow) =>
    row.dimensions.length !== dimensions.length || row.metrics.length !== metrics.length;
  if (rows.some(isOther)) throw createShapeError("have other columns than were asked for");
  return rows;
}

const createShapeError = (what: string) =>
  new AnalyticsError("bad_answer", `${TITLE}'s rows ${what}.`, {
    status: 200,
    hint: "Nothing was shown, because the numbers could be wrong. Try again. If it happens again, report it to analytics-mcp.",
  });

/** Plausible names no timezone, but writes instants with their offset from UTC. */
function assertOffsets(domain: string, timezone: string, instants: readonly string[], target: Target): void {
  for (const text of instants) {
    const instant = Date.parse(text);
    if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(instant))
      throw createShapeError("do not say which days they are about");
    const [shown = "Z"] = /[+-]\d\d:\d\d$/.exec(text) ?? [];
    const offset = Date.parse(`${text.slice(0, 19)}Z`) - Math.floor(instant / 1_000) * 1_000;
    if (offsetAt(instant, timezone) === offset) continue;
    const date = text.slice(0, 10);
    // A running login asks again.
    const next = target.loginOptions === undefined ? ` To save it: ${formatLogin(TITLE, target)}` : "";
    throw new AnalyticsError(
      "usage",
      `Plausible counts the days of ${quoteIfNeeded(domain)} in another timezone than ${timezone}: on ${date}, its clocks show UTC${shown === "Z" ? "" : shown}.`,
      {
        hint: `It is in Plausible under the site's settings, General, Reporting timezone.${next}`,
      },
    );
  }
}
