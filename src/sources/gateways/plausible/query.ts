import * as z from "zod";
import type { GatewayClient } from "../../../client/gateway-client.ts";
import type { Filter } from "../../../operations/filter.ts";
import { createFilterError } from "../../../operations/filter.ts";
import { dateAt } from "../../calendar.ts";
import type { Span } from "../../data-source.ts";

/** A query of Plausible's Stats API, version 2. */
export interface PlausibleQuery {
  metrics: readonly ("visitors" | "pageviews" | "events")[];
  dimensions: readonly string[];
}

/** A row: the values of the query's dimensions and metrics, in its order. */
export interface PlausibleRow {
  dimensions: string[];
  metrics: number[];
}

export const answer = z.object({
  results: z.array(
    z.object({
      dimensions: z.array(z.union([z.string(), z.number(), z.null()]).transform((value) => `${value ?? ""}`)),
      metrics: z.array(z.number()),
    }),
  ),
  meta: z.object({ total_rows: z.number().optional() }).optional(),
  query: z.object({ date_range: z.tuple([z.string(), z.string()]) }),
});

/** The most rows of one answer. */
const PAGE = 10_000;
/** Seconds. Days that are over change no more, but for imports. */
const FRESH = { past: 600, today: 30 };

/** Asks for all rows, page by page. */
export async function askRows(
  client: GatewayClient,
  span: Span,
  { metrics, dimensions }: PlausibleQuery,
  signal: AbortSignal | undefined,
): Promise<PlausibleRow[]> {
  const { site, from, to, now, filter } = span;
  const askPage = (offset: number) =>
    client.ask(
      {
        path: "/api/v2/query",
        json: {
          site_id: site.domain,
          date_range: [from, to],
          metrics,
          dimensions,
          filters: formatFilters(filter),
          include: { total_rows: true },
          pagination: { limit: PAGE, offset },
        },
        schema: answer,
        freshFor: to === dateAt(now, site.timezone) ? FRESH.today : FRESH.past,
      },
      signal,
    );
  const first = await askPage(0);
  const total = first.meta?.total_rows ?? first.results.length;
  const further = Math.ceil(total / PAGE) - 1;
  if (further > 0)
    client.assertAffordable(further, () => "Ask for fewer days, or for the rows of a part with a filter.");
  const rows = [...first.results];
  for (let page = 1; page <= further; page++) rows.push(...(await askPage(page * PAGE)).results);
  return rows;
}

function formatFilters(filter: Filter | undefined): unknown[] {
  if (filter === undefined || filter.length === 0) return [];
  throw createFilterError("cannot be used with Plausible yet");
}
