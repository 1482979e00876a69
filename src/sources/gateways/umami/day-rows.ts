import * as z from "zod";
import { listDays } from "../../../operations/days.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import type { DayMemory } from "../day-memory.ts";
import { openDayMemory } from "../day-memory.ts";
import type { GatewayContext } from "../gateway.ts";
import { type ExpandedRow, expanded } from "./answers.ts";
import type { UmamiApi } from "./api.ts";
import { DIMENSIONS } from "./dimensions.ts";
import type { UmamiFilter } from "./filter-query.ts";
import type { UmamiSite } from "./sites.ts";
import { boundsOf, freshFor } from "./times.ts";

/** The rows of a dimension on one day. */
export interface DayRows {
  date: string;
  rows: DayRow[];
  /** Whether Umami has more rows than it was asked for. */
  isCut: boolean;
}

type DayRow = [value: string, visitors: number, hits: number];

/** Of one day. */
const MAX_ROWS = 10_000;
/** What is sent at the end of a day may arrive a little later. */
const SETTLED_MS = 3_600_000;

const kept = z.object({
  rows: z.array(z.tuple([z.string(), z.int(), z.int()])),
  isCut: z.boolean(),
});
type Kept = z.output<typeof kept>;

/**
 * Umami counts distinct visitors of the whole period, so each day is a request. Days that are over are remembered, but for
 * those with a filter, of which there is no end.
 */
export function createDayRows(api: UmamiApi, context: GatewayContext) {
  const memories = new Map<string, DayMemory<Kept>>();
  const findMemory = ({ id, timezone, resetAt }: UmamiSite) => {
    const key = JSON.stringify([id, timezone, resetAt]);
    const memory = memories.get(key) ?? openDayMemory(context, [id, timezone, resetAt], kept);
    memories.set(key, memory);
    return memory;
  };

  const readDay = async (asked: AskedRows, date: string, signal: AbortSignal | undefined): Promise<Kept> => {
    const { site, dimension, filter, now } = asked;
    const { startAt, endAt } = boundsOf(date, date, site.timezone);
    const { type } = DIMENSIONS[dimension];
    const rows = await api.ask(
      {
        path: `/websites/${site.id}/metrics/expanded`,
        query: { ...filter.query, startAt, endAt, type, limit: String(MAX_ROWS) },
        schema: expanded,
        freshFor: freshFor(date, site, now),
      },
      signal,
    );
    return { rows: foldRows(dimension, rows), isCut: rows.length >= MAX_ROWS };
  };

  return async (asked: AskedRows, signal: AbortSignal | undefined): Promise<DayRows[]> => {
    const { site, from, to, dimension, filter, now } = asked;
    const memory = Object.keys(filter.query).length === 0 ? findMemory(site) : undefined;
    const days = listDays(from, to).map((date) => ({ date, known: memory?.read(dimension, date) }));
    const missing = days.filter(({ known }) => known === undefined).length;
    api.assertAffordable(
      missing,
      (most) => `Ask for at most ${most} days at once: past days are remembered.`,
    );
    return Promise.all(
      days.map(async ({ date, known }) => {
        if (known !== undefined) return { date, ...known };
        const found = await readDay(asked, date, signal);
        const isOver = Number(boundsOf(date, date, site.timezone).endAt) + SETTLED_MS < now;
        if (isOver) memory?.keep(dimension, date, found);
        return { date, ...found };
      }),
    );
  };
}

export interface AskedRows {
  site: UmamiSite;
  from: string;
  to: string;
  now: number;
  dimension: Dimension;
  filter: UmamiFilter;
}

/** Rows in the contract's values: Umami has several names for some. */
function foldRows(dimension: Dimension, rows: readonly ExpandedRow[]): DayRow[] {
  const { readValue = ({ name }: ExpandedRow) => name } = DIMENSIONS[dimension];
  const found = new Map<string, DayRow>();
  for (const row of rows) {
    const value = readValue(row);
    const [, visitors, hits] = found.get(value) ?? [value, 0, 0];
    found.set(value, [value, visitors + row.visitors, hits + row.pageviews]);
  }
  return [...found.values()];
}
