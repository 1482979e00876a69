import { createCache } from "../../client/concurrency.ts";
import { countDays, listDays } from "../../operations/days.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import type { Filter } from "../../operations/filter.ts";
import type { LoadedDay } from "./coverage.ts";
import { type FilterSql, writeFilter } from "./filter-sql.ts";
import { onDays } from "./rollup-queries.ts";
import {
  type DayRow,
  dayRow,
  existsRow,
  hourRow,
  type SummedDayRow,
  stepsRow,
  summedDayRow,
  type TotalsRow,
  totalsRow,
  valueRow,
} from "./rows.ts";
import { filterTime, type SpanQuery } from "./span-query.ts";
import type { RollupQueries, SpanParts, TableQueries, TimeFilter } from "./table-queries.ts";
import type { TableQuestion, TableReader } from "./table-reader.ts";

/** One query asks for the days with sums several times. */
const FRESH_MS = 30_000;

type Ask = TableReader["ask"];

/** A clock that is set back over midnight shows a date again, also one outside of the span. */
const maxDays = ({ from, to }: SpanQuery) => countDays(from, to) + 2;

/** Creates the functions that read a span, from the sums of its days where these can be used, else from the hits. */
export function createSpanReader({ layout: { rollup }, ask }: TableReader, clock: () => number) {
  const findSums = rollup && createSumFinder(rollup, ask, clock);
  /** The sums can answer only for everything. */
  const findUsableSums = async (query: SpanQuery, dimension: Dimension | "", signal?: AbortSignal) =>
    query.filter.length === 0 ? findSums?.(query, dimension, signal) : undefined;
  const limitTime = ({ endsNow }: SpanQuery, sums: Sums | undefined) =>
    sums ? onDays(sums.otherDays, filterTime(endsNow)) : filterTime(endsNow);
  /** Asks what a span's filter keeps. */
  const askKept = <Row>(
    query: SpanQuery,
    { write, sums, steps, params, ...answer }: KeptQuestion<Row>,
    signal?: AbortSignal,
  ) => {
    const filter = writeFilter(query.filter, steps);
    return ask(
      {
        ...answer,
        write: (queries) => write(queries, filter, limitTime(query, sums)),
        params: { ...query.params, ...filter.params, ...params },
      },
      signal,
    );
  };
  return {
    /** What the table has of each day, whatever the filter is. */
    loadedDays: async (query: SpanQuery, signal?: AbortSignal): Promise<ReadonlyMap<string, LoadedDay>> => {
      const sums = await findSums?.(query, "", signal);
      const summed = new Map((sums?.rows ?? []).map((row) => [row.date, readDay(row)]));
      if (sums?.otherDays.length === 0) return summed;
      const write = (queries: TableQueries) => queries.days(limitTime(query, sums));
      const asked = { params: query.params, row: dayRow, maxRows: maxDays(query) };
      const { rows } = await ask({ write, ...asked }, signal);
      return new Map([...summed, ...rows.map((row) => [row.date, readDay(row)] as const)]);
    },
    totals: async (query: SpanQuery, signal?: AbortSignal): Promise<ReadonlyMap<string, TotalsRow>> => {
      const sums = await findUsableSums(query, "", signal);
      const { rows } =
        sums?.otherDays.length === 0
          ? { rows: [] }
          : await askKept(
              query,
              { write: ({ totals }, ...of) => totals(...of), sums, row: totalsRow, maxRows: maxDays(query) },
              signal,
            );
      return new Map([...(sums?.rows ?? []), ...rows].map((row) => [row.date, row]));
    },
    /** @param starts When the hours begin, in seconds since 1970. */
    hours: async (query: SpanQuery, starts: readonly number[], signal?: AbortSignal) => {
      const { rows } = await askKept(
        query,
        { write: ({ hours }, ...of) => hours(...of, starts), row: hourRow, maxRows: starts.length },
        signal,
      );
      return new Map(rows.map((row) => [row.hour_start, row]));
    },
    steps: async (query: SpanQuery, asked: Filter, signal?: AbortSignal) => {
      const { rows } = await askKept(
        query,
        { write: ({ steps }, ...of) => steps(...of), steps: asked, row: stepsRow, maxRows: 1 },
        signal,
      );
      // An aggregation without groups has one row, also of nothing.
      return rows[0] ?? { visit_count: 0, reached: [], met: [] };
    },
    breakdown: async (query: SpanQuery, dimension: Dimension, limit: number, signal?: AbortSignal) => {
      const sums = await findUsableSums(query, dimension, signal);
      const write: KeptQuestion<never>["write"] = ({ breakdown }, ...of) =>
        rollup && sums
          ? rollup.breakdown(dimension, filterTime(query.endsNow), sums)
          : breakdown(dimension, ...of);
      return askKept(query, { write, params: { limit }, row: valueRow, maxRows: limit }, signal);
    },
  };
}

/** A question about what a filter keeps. */
interface KeptQuestion<Row> extends Omit<TableQuestion<Row>, "write"> {
  write(queries: TableQueries, filter: FilterSql, timeFilter: TimeFilter): string;
  /** The days that sums answer are left out. */
  sums?: Sums | undefined;
  steps?: Filter;
}

interface Sums extends SpanParts {
  /** The days whose sums are used. */
  rows: readonly SummedDayRow[];
}

/** Finds the days of a span that have sums of a dimension, or totals if the dimension is empty. Undefined if none has. */
function createSumFinder(rollup: RollupQueries, ask: Ask, clock: () => number) {
  const exists = createCache(FRESH_MS, clock, async (_: string, signal) => {
    const { rows } = await ask({ write: rollup.exists, row: existsRow, maxRows: 1 }, signal);
    return rows[0]?.is_there === true;
  });
  const askDays = createCache(FRESH_MS, clock, async (key: string, signal) => {
    const { maxRows, ...params } = JSON.parse(key);
    const { rows } = await ask({ write: rollup.days, params, row: summedDayRow, maxRows }, signal);
    return rows;
  });
  return async (
    query: SpanQuery,
    dimension: Dimension | "",
    signal?: AbortSignal,
  ): Promise<Sums | undefined> => {
    if (!(await exists("", signal))) return undefined;
    const { site, from, to, endsNow } = query;
    const key = JSON.stringify({ site, from, to, dimension, maxRows: maxDays(query) });
    const found = await askDays(key, signal);
    const rows = found.filter(({ date }) => !endsNow || date !== to);
    if (rows.length === 0) return undefined;
    const runs = new Map(rows.map(({ date, run_text: run }) => [date, BigInt(run)]));
    return { rows, runs, otherDays: listDays(from, to).filter((date) => !runs.has(date)) };
  };
}

const readDay = (row: DayRow): LoadedDay => ({
  visitors: row.visitor_count,
  pageviews: row.view_count,
  scanners: row.scanner_count,
  isLoaded: row.loads > 0,
  expected: row.expected_views,
  definitions: [row.oldest_definition, row.newest_definition],
});
