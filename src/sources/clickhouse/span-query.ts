import { addDays } from "../../operations/days.ts";
import { dateAt, startOfDay } from "../calendar.ts";
import type { Span } from "../data-source.ts";
import type { QueryParams } from "./connection.ts";
import { type Cut, uncut, untilNow } from "./table-queries.ts";

/** What a query asks about a span. */
export interface SpanQuery {
  site: string;
  from: string;
  to: string;
  params: QueryParams;
  /** Whether the last day ends at `now`. */
  isCut: boolean;
}

export function querySpan({ site: { domain: site, timezone }, from, to, now }: Span): SpanQuery {
  const isCut = to === dateAt(now, timezone);
  const [start, end] = [from, addDays(to, 1)].map((date) => startOfDay(date, timezone) / 1000);
  const params = { site, from, to, ...(isCut && { now: Math.floor(now / 1000) }) };
  return { site, from, to, params: { ...params, start: start ?? 0, end: end ?? 0 }, isCut };
}

export const cutOf = (isCut: boolean): Cut => (isCut ? untilNow : uncut);
