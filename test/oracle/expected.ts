import type { Dimension } from "../../src/operations/dimensions.ts";
import type { Fixtures } from "../../src/sources/demo/fixture-types.ts";
import { dateShown, moveDate, stamp, timeShown } from "./calendar.ts";
import { listSought } from "./conditions.ts";
import type { Count, RawSite, Totals, Visited } from "./count.ts";

/**
 * What a cell holds, for programs. A change in percentage points is a number for programs, and words for readers; times and
 * averages are numbers for programs and models, and people read them in a form of their own.
 */
export type Cell = string | number | null | { points: number } | ForPeople;
export interface ForPeople {
  raw: string | number;
  people: string;
}

/** A table as every surface shows it: columns by key, with their headers for people. */
export interface Table {
  name?: string;
  columns: Column[];
  rows: Cell[][];
}

export interface Column {
  key: string;
  title: string;
  /** The header for people, if it is another one. */
  people?: string;
  kind: "text" | "day" | "time" | "count" | "change" | "percent" | "percent_change";
  /** Only for programs. */
  machine?: true;
  /** A value that no filter takes: models do not get it. */
  isUnfiltered?: true;
  /** May be left out of a table for people. */
  detail?: true;
}

/** The right answer to a query, as JSON and as tables. */
export interface Expected {
  json: Record<string, unknown>;
  tables: Table[];
  /** Of a site that never had data: what people get instead of tables. */
  empty?: string | undefined;
}

export const dimensions = [
  "pages",
  "entry_pages",
  "exit_pages",
  "hostnames",
  "referrers",
  "channels",
  "utm_sources",
  "utm_mediums",
  "utm_campaigns",
  "utm_terms",
  "utm_contents",
  "countries",
  "regions",
  "cities",
  "languages",
  "devices",
  "browsers",
  "operating_systems",
  "events",
] as Dimension[];

/** The contract's timestamps are whole seconds. */
export const wholeSeconds = (instant: number) => Math.floor(instant / 1000) * 1000;

const utc = (instant: number) => `${new Date(instant).toISOString().slice(0, 19)}Z`;
export const refer = ({ id, domain }: RawSite) => ({ id, domain });

/** `part` of `whole` in percent with one decimal, halves rounded away from zero. Exact, since it uses integers. */
export function percentOf(part: number, whole: number): number {
  const tenths = Math.floor((2000 * Math.abs(part) + whole) / (2 * whole));
  return tenths === 0 ? 0 : (Math.sign(part) * tenths) / 10;
}

export function periodOf({ site, today }: Count, now: number, days: number) {
  const to = today(now);
  return {
    from: moveDate(to, 1 - days),
    to,
    days,
    timezone: site.timezone,
    partial: true,
    complete_through: moveDate(to, -1),
    as_of: stamp(now, site.timezone),
  };
}

/** The warning for a period that starts before the site had data. */
export function warningsOf({ site, today }: Count, now: number, days: number) {
  const isWhole = site.since !== null && site.since <= moveDate(today(now), 1 - days);
  return isWhole ? {} : { warnings: [{ code: "before_data_since" }] };
}

export const counted = (...keys: string[]): Column[] =>
  keys.map((key) => ({
    key,
    title: key.replace("_", " ").replace("pageviews", "page views"),
    kind: "count",
  }));

export function expectSites(sites: RawSite[], now: number): Expected {
  const ordered = [...sites].sort((a, b) => (a.domain < b.domain ? -1 : 1));
  const text = (key: string, title = key): Column => ({ key, title, kind: "text", detail: true });
  return {
    json: {
      as_of: utc(now),
      sites: ordered.map(({ id, domain, name, timezone, since }) => ({
        id,
        domain,
        name,
        timezone,
        data_since: since,
      })),
    },
    tables: [
      {
        columns: [
          { key: "domain", title: "domain", kind: "text" },
          text("id"),
          text("name"),
          text("timezone"),
          text("data_since", "data since"),
        ],
        rows: ordered.map(({ id, domain, name, timezone, since }) => [domain, id, name, timezone, since]),
      },
    ],
  };
}

