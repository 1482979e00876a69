import type { Dimension } from "../../src/operations/dimensions.ts";
import type { Fixtures } from "../../src/sources/demo/fixture-types.ts";
import { moveDate, stamp } from "./calendar.ts";
import type { Count, RawSite } from "./count.ts";

/** What a cell holds, for programs. */
export type Cell = string | number | null;

/** A table as every surface shows it: columns by key, with their headers for people. */
export interface Table {
  name?: string;
  columns: Column[];
  rows: Cell[][];
}

export interface Column {
  key: string;
  title: string;
  kind: "text" | "count" | "change" | "percent" | "percent_change";
  /** Only for programs. */
  machine?: true;
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
function percentOf(part: number, whole: number): number {
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

export function expectStats(count: Count, now: number, days: number): Expected {
  const { visitors, pageviews, events } = count.totals(now, count.days(now, days));
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      visitors,
      pageviews,
      events,
      ...warningsOf(count, now, days),
    },
    tables: [{ columns: counted("visitors", "pageviews", "events"), rows: [[visitors, pageviews, events]] }],
  };
}

export function expectSeries(count: Count, now: number, days: number): Expected {
  const points = count.series(now, days).map(({ date, visitors, pageviews }, index) => ({
    date,
    visitors,
    pageviews,
    ...(index === days - 1 && { partial: true }),
  }));
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      interval: "day",
      points,
      ...warningsOf(count, now, days),
    },
    tables: [
      {
        columns: [
          { key: "date", title: "date", kind: "text" },
          ...counted("visitors", "pageviews"),
          { key: "partial", title: "partial", kind: "text", machine: true },
        ],
        rows: points.map(({ date, visitors, pageviews, partial }) => [
          date,
          visitors,
          pageviews,
          partial ? "true" : null,
        ]),
      },
    ],
  };
}

export function expectBreakdown(
  count: Count,
  labels: Labels,
  now: number,
  { dimension, limit, days }: { dimension: Dimension; limit: number; days: number },
): Expected {
  const all = count.rows(now, count.days(now, days), dimension);
  const { visitors, pageviews, events } = count.totals(now, count.days(now, days));
  const measure = dimension === "events" ? "events" : "pageviews";
  const rows = all.slice(0, limit).map((row) => ({
    value: row.value,
    label: labels(dimension, row.value),
    visitors: row.visitors,
    [measure]: row.hits,
    percentage: percentOf(row.visitors, visitors),
  }));
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      dimension,
      rows,
      limit,
      total_rows: all.length,
      truncated: all.length > limit,
      totals: { visitors, pageviews, ...(dimension === "events" && { events }) },
      ...warningsOf(count, now, days),
    },
    tables: [
      {
        columns: [
          { key: "value", title: "value", kind: "text", machine: true },
          { key: "label", title: dimension, kind: "text" },
          ...counted("visitors", measure),
          { key: "percentage", title: "share", kind: "percent" },
        ],
        rows: rows.map((row) => [row.value, row.label, row.visitors, Number(row[measure]), row.percentage]),
      },
    ],
  };
}

export function expectRealtime(count: Count, now: number): Expected {
  const [visitors, as_of] = [count.active(now), stamp(now, count.site.timezone)];
  return {
    json: { site: refer(count.site), visitors, window_minutes: 5, as_of },
    tables: [
      {
        columns: [...counted("visitors"), { key: "as_of", title: "as_of", kind: "text", machine: true }],
        rows: [[visitors, as_of]],
      },
    ],
  };
}

/** The complete days before today against as many before those. */
function compareWindows(count: Count, now: number, days: number) {
  const { since } = count.site;
  const sum = (dates: string[]): Window => {
    const { visitors, pageviews } = count.totals(now, dates);
    return { from: dates[0] ?? "", to: dates.at(-1) ?? "", days: dates.length, visitors, pageviews };
  };
  const current = sum(count.completeDays(now, days));
  const previous = sum(count.completeDays(now, days, days));
  const comparable = since !== null && since < previous.from;
  const cover = (dates: string[]) => dates.filter((date) => since !== null && date >= since).length;
  const [daysNow, daysBefore] = [
    cover(count.completeDays(now, days)),
    cover(count.completeDays(now, days, days)),
  ];
  const isWhole = daysNow === days && daysBefore === days;
  const isPossible = daysNow > 0 && daysBefore > 0;
  const mark = (window: Window, covered: number) =>
    covered === days ? window : { ...window, days_with_data: covered };
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
    visitors: change(current.visitors, previous.visitors),
    pageviews: change(current.pageviews, previous.pageviews),
    ...(averages.visitors && { per_day: averages }),
    small_sample: current.visitors < 100 || previous.visitors < 100,
  };
}

