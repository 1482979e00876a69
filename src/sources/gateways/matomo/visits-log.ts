import * as z from "zod";
import { AnalyticsError } from "../../../errors.ts";
import { dateAt } from "../../calendar.ts";
import type { Span } from "../../data-source.ts";
import { type AskMatomo, describeSpan } from "./matomo-api.ts";
import { encode } from "./segments.ts";

/*
 * Matomo's log of visits, by which its reports are checked: a report that Matomo has not counted is empty, without a word.
 */

const visitList = z.array(z.object({ serverTimestamp: z.coerce.number() }));

interface Asked {
  span: Pick<Span, "site" | "from" | "to" | "now">;
  segment: string | undefined;
  /** So many visits are left out. */
  offset?: number;
}

/** The first visit that began in the span, after some; undefined if there is none. Throws what `ask` throws. */
async function findVisit(
  ask: AskMatomo,
  { span, segment, offset = 0 }: Asked,
  signal: AbortSignal | undefined,
): Promise<{ serverTimestamp: number } | undefined> {
  const { params, freshFor } = describeSpan(span, "range");
  const form = {
    ...params,
    ...(segment !== undefined && { segment }),
    filter_limit: "1",
    filter_offset: `${offset}`,
    filter_sort_order: "asc",
    doNotFetchActions: "1",
    showColumns: "serverTimestamp",
  };
  return (await ask("Live.getLastVisitsDetails", form, { schema: visitList, freshFor }, signal))[0];
}

/** What Matomo's log says of days for which its reports have no visits. */
export interface Uncounted {
  /** Days that had visits. */
  dates: string[];
  /** Set if the log cannot be read: a Matomo may keep it from everybody. */
  isUnknown?: true;
}

/** The days that are looked at one by one, of those without visits. */
const MAX_DAYS = 7;
/** Reports of today are made anew every few minutes, or by a program that mostly runs each hour. */
const STALE_SECONDS = 3_600;

/** Finds days without visits in Matomo's reports, but with visits in its log. One request if there are none, none if all days have visits. */
export async function findUncounted(
  ask: AskMatomo,
  span: Span,
  segment: string | undefined,
  days: readonly { date: string; visits: number }[],
  signal: AbortSignal | undefined,
): Promise<Uncounted> {
  const { site, now } = span;
  const today = dateAt(now, site.timezone);
  const { dataSince } = site;
  const known = days.filter(({ date }) => dataSince && date >= dataSince && date <= today);
  const empty = known.flatMap(({ date, visits }) => (visits === 0 ? date : []));
  const past = empty.filter((date) => date < today);
  const find = (from: string, to: string, offset = 0) =>
    findVisit(ask, { span: { site, from, to, now }, segment, offset }, signal);
  try {
    const dates: string[] = [];
    const [first, last] = [past[0], past.at(-1)];
    if (first !== undefined && last !== undefined) {
      const between = known.filter(({ date }) => date >= first && date <= last);
      const counted = between.reduce((sum, { visits }) => sum + visits, 0);
      // The log has more visits than the reports: of which days is a question for each.
      if ((await find(first, last, counted)) !== undefined)
        for (const date of past.slice(-MAX_DAYS))
          if ((await find(date, date)) !== undefined) dates.push(date);
    }
    if (empty.at(-1) === today) {
      const visit = await find(today, today);
      if (visit !== undefined && visit.serverTimestamp < now / 1_000 - STALE_SECONDS) dates.push(today);
    }
    return { dates };
  } catch (error) {
    if (isClosed(error)) return { dates: [], isUnknown: true };
    throw error;
  }
}

const MAX_HOSTS = 20;

/**
 * Whether pages of these days were viewed on another host of the site than its first one. Of hosts that Matomo does not have for
 * the site, those below the first one are found. Undefined if the log cannot be read.
 */
export async function hasOtherHosts(
  ask: AskMatomo,
  span: Span,
  hosts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  // Matomo itself leaves out `www.`.
  const [first, ...others] = new Set(hosts.map((host) => host.replace(/^www\./, "")));
  if (first === undefined) return undefined;
  const terms = [
    `pageUrl=@${encode(`.${first}/`)}`,
    ...others.slice(0, MAX_HOSTS).map((host) => `pageUrl=^${encode(`https://${host}/`)}`),
  ];
  try {
    return (await findVisit(ask, { span, segment: terms.join(",") }, signal)) !== undefined;
  } catch (error) {
    if (isClosed(error)) return others.length > 0 ? true : undefined;
    throw error;
  }
}

const isClosed = (error: unknown) => error instanceof AnalyticsError && error.code === "bad_answer";
