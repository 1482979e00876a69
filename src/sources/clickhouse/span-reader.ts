import { listDays } from "../../operations/days.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import type { Row } from "./answer.ts";
import { createCache } from "./cache.ts";
import type { Connection } from "./connection.ts";
import type { LoadedDay } from "./coverage.ts";
import { onDays } from "./rollup-queries.ts";
import { filterTime, type SpanQuery } from "./span-query.ts";
import type { RollupQueries, SpanParts, TableQueries } from "./table-queries.ts";

/** One query asks for the days with sums several times. */
const FRESH_MS = 30_000;

type Ask = Connection["ask"];

/** Creates the functions that read a span, from the sums of its days where these can be used, else from the hits. */
export function createSpanReader(queries: TableQueries, ask: Ask, clock: () => number) {
  const { rollup } = queries;
  const findSums = rollup && createSumFinder(rollup, ask, clock);
  return {
    days: async (query: SpanQuery, signal?: AbortSignal): Promise<ReadonlyMap<string, LoadedDay>> => {
      const { params, endsNow } = query;
      const sums = await findSums?.(query, "", signal);
      if (sums === undefined)
        return readDays((await ask(queries.days(filterTime(endsNow)), params, signal)).rows);
      const { days, otherDays } = sums;
      if (otherDays.length === 0) return days;
      const { rows } = await ask(queries.days(onDays(otherDays, filterTime(endsNow))), params, signal);
      return new Map([...days, ...readDays(rows)]);
    },
    breakdown: async (query: SpanQuery, dimension: Dimension, limit: number, signal?: AbortSignal) => {
      const { params, endsNow } = query;
      const sums = await findSums?.(query, dimension, signal);
      if (rollup === undefined || sums === undefined) {
        return ask(queries.breakdown(dimension, filterTime(endsNow)), { ...params, limit }, signal);
      }
      return ask(rollup.breakdown(dimension, filterTime(endsNow), sums), { ...params, limit }, signal);
    },
  };
}

interface Sums extends SpanParts {
  /** The days whose sums are used. */
  days: ReadonlyMap<string, LoadedDay>;
}

/** Finds the days of a span that have sums of a dimension, or totals if the dimension is empty. Undefined if none has. */
function createSumFinder(rollup: RollupQueries, ask: Ask, clock: () => number) {
  const exists = createCache(FRESH_MS, clock, async (_: string, signal) => {
    const { rows } = await ask(rollup.exists(), {}, signal);
    return Number(rows[0]?.is_there) === 1;
  });
  const askDays = createCache(FRESH_MS, clock, async (key: string, signal) => {
    const { rows } = await ask(rollup.days(), JSON.parse(key), signal);
    return rows;
  });
  return async (
    { site, from, to, endsNow }: SpanQuery,
    dimension: Dimension | "",
    signal?: AbortSignal,
  ): Promise<Sums | undefined> => {
    if (!(await exists("", signal))) return undefined;
    const found = await askDays(JSON.stringify({ site, from, to, dimension }), signal);
    const rows = found.filter(({ date }) => !endsNow || date !== to);
    if (rows.length === 0) return undefined;
    const days = readDays(rows);
    const runs = new Map(rows.map(({ date, run_text: run }) => [String(date), BigInt(String(run))]));
    return { days, runs, otherDays: listDays(from, to).filter((date) => !days.has(date)) };
  };
}

const readDays = (rows: readonly Row[]): Map<string, LoadedDay> =>
  new Map(rows.map((row) => [String(row.date), readDay(row)]));

const readDay = (row: Row): LoadedDay => ({
  visitors: Number(row.visitor_count),
  pageviews: Number(row.view_count),
  events: Number(row.event_count),
  isLoaded: Number(row.loads) > 0,
  expected: Number(row.expected_views),
  definitions: [Number(row.oldest_definition), Number(row.newest_definition)],
});