/** The members of an answer that counts only some hits. */
export const echo = (filter: readonly string[]) => (filter.length > 0 ? { filter } : {});

/** The warnings for a period in which there may be nothing at all, because no hit has a value that was asked for. */
export function warningsOfFiltered(count: Count, now: number, days: number, filter: readonly string[]) {
  const { warnings = [] } = warningsOf(count, now, days);
  const countAll = (only: readonly string[]) => count.totals(now, count.days(now, days), only).visitors;
  const isUnknown =
    countAll(filter) === 0 && filter.flatMap(listSought).some((condition) => countAll([condition]) === 0);
  const all = [...warnings, ...(isUnknown ? [{ code: "no_such_value" }] : [])];
  return all.length > 0 ? { warnings: all } : {};
}

/** What people ask about visits; there is no rate of no visits. */
function rateVisits({ visits, bounces, visit_seconds }: Visited, pageviews: number) {
  const divide = (part: number, scale: number) =>
    visits === 0 ? null : Math.floor((2 * scale * part + visits) / (2 * visits)) / scale;
  return {
    visits,
    bounce_rate: visits === 0 ? null : percentOf(bounces, visits),
    views_per_visit: divide(pageviews, 100),
    seconds_per_visit: divide(visit_seconds, 1),
  };
}

