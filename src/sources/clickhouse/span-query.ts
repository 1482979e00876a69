import { addDays } from "../../operations/days.ts";
import type { Filter } from "../../operations/filter.ts";
import { dateAt, startOfDay } from "../calendar.ts";
import type { SourceSite, Span } from "../data-source.ts";
import type { QueryParams } from "./answer.ts";
import { atAnyTime, type TimeFilter, untilNow } from "./table-queries.ts";

/** A span, and the parameters that queries about it take. */
export interface SpanQuery {
  site: string;
  from: string;
  to: string;
  params: QueryParams;
  filter: Filter;
  /** Whether the last day is today, which is counted up to `now`. */
  endsNow: boolean;
}

export function querySpan({ site: found, from, to, now, filter = [] }: Span): SpanQuery {
  const { domain: site, timezone } = found;
  const endsNow = to === dateAt(now, timezone);
  const [start, end] = [from, addDays(to, 1)].map((date) => startOfDay(date, timezone) / 1000);
  const params = { ...querySite(found), from, to, ...(endsNow && { now: Math.floor(now / 1000) }) };
  return { site, from, to, params: { ...params, start: start ?? 0, end: end ?? 0 }, filter, endsNow };
}

/** The parameters that select the rows of a site. */
export const querySite = ({ domain, key }: SourceSite): QueryParams => ({
  site: domain,
  ...(key !== undefined && { site_id: key }),
});

export const filterTime = (endsNow: boolean): TimeFilter => (endsNow ? untilNow : atAnyTime);