/** One decimal; below 1, two digits. */
function roundRate(rate: number): number {
  if (Math.abs(rate) < 1) return Number(rate.toPrecision(2));
  return (Math.sign(rate) * Math.round(Math.abs(10 * rate))) / 10;
}

interface Window {
  from: string;
  to: string;
  days: number;
  days_with_data?: number;
  visitors: number;
  pageviews: number;
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
    rows: [...tabulateSums(windows), ...tabulateAverages(windows)],
  };
}

type Windows = ReturnType<typeof compareWindows>;
const measures = [
  ["visitors", "visitors"],
  ["pageviews", "page views"],
] as const;

const tabulateSums = (windows: Windows) =>
  measures.map(([measure, name]) => [
    name,
    windows.current[measure],
    windows.previous.days_with_data === 0 ? null : windows.previous[measure],
    windows[measure].absolute,
    windows[measure].percent,
  ]);

const tabulateAverages = ({ per_day }: Windows) =>
  measures.flatMap(([measure, name]) => {
    const average = per_day?.[measure];
    return average
      ? [[`${name} a day`, average.current, average.previous, average.change, average.percent]]
      : [];
  });

function listCounts(count: Count, now: number, dates: readonly string[]) {
  const totals = dates.map((date) => count.totals(now, [date]));
  return {
    from: dates[0] ?? "",
    visitors: totals.map(({ visitors }) => visitors),
    pageviews: totals.map(({ pageviews }) => pageviews),
  };
}

/** The lists of an overview that there is room for in a terminal, and in a model's context. */
export function pickMainLists<Row>(top: readonly { dimension: string; rows: Row[] }[]) {
  return top
    .filter(({ dimension }) => ["pages", "referrers", "countries"].includes(dimension))
    .map(({ dimension, rows }) => ({ dimension, rows: rows.slice(0, 5) }));
}

/** The last complete days, with as many before them, today and now. */
export function expectOverview(count: Count, labels: Labels, now: number, days: number): Expected {
  const dates = count.completeDays(now, days);
  const { visitors, pageviews, events } = count.totals(now, dates);
  const windows = compareWindows(count, now, days);
  const { change: _, perDay: __, step: ___, current, ...comparison } = windows;
  const { days_with_data } = current;
  const [day] = count.series(now, 1);
  if (day === undefined) throw new Error("There is no today.");
  const active_now = count.active(now);
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
  const before = count.completeDays(now, days, days);
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
      active_now,
      comparison: { ...comparison, ...(days_with_data !== undefined && { days_with_data }) },
      today: { date: day.date, visitors: day.visitors, pageviews: day.pageviews },
      trend: {
        ...listCounts(count, now, dates),
        partial: false,
        ...(comparison.comparable && { previous: listCounts(count, now, before) }),
      },
      top,
      ...(isWhole ? {} : { warnings: [{ code: "before_data_since" }] }),
    },
    tables: [
      {
        ...tabulateWindows("totals", windows),
        rows: [...tabulateSums(windows), ["events", events, null, null, null], ...tabulateAverages(windows)],
      },
      {
        name: "now",
        columns: [
          { key: "today", title: "visitors today so far", kind: "count" },
          { key: "active_now", title: "active now", kind: "count" },
        ],
        rows: [[day.visitors, active_now]],
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
  const { change, perDay, step, visitors, pageviews, ...windows } = whole;
  const asked: Dimension[] = dimension ? [dimension] : ["pages", "referrers", "channels", "countries"];
  const moved = asked.map((each) => {
    const index = (dates: string[]) =>
      new Map(count.rows(now, dates, each).map(({ value, visitors }) => [value, visitors]));
    const current = index(count.completeDays(now, days));
    const previous = index(count.completeDays(now, days, days));
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
      isCutOff: [2 * days + 1, days + 1, 1].some(
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
      change: { visitors, pageviews },
    },
    windows: tabulateWindows("windows", whole),
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
    ...(per_day ? [per_day.current, per_day.previous, per_day.change, per_day.percent] : []),
  ]),
});

/** The movers that an answer shows, as a table. */
export function tabulateMovers(dimension: string, movers: Shown[]): Table {
  if (movers.some(({ per_day }) => per_day !== undefined)) return tabulateAverageMovers(dimension, movers);
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