/** How people read numbers of a unit: `3 m 13 s`, 2.60, 12.0. */
const units = {
  seconds: (value: number) => {
    const [hours, minutes, seconds] = [3600, 60, 1].map((unit) => Math.floor(Math.abs(value) / unit));
    const rest = { m: (minutes ?? 0) % 60, s: (seconds ?? 0) % 60 };
    const parts = hours
      ? [`${hours} h`, rest.m && `${rest.m} m`]
      : [rest.m && `${rest.m} m`, rest.s && `${rest.s} s`];
    return parts.filter((part) => part !== 0).join(" ") || "0 s";
  },
  hundredths: (value: number) => Math.abs(value).toFixed(2),
  tenths: (value: number) => {
    const [whole = "", digits = "0"] = String(Math.abs(value)).split(".");
    return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${digits}`;
  },
};

/** A number as programs and as people read it; `sign` marks a rise. */
function inUnit(unit: keyof typeof units, value: number | null, sign = ""): Cell {
  if (value === null) return null;
  const mark = value > 0 ? sign : value < 0 ? "-" : "";
  return { raw: value, people: mark + units[unit](value) };
}

function tabulateVisits(visited: Visited, pageviews: number): Cell[] {
  const { visits, bounce_rate, views_per_visit, seconds_per_visit } = rateVisits(visited, pageviews);
  return [visits, bounce_rate, inUnit("hundredths", views_per_visit), inUnit("seconds", seconds_per_visit)];
}

const visitColumns: Column[] = [
  { key: "visits", title: "visits", kind: "count", detail: true },
  { key: "bounce_rate", title: "bounce rate", kind: "percent", detail: true },
  { key: "views_per_visit", title: "views/visit", kind: "count", detail: true },
  { key: "seconds_per_visit", title: "seconds/visit", people: "time/visit", kind: "count", detail: true },
];

export function expectStats(
  count: Count,
  now: number,
  days: number,
  filter: readonly string[] = [],
): Expected {
  const totals = count.totals(now, count.days(now, days), filter);
  const { visitors, pageviews, events } = totals;
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      ...echo(filter),
      ...totals,
      ...warningsOfFiltered(count, now, days, filter),
    },
    tables: [
      {
        columns: [...counted("visitors", "pageviews", "events"), ...visitColumns],
        rows: [[visitors, pageviews, events, ...tabulateVisits(totals, pageviews)]],
      },
    ],
  };
}

export function expectSeries(
  count: Count,
  now: number,
  days: number,
  filter: readonly string[] = [],
): Expected {
  const points = count.series(now, days, filter).map(({ events: _, ...point }, index) => ({
    ...point,
    ...(index === days - 1 && { partial: true }),
    ...missingBefore(count, point.date),
  }));
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      ...echo(filter),
      interval: "day",
      points,
      ...warningsOfFiltered(count, now, days, filter),
    },
    tables: [
      {
        columns: [
          { key: "date", title: "date", kind: days > MAX_NAMED_DAYS ? "text" : "day" },
          ...counted("visitors", "pageviews"),
          { key: "partial", title: "partial", kind: "text", machine: true },
          ...visitColumns,
        ],
        rows: points.map(({ date, visitors, pageviews, partial, missing, ...visited }) => [
          date,
          ...(missing ? [null, null] : [visitors, pageviews]),
          partial ? "true" : null,
          ...(missing ? visitColumns.map(() => null) : tabulateVisits(visited, pageviews)),
        ]),
      },
    ],
  };
}

/** In longer series, days have no weekday. */
const MAX_NAMED_DAYS = 92;

/** Marks a day, or an hour of it, before the site had data. */
const missingBefore = ({ site: { since } }: Count, date: string) =>
  since === null || date < since ? { missing: true } : {};

interface Point {
  date?: string;
  time?: string;
  visitors: number;
  partial?: boolean;
  missing?: boolean;
}

/** A series as the tool and the command have it: with the weekday of each day, and the points with most and fewest visitors. */
export function nameSeries({ json, ...rest }: Expected): Expected {
  const points = json.points as Point[];
  const name = ({ date = "" }: Point) => ({
    weekday: new Date(`${date}T12:00:00Z`).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }),
  });
  const whole = points.filter(({ partial, missing }) => !partial && !missing);
  const ordered = whole.toSorted((a, b) => a.visitors - b.visitors);
  const [lowest, last] = [ordered[0], ordered.at(-1)];
  const highest = whole.find(({ visitors }) => visitors === last?.visitors);
  const show = (point: Point) => ({
    ...(point.date === undefined ? { time: point.time } : { date: point.date, ...name(point) }),
    visitors: point.visitors,
  });
  const isNamed = points[0]?.date !== undefined && points.length <= MAX_NAMED_DAYS;
  return {
    ...rest,
    json: {
      ...json,
      points: points.map((point) => (isNamed ? { ...point, ...name(point) } : point)),
      ...(highest && lowest && highest.visitors > lowest.visitors
        ? { highest: show(highest), lowest: show(lowest) }
        : {}),
    },
  };
}

/** The hours of some days, up to the one that is going on. */
export function expectHours(count: Count, now: number, days: number, filter: readonly string[] = []) {
  const hours = count.hours(now, count.days(now, days), filter);
  return {
    site: refer(count.site),
    period: periodOf(count, now, days),
    ...echo(filter),
    interval: "hour",
    points: hours.map(({ start, ...point }, index) => ({
      time: stamp(start, count.site.timezone),
      ...point,
      ...(index === hours.length - 1 && { partial: true }),
      ...missingBefore(count, dateShown(start, count.site.timezone)),
    })),
    ...warningsOfFiltered(count, now, days, filter),
  };
}

/** The time of day that the clocks show when an hour begins, without the seconds that some zones' offsets had. */
const clockOf = (start: number, timezone: string) => timeShown(start, timezone).slice(0, 5);

/** The page views of today's finished hours, and those of yesterday until then. */
function compareHours(count: Count, now: number) {
  const { timezone, since } = count.site;
  const [yesterday = "", today = ""] = count.days(now, 2);
  const hours = count.hours(now, [today]);
  const last = hours.pop();
  if (last === undefined || hours.length === 0 || since === null || since > yesterday) return undefined;
  const until = clockOf(last.start, timezone);
  const before = count.hours(now, [yesterday]).filter(({ start }) => clockOf(start, timezone) < until);
  const sum = (all: { pageviews: number }[]) => all.reduce((total, { pageviews }) => total + pageviews, 0);
  return { until, pageviews_until_then: sum(hours), yesterday_until_then: sum(before) };
}

/** The hours of a single day, to be drawn. */
function drawHours(count: Count, now: number, dates: readonly string[]) {
  const hours = dates.length === 1 ? count.hours(now, dates) : [];
  return hours.length === 0
    ? {}
    : {
        hours: {
          times: hours.map(({ start }) => stamp(start, count.site.timezone)),
          visitors: hours.map(({ visitors }) => visitors),
          pageviews: hours.map(({ pageviews }) => pageviews),
          visits: hours.map(({ visits }) => visits),
        },
      };
}

export function expectBreakdown(
  count: Count,
  labels: Labels,
  now: number,
  { dimension, limit, days }: { dimension: Dimension; limit: number; days: number },
  filter: readonly string[] = [],
): Expected {
  const all = count.rows(now, count.days(now, days), dimension, filter);
  const { events, ...totals } = count.totals(now, count.days(now, days), filter);
  const measure = dimension === "events" ? "events" : "pageviews";
  const shown = all.slice(0, limit);
  const rows = shown.map(({ value, visitors, hits, ...visited }) => ({
    value,
    label: labels(dimension, value),
    visitors,
    [measure]: hits,
    percentage: percentOf(visitors, totals.visitors),
    ...visited,
  }));
  const hasVisits = shown.some(({ visits }) => visits !== undefined);
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      ...echo(filter),
      dimension,
      rows,
      limit,
      total_rows: all.length,
      truncated: all.length > limit,
      totals: { ...totals, ...(dimension === "events" && { events }) },
      ...warningsOfFiltered(count, now, days, filter),
    },
    tables: [
      {
        columns: [
          { key: "value", title: "value", kind: "text", machine: true },
          { key: "label", title: dimension, kind: "text" },
          ...counted("visitors", measure),
          { key: "percentage", title: "share", kind: "percent" },
          ...(hasVisits ? visitColumns : []),
        ],
        rows: shown.map(({ value, visitors, hits, visits, bounces = 0, visit_seconds = 0 }) => [
          value,
          labels(dimension, value),
          visitors,
          hits,
          percentOf(visitors, totals.visitors),
          ...(visits === undefined ? [] : tabulateVisits({ visits, bounces, visit_seconds }, hits)),
        ]),
      },
    ],
  };
}

/** An answer as tools and tables have it unless they are asked for the visits of each row. */
export function omitVisits({ json, tables, ...rest }: Expected, list: string): Expected {
  const rows = json[list] as Partial<Visited>[];
  return {
    ...rest,
    json: {
      ...json,
      [list]: rows.map(({ visits: _, bounces: __, visit_seconds: ___, ...row }) => row),
    },
    tables: tables.map(({ columns, ...table }) => {
      const kept = columns.filter((column) => !visitColumns.includes(column));
      return { ...table, columns: kept, rows: table.rows.map((row) => row.slice(0, kept.length)) };
    }),
  };
}

export function expectRealtime(count: Count, now: number, filter: readonly string[] = []): Expected {
  const [visitors, as_of] = [count.active(now, filter), stamp(now, count.site.timezone)];
  return {
    json: { site: refer(count.site), ...echo(filter), visitors, window_minutes: 5, as_of },
    tables: [
      {
        columns: [...counted("visitors"), { key: "as_of", title: "as_of", kind: "text", machine: true }],
        rows: [[visitors, as_of]],
      },
    ],
  };
}

/** The complete days before today against as many before those. */
/** How many days earlier the days before begin: those of a part of a week, a week earlier. */
const backOf = (days: number) => (days > 1 && days < 7 ? 7 : days);

function compareWindows(count: Count, now: number, days: number) {
  const { since } = count.site;
  const describe = (dates: string[], { visitors, pageviews, ...visited }: Totals) => ({
    ...{ from: dates[0] ?? "", to: dates.at(-1) ?? "", days: dates.length, visitors, pageviews },
    ...rateVisits(visited, pageviews),
  });
  const [dates, datesBefore] = [count.completeDays(now, days), count.completeDays(now, days, backOf(days))];
  const [totals, totalsBefore] = [count.totals(now, dates), count.totals(now, datesBefore)];
  const [current, previous] = [describe(dates, totals), describe(datesBefore, totalsBefore)];
  const comparable = since !== null && since < previous.from;
  const cover = (dates: string[]) => dates.filter((date) => since !== null && date >= since).length;
  const [daysNow, daysBefore] = [
    cover(count.completeDays(now, days)),
    cover(count.completeDays(now, days, backOf(days))),
  ];
  const isWhole = daysNow === days && daysBefore === days;
  const isPossible = daysNow > 0 && daysBefore > 0;
  const mark = (window: ReturnType<typeof describe>, covered: number): Window => ({
    ...window,
    ...(covered < days && { days_with_data: covered }),
    ...(covered === 0 && { visitors: null, pageviews: null, visits: null }),
  });
  const change = (after: number, before: number) => ({
    absolute: isWhole ? after - before : null,
    percent: comparable && before > 0 ? percentOf(after - before, before) : null,
  });
  /** Without all data, a percentage of averages would be wrong: data begins in one of these windows. */
  const perDay = (after: number, before: number) =>
    isWhole || !isPossible
      ? undefined
      : {
          current: roundRate(after / daysNow),
          previous: roundRate(before / daysBefore),
          change: roundRate((after * daysBefore - before * daysNow) / (daysNow * daysBefore)),
          percent: null,
        };
  const averages = {
    visitors: perDay(current.visitors, previous.visitors),
    pageviews: perDay(current.pageviews, previous.pageviews),
    visits: perDay(current.visits, previous.visits),
  };
  /** The difference of two rates as they are shown: numbers with at most two decimals. */
  const differ = (name: "bounce_rate" | "views_per_visit" | "seconds_per_visit") => {
    const [after, before] = [current[name], previous[name]];
    if (!isPossible || after === null || before === null) return null;
    return (Math.round(100 * after) - Math.round(100 * before)) / 100;
  };
  /** The percentage is that of the rates as they are shown, too. */
  const changeRate = (
    name: "views_per_visit" | "seconds_per_visit",
  ): { absolute: number | null; percent: number | null } => {
    const absolute = differ(name);
    const before = previous[name] ?? 0;
    if (absolute === null || !comparable || before === 0) return { absolute, percent: null };
    return { absolute, percent: percentOf(absolute, before) };
  };
  return {
    current: mark(current, daysNow),
    previous: mark(previous, daysBefore),
    comparable,
    change,
    perDay,
    /** What values are ranked by. */
    step: (after: number, before: number) =>
      isWhole
        ? after - before
        : isPossible
          ? (after * daysBefore - before * daysNow) / (daysNow * daysBefore)
          : 0,
    ...(!comparable && { data_since: since }),
    changes: {
      visitors: change(current.visitors, previous.visitors),
      pageviews: change(current.pageviews, previous.pageviews),
      visits: change(current.visits, previous.visits),
      bounce_rate: { points: differ("bounce_rate") },
      views_per_visit: changeRate("views_per_visit"),
      seconds_per_visit: changeRate("seconds_per_visit"),
    },
    ...(averages.visitors && { per_day: averages }),
    small_sample: isPossible && current.visitors < 100 && previous.visitors < 100,
  };
}

/** One decimal; below 1, two digits. */
function roundRate(rate: number): number {
  if (Math.abs(rate) < 1) return Number(rate.toPrecision(2));
  return (Math.sign(rate) * Math.round(Math.abs(10 * rate))) / 10;
}

interface Window extends Omit<ReturnType<typeof rateVisits>, "visits"> {
  from: string;
  to: string;
  days: number;
  days_with_data?: number;
  /** Null if none of the days has data. */
  visitors: number | null;
  pageviews: number | null;
  visits: number | null;
}

const changeColumns: Column[] = [
  ...counted("current", "previous"),
  { key: "change", title: "change", kind: "change" },
  { key: "percent", title: "percent", kind: "percent_change" },
];

/** The columns that name a row. */
const named = (title: string): Column[] => [
  { key: "value", title: "value", kind: "text", machine: true },
  { key: "label", title, kind: "text" },
];

function tabulateWindows(name: string, windows: ReturnType<typeof compareWindows>): Table {
  return {
    name,
    columns: [{ key: "label", title: "measure", kind: "text" }, ...changeColumns],
    rows: [...tabulateSums(windows), ...tabulateRates(windows), ...tabulateAverages(windows)],
  };
}

/** Programs alone get columns without a value. */
const leaveEmpty = ({ columns, rows, ...table }: Table): Table => ({
  ...table,
  columns: columns.map((column, index) =>
    rows.every((row) => row[index] === null) ? { ...column, machine: true } : column,
  ),
  rows,
});

type Windows = ReturnType<typeof compareWindows>;
const measures = [
  ["visitors", "visitors"],
  ["pageviews", "page views"],
  ["visits", "visits"],
] as const;

const tabulateSums = (windows: Windows) =>
  measures.map(([measure, name]) => [
    name,
    windows.current[measure],
    windows.previous[measure],
    windows.changes[measure].absolute,
    windows.changes[measure].percent,
  ]);

function tabulateRates({ current, previous, changes }: Windows): Cell[][] {
  const fill = (name: "bounce_rate" | "views_per_visit" | "seconds_per_visit", unit: keyof typeof units) => [
    inUnit(unit, current[name]),
    inUnit(unit, previous[name]),
  ];
  const { views_per_visit: views, seconds_per_visit: seconds } = changes;
  return [
    ["bounce rate %", ...fill("bounce_rate", "tenths"), showPoints(changes.bounce_rate.points), null],
    [
      "views/visit",
      ...fill("views_per_visit", "hundredths"),
      inUnit("hundredths", views.absolute, "+"),
      views.percent,
    ],
    [
      { raw: "seconds/visit", people: "time/visit" },
      ...fill("seconds_per_visit", "seconds"),
      inUnit("seconds", seconds.absolute, "+"),
      seconds.percent,
    ],
  ];
}

const showPoints = (points: number | null): Cell => (points === null ? null : { points });

const tabulateAverage = ({
  current,
  previous,
  change,
}: Record<"current" | "previous" | "change", number>) => [
  inUnit("tenths", current),
  inUnit("tenths", previous),
  inUnit("tenths", change, "+"),
];

const tabulateAverages = ({ per_day }: Windows) =>
  measures.flatMap(([measure, name]) => {
    const average = per_day?.[measure];
    return average ? [[`${name} a day`, ...tabulateAverage(average), average.percent]] : [];
  });

/** From the first day with data on: what is before it is no gap. */
function listCounts(count: Count, now: number, all: readonly string[]) {
  const { since } = count.site;
  const known = all.filter((date) => since !== null && date >= since);
  const dates = known.length === 0 ? all : known;
  const totals = dates.map((date) =>
    since !== null && date >= since ? count.totals(now, [date]) : undefined,
  );
  const list = (name: "visitors" | "pageviews" | "visits") => totals.map((day) => day?.[name] ?? null);
  return {
    from: dates[0] ?? "",
    visitors: list("visitors"),
    pageviews: list("pageviews"),
    visits: list("visits"),
  };
}

const hourColumns = (until: string): Column[] => [
  { key: "until", title: "page views until", kind: "text", machine: true },
  { key: "pageviews_until_then", title: `page views today by ${until}`, kind: "count" },
  { key: "yesterday_until_then", title: `yesterday by ${until}`, kind: "count" },
];

/** The lists of an overview that there is room for in a terminal, and in a model's context. */
export function pickMainLists<Row>(top: readonly { dimension: string; rows: Row[] }[]) {
  return top
    .filter(({ dimension }) => ["pages", "referrers", "countries"].includes(dimension))
    .map(({ dimension, rows }) => ({ dimension, rows: rows.slice(0, 5) }));
}

/** The last complete days, with as many before them, today and now. */
export function expectOverview(count: Count, labels: Labels, now: number, days: number): Expected {
  const dates = count.completeDays(now, days);
  const { visitors, pageviews, events, ...visited } = count.totals(now, dates);
  const windows = compareWindows(count, now, days);
  const { change: _, perDay: __, step: ___, current, changes, ...comparison } = windows;
  const { days_with_data } = current;
  const [day] = count.series(now, 1);
  if (day === undefined) throw new Error("There is no today.");
  const active_now = count.active(now);
  const hours = compareHours(count, now);
  const top = (["pages", "referrers", "channels", "countries", "devices"] as const).map((dimension) => ({
    dimension,
    rows: count
      .rows(now, dates, dimension)
      .slice(0, 10)
      .map((row) => ({
        value: row.value,
        label: labels(dimension, row.value),
        visitors: row.visitors,
        percentage: percentOf(row.visitors, visitors),
      })),
  }));
  const before = count.completeDays(now, days, backOf(days));
  const { since } = count.site;
  const isWhole = since !== null && since <= current.from;
  return {
    json: {
      site: refer(count.site),
      period: {
        ...periodOf(count, now, days),
        from: current.from,
        to: current.to,
        complete_through: current.to,
        partial: false,
      },
      visitors,
      pageviews,
      events,
      ...rateVisits(visited, pageviews),
      active_now,
      comparison: { ...comparison, ...changes, ...(days_with_data !== undefined && { days_with_data }) },
      today: { date: day.date, visitors: day.visitors, pageviews: day.pageviews, ...(hours && { hours }) },
      trend: {
        ...listCounts(count, now, dates),
        partial: false,
        ...drawHours(count, now, dates),
        ...(comparison.comparable && { previous: listCounts(count, now, before) }),
      },
      top,
      ...(isWhole ? {} : { warnings: [{ code: "before_data_since" }] }),
    },
    tables: [
      leaveEmpty({
        ...tabulateWindows("totals", windows),
        rows: [
          ...tabulateSums(windows),
          ["events", events, null, null, null],
          ...tabulateRates(windows),
          ...tabulateAverages(windows),
        ],
      }),
      {
        name: "now",
        columns: [
          { key: "today", title: "visitors today", kind: "count" },
          { key: "active_now", title: "active now", kind: "count" },
          ...(hours ? hourColumns(hours.until) : []),
        ],
        rows: [
          [
            day.visitors,
            active_now,
            ...(hours ? [hours.until, hours.pageviews_until_then, hours.yesterday_until_then] : []),
          ],
        ],
      },
      ...pickMainLists(top).map(({ dimension, rows }) => ({
        name: dimension,
        columns: [
          ...named(`top ${dimension}`),
          ...counted("visitors"),
          { key: "percentage", title: "share", kind: "percent" as const, detail: true as const },
        ],
        rows: rows.map((row) => [row.value, row.label, row.visitors, row.percentage]),
      })),
    ],
  };
}

export interface Mover {
  value: string | null;
  label: string;
  current: number;
  previous: number;
  change: { absolute: number | null; percent: number | null };
  per_day?: ReturnType<Windows["perDay"]>;
  /** The change that it is ranked by. */
  step: number;
}

/** A comparison without its movers, and every value that moved, the largest movers first. */
export function expectComparison(
  count: Count,
  labels: Labels,
  now: number,
  { days, dimension }: { days: number; dimension?: Dimension | undefined },
) {
  const whole = compareWindows(count, now, days);
  const { change, perDay, step, changes, ...windows } = whole;
  const asked: Dimension[] = dimension ? [dimension] : ["pages", "referrers", "channels", "countries"];
  const moved = asked.map((each) => {
    const index = (dates: string[]) =>
      new Map(count.rows(now, dates, each).map(({ value, visitors }) => [value, visitors]));
    const current = index(count.completeDays(now, days));
    const previous = index(count.completeDays(now, days, backOf(days)));
    const movers = [...new Set([...current.keys(), ...previous.keys()])].map((value): Mover => {
      const [after, before] = [current.get(value) ?? 0, previous.get(value) ?? 0];
      return {
        value,
        label: labels(each, value),
        current: after,
        previous: before,
        change: change(after, before),
        per_day: perDay(after, before),
        step: Math.abs(step(after, before)),
      };
    });
    return {
      dimension: each,
      isCutOff: [backOf(days) + days + 1, backOf(days) + 1, days + 1, 1].some(
        (length) => count.rows(now, count.days(now, length), each).length > 1000,
      ),
      all: movers.sort((a, b) => b.step - a.step),
    };
  });
  return {
    json: {
      site: refer(count.site),
      timezone: count.site.timezone,
      as_of: stamp(now, count.site.timezone),
      ...windows,
      change: changes,
    },
    windows: tabulateWindows("totals", whole),
    moved,
    shown: dimension ? 10 : 4,
  };
}

interface Shown {
  value: string | null;
  label: string;
  current: Cell;
  previous: Cell;
  change: Record<"absolute" | "percent", Cell>;
  per_day?: Record<"current" | "previous" | "change" | "percent", Cell> | undefined;
}

/** Compared by averages per day, which people see alone; programs get the counts too. */
const tabulateAverageMovers = (dimension: string, movers: Shown[]): Table => ({
  name: dimension,
  columns: [
    ...named(dimension),
    ...changeColumns.slice(0, 3).map((column) => ({ ...column, machine: true as const })),
    { key: "current_per_day", title: "current a day", kind: "count" },
    { key: "previous_per_day", title: "previous a day", kind: "count" },
    { key: "change_per_day", title: "change a day", kind: "change" },
    { key: "change_per_day_percent", title: "percent", kind: "percent_change" },
  ],
  rows: movers.map(({ value, label, current, previous, change, per_day }) => [
    ...[value, label, current, previous, change.absolute],
    ...(per_day ? [...tabulateAverage(per_day as never), per_day.percent] : []),
  ]),
});

/** The movers that an answer shows, as a table. */
export function tabulateMovers(dimension: string, movers: Shown[], isPerDay: boolean): Table {
  if (isPerDay) return tabulateAverageMovers(dimension, movers);
  return {
    name: dimension,
    columns: [...named(dimension), ...changeColumns],
    rows: movers.map(({ value, label, current, previous, change }) => [
      value,
      label,
      current,
      previous,
      change.absolute,
      change.percent,
    ]),
  };
}

/** The name of a value for people. */
export type Labels = (dimension: Dimension, value: string | null) => string;

export function createLabels({ sources, places }: Fixtures): Labels {
  const unknown = ["countries", "regions", "cities", "languages"];
  const regions = new Intl.DisplayNames("en", { type: "region" });
  const languages = new Intl.DisplayNames("en", { type: "language" });
  const nameOf = (dimension: Dimension, value: string): string | undefined => {
    if (dimension === "countries") return regions.of(value);
    if (dimension === "languages") return languages.of(value);
    if (dimension === "referrers")
      return Object.values(sources).find((each) => each.referrer === value)?.label;
    if (dimension === "regions")
      return Object.values(places).find((each) => each.region === value)?.region_label;
    if (dimension === "cities") return Object.values(places).find((each) => each.city === value)?.city_label;
    return undefined;
  };
  return (dimension, value) => {
    if (value === null && dimension === "referrers") return "(direct or none)";
    if (value === null) return unknown.includes(dimension) ? "(unknown)" : "(none)";
    return nameOf(dimension, value) ?? value;
  };
}
