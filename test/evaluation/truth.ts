import { Temporal } from "temporal-polyfill";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { readFixtures } from "../../src/reference/fixtures.ts";
import { createVisits, listVisits, type Visit } from "../../src/reference/visits.ts";
import { countRealtime, countSpan, countSpanValues } from "../support/oracle.ts";
import { listDays, resolveSpan, type Span } from "./spans.ts";

export interface Row {
  value: string | null;
  visitors: number;
  /** Page views, or how often the event happened. */
  hits: number;
}

/** The right numbers of one moment, counted from the raw visits: no code of the product's answers is in them. */
export type Truth = (domain: string) => SiteTruth;
export type SiteTruth = ReturnType<typeof createSiteTruth>;

export function createTruth(now: number): Truth {
  const fixtures = readFixtures();
  const utc = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO("UTC").toPlainDate();
  const anchor = utc.subtract({ days: utc.dayOfWeek - 1 });
  const sites = new Map(
    fixtures.sites.map((profile) => {
      const show = createVisits(profile, fixtures, "analytics", anchor.toString());
      const visits = remember((date: string) => listVisits(show, date));
      const since =
        profile.data_since === null ? null : anchor.subtract({ days: profile.data_since }).toString();
      const { id, name, domain, timezone } = profile;
      return [domain, createSiteTruth({ id, name, domain, timezone, since, visits }, now)];
    }),
  );
  return (domain) => {
    const site = sites.get(domain);
    if (!site) throw new Error(`The fixtures have no site ${domain}.`);
    return site;
  };
}

interface Site {
  id: string;
  name: string;
  domain: string;
  timezone: string;
  since: string | null;
  visits: (date: string) => Visit[];
}

function createSiteTruth(site: Site, now: number) {
  const clock = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(site.timezone);
  const today = clock.toPlainDate();
  const dates = (span: Span) => resolveSpan(span, today);
  const total = remember((span: Span) => countSpan(site, now, ...dates(span)));
  const count = remember((span: Span, dimension: Dimension): readonly Row[] =>
    countSpanValues(site, now, ...dates(span), dimension),
  );
  const row = (span: Span, dimension: Dimension, value: string | null): Row =>
    count(span, dimension).find((each) => each.value === value) ?? { value, visitors: 0, hits: 0 };
  const rank = (span: Span, dimension: Dimension): Row[] =>
    count(span, dimension).toSorted((a, b) => b.visitors - a.visitors || b.hits - a.hits);
  return {
    ...site,
    clock,
    today: today.toString(),
    dates,
    total,
    visitors: (span: Span) => total(span).visitors,
    pageviews: (span: Span) => total(span).pageviews,
    events: (span: Span) => total(span).events,
    days: (span: Span) => listDays(dates(span)).map((date) => ({ date, ...total(date) })),
    active: () => countRealtime(site, now),
    row,
    /** In percent of all visitors, 0–100 with one decimal. */
    share: (span: Span, dimension: Dimension, value: string | null) =>
      percentOf(row(span, dimension, value).visitors, total(span).visitors),
    /** Most visitors first. */
    rows: rank,
    /** The value with the most visitors. */
    top: (span: Span, dimension: Dimension): Row => first(rank(span, dimension)),
    /** By how many visitors each value moved between two spans, greatest loss first. */
    moves: (before: Span, after: Span, dimension: Dimension) => {
      const values = [...count(before, dimension), ...count(after, dimension)].map(({ value }) => value);
      return [...new Set(values)]
        .map((value) => {
          const [old, recent] = [row(before, dimension, value), row(after, dimension, value)];
          return { value, visitors: recent.visitors - old.visitors };
        })
        .sort((a, b) => a.visitors - b.visitors);
    },
  };
}

/** The first of several, of which there has to be one: an answer that is missing would equal another. */
export function first<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new Error("There is none.");
  return value;
}

export const percentOf = (part: number, whole: number) => Math.round((part / whole) * 1000) / 10;

/** Visits take long to make and to count, and several questions are about the same days. */
function remember<K extends string[], V>(compute: (...key: K) => V): (...key: K) => V {
  const known = new Map<string, V>();
  return (...key) => {
    const name = key.join("\n");
    const value = known.get(name) ?? compute(...key);
    known.set(name, value);
    return value;
  };
}
