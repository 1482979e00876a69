import { dayOf, hourShown, moveDate, stamp, startOf } from "../../../oracle/calendar.ts";
import type { StoredEvent } from "./plausible-events.ts";

/*
 * Plausible's Stats API v2 by its documentation of 2026-07-24 (https://plausible.io/docs/stats-api) and by the checks that
 * its public source makes of a query: it answers from stored events, without the product's code.
 */

export interface PlausibleSite {
  domain: string;
  timezone: string;
  events: readonly StoredEvent[];
  /** By display name: the name of an event, or the path of a page view. */
  goals: Readonly<Record<string, { event: string } | { page: string } | { scroll: string }>>;
}

interface Query {
  site_id: string;
  metrics: string[];
  date_range: string | [string, string];
  dimensions?: string[];
  filters?: unknown[];
  order_by?: [string, "asc" | "desc"][];
  include?: { total_rows?: boolean };
  pagination?: { limit: number; offset: number };
}

/** What Plausible refuses, with the words that it has for it. */
export class Refused extends Error {}

const EVENT_METRICS = ["pageviews", "events"];
const SESSION_DIMENSIONS = ["visit:entry_page", "visit:exit_page"];
const SHOWN_EMPTY: Record<string, string> = {
  "visit:referrer": "Direct / None",
  "visit:channel": "Direct",
};
const NOT_SET = [
  "utm_medium",
  "utm_source",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "device",
  "browser",
  "os",
];
for (const name of NOT_SET) SHOWN_EMPTY[`visit:${name}`] = "(not set)";

export function answerQuery(site: PlausibleSite, query: Query, now: number) {
  const { metrics, dimensions = [], filters = [] } = query;
  assertValid(site, query);
  const [from, to] = readRange(site, query.date_range, now);
  const inRange = listInRange(site, from, to);
  const tests = filters.map((filter) => readFilter(site, filter, inRange));
  const kept = tests.length === 0 ? inRange : inRange.filter((event) => tests.every((test) => test(event)));
  const isOfSessions = dimensions.some((name) => SESSION_DIMENSIONS.includes(name));
  const counted = isOfSessions ? lastOfSessions(inRange, new Set(kept.map(({ session }) => session))) : kept;
  const groups = groupEvents(site, dimensions, counted);
  const rows = [...groups].map(([key, group]) => ({
    key,
    dimensions: group.dimensions,
    metrics: metrics.map((metric) => count(site, metric, group)),
  }));
  const order = query.order_by ?? [
    ...dimensions.filter((name) => name.startsWith("time")).map((name): [string, "asc"] => [name, "asc"]),
    [metrics[0] ?? "", "desc"] as [string, "desc"],
  ];
  rows.sort((a, b) => {
    for (const [name, direction] of order) {
      const read = (row: typeof a) =>
        dimensions.includes(name)
          ? row.dimensions[dimensions.indexOf(name)]
          : row.metrics[metrics.indexOf(name)];
      const [first, second] = [read(a) ?? 0, read(b) ?? 0] as [string | number, string | number];
      if (first !== second) return first < second === (direction === "asc") ? -1 : 1;
    }
    return 0;
  });
  const { limit, offset } = query.pagination ?? { limit: 10_000, offset: 0 };
  return {
    results: rows.slice(offset, offset + limit).map(({ metrics, dimensions }) => ({ metrics, dimensions })),
    meta: query.include?.total_rows ? { total_rows: rows.length } : {},
    query: {
      site_id: site.domain,
      metrics,
      date_range: [stamp(from, site.timezone), stamp(to, site.timezone)],
      filters,
      dimensions,
      order_by: order,
      include: query.include ?? {},
      pagination: { limit, offset },
    },
  };
}

const ranges = new WeakMap<readonly StoredEvent[], Map<string, readonly StoredEvent[]>>();

function listInRange({ events }: PlausibleSite, from: number, to: number): readonly StoredEvent[] {
  const known = ranges.get(events) ?? new Map<string, readonly StoredEvent[]>();
  ranges.set(events, known);
  const inRange = known.get(`${from} ${to}`) ?? events.filter(({ at }) => at >= from && at <= to);
  known.set(`${from} ${to}`, inRange);
  return inRange;
}

function readRange(site: PlausibleSite, range: Query["date_range"], now: number): [number, number] {
  const { timezone, events } = site;
  const today = dayOf(now, timezone);
  if (range === "all")
    return [startOf(events[0]?.day ?? today, timezone), startOf(moveDate(today, 1), timezone) - 1_000];
  if (typeof range === "string") throw new Refused("#/date_range: Invalid date range.");
  const [from, to] = range;
  if (/^\d{4}-\d\d-\d\d$/.test(from))
    return [startOf(from, timezone), startOf(moveDate(to, 1), timezone) - 1_000];
  if (!/T.*[+-]\d\d:\d\d$/.test(from)) throw new Refused("#/date_range: Invalid date range.");
  return [Date.parse(from), Date.parse(to)];
}

function assertValid(site: PlausibleSite, { metrics, dimensions = [], filters = [], order_by = [] }: Query) {
  const known = ["visitors", "visits", "pageviews", "events"];
  if (metrics.length === 0 || metrics.some((metric) => !known.includes(metric)))
    throw new Refused(`#/metrics: Invalid metric ${metrics}.`);
  const [events, sessions] = [
    metrics.filter((metric) => EVENT_METRICS.includes(metric)),
    dimensions.filter((name) => SESSION_DIMENSIONS.includes(name)),
  ];
  if (events.length > 0 && sessions.length > 0)
    throw new Refused(
      `Event metric(s) \`${events.join(", ")}\` cannot be queried along with session dimension(s) \`${sessions.join(", ")}\``,
    );
  for (const [name] of order_by)
    if (![...metrics, ...dimensions].includes(name)) throw new Refused("Invalid order_by entry.");
  for (const filter of filters) assertFilter(site, filter, 0, false);
}

function assertFilter(site: PlausibleSite, filter: unknown, depth: number, isBehavioral: boolean): void {
  if (!Array.isArray(filter)) throw new Refused("#/filters: Invalid filter.");
  const [operator, second] = filter as [string, unknown];
  const isDone = operator.startsWith("has_");
  if (isDone && isBehavioral) throw new Refused("Behavioral filters cannot be nested.");
  if (isDone || ["and", "or", "not"].includes(operator)) {
    const inner = operator === "and" || operator === "or" ? (second as unknown[]) : [second];
    for (const each of inner) assertFilter(site, each, depth + 1, isBehavioral || isDone);
    return;
  }
  const name = String(second);
  if (isBehavioral && !name.startsWith("event:"))
    throw new Refused("Behavioral filters can only be used with event dimension filters.");
  if (!isBehavioral && depth > 0 && ["event:goal", "event:hostname"].includes(name))
    throw new Refused(`Invalid filters. Dimension \`${name}\` can only be filtered at the top level.`);
  assertClauses(site, filter);
}

const OPERATORS = ["is", "is_not", "contains", "contains_not", "matches", "matches_not"];

function assertClauses(site: PlausibleSite, filter: unknown[]): void {
  const [operator, name, clauses] = filter as [string, string, (string | number)[]];
  const isList = name === "visit:city" ? Number.isInteger : (text: unknown) => typeof text === "string";
  if (
    !OPERATORS.includes(operator) ||
    !Array.isArray(clauses) ||
    clauses.length === 0 ||
    !clauses.every(isList)
  )
    throw new Refused(`Invalid filter '${JSON.stringify(filter)}'.`);
  if (
    name === "visit:country" &&
    operator.startsWith("is") &&
    clauses.some((text) => String(text).length !== 2)
  )
    throw new Refused(
      "Invalid visit:country filter, visit:country needs to be a valid 2-letter country code.",
    );
  if (name !== "event:goal") return;
  if (!["is", "contains"].includes(operator)) throw new Refused("Operator is not allowed with event:goal.");
  for (const goal of clauses)
    if (operator === "is" && !(goal in site.goals))
      throw new Refused(`Invalid filters. The goal \`${goal}\` is not configured for this site.`);
}

/** Whether an event meets a filter. It is read once, since some thousand events are asked. */
function readFilter(site: PlausibleSite, filter: unknown, all: readonly StoredEvent[]): Test {
  const [operator, second, values = []] = filter as [string, unknown, (string | number)[]];
  const readEach = () => (second as unknown[]).map((each) => readFilter(site, each, all));
  if (operator === "and") {
    const tests = readEach();
    return (event) => tests.every((test) => test(event));
  }
  if (operator === "or") {
    const tests = readEach();
    return (event) => tests.some((test) => test(event));
  }
  if (operator === "not") return negate(readFilter(site, second, all));
  if (operator.startsWith("has_")) {
    const sessions = listSessions(site, second, all);
    return (event) => sessions.has(event.session) === (operator === "has_done");
  }
  if (operator.endsWith("_not"))
    return negate(readFilter(site, [operator.slice(0, -4), second, values], all));
  const name = String(second);
  const asks = readClauses(operator, name, values);
  if (name === "event:goal") {
    const goals = Object.keys(site.goals).filter(asks);
    return (event) => goals.some((goal) => isDone(site, goal, event));
  }
  return (event) => {
    const value = event.values[name];
    if (value === undefined) throw new Refused(`Invalid filter on ${name}.`);
    return asks(value);
  };
}

type Test = (event: StoredEvent) => boolean;

const negate =
  (test: Test): Test =>
  (event) =>
    !test(event);

function readClauses(operator: string, name: string, values: readonly (string | number)[]) {
  if (operator === "is") {
    const texts = values.map((text) => (isShownEmpty(name, text) ? "" : text));
    return (value: string | number) => texts.includes(value);
  }
  if (operator === "contains")
    return (value: string | number) => values.some((text) => String(value).includes(`${text}`));
  const patterns = values.map((text) => new RegExp(`${text}`, "su"));
  return (value: string | number) => patterns.some((pattern) => pattern.test(String(value)));
}

/** Filters take the texts of what is not set; that of a channel is also one that is set. */
const isShownEmpty = (name: string, text: string | number) =>
  text === SHOWN_EMPTY[name] && name !== "visit:channel";

const found = new WeakMap<readonly StoredEvent[], Map<string, Set<string>>>();

/** The sessions with an event that meets a filter. */
function listSessions(site: PlausibleSite, filter: unknown, all: readonly StoredEvent[]): Set<string> {
  const known = found.get(all) ?? new Map<string, Set<string>>();
  found.set(all, known);
  const key = JSON.stringify(filter);
  const sessions =
    known.get(key) ?? new Set(all.filter(readFilter(site, filter, all)).map(({ session }) => session));
  known.set(key, sessions);
  return sessions;
}

function isDone(site: PlausibleSite, goal: string, { name, values }: StoredEvent): boolean {
  const done = site.goals[goal];
  if (done === undefined) return false;
  if ("event" in done) return name === done.event;
  const path = "page" in done ? done.page : done.scroll;
  return name === "pageview" && values["event:page"] === path;
}

/** A session counts on the day of its last hit. */
function lastOfSessions(all: readonly StoredEvent[], sessions: ReadonlySet<string>): StoredEvent[] {
  const last = new Map(all.map((event) => [event.session, event]));
  return [...last].flatMap(([session, event]) => (sessions.has(session) ? [event] : []));
}

/** By the values of the dimensions; the clocks of a repeated hour differ, though they look alike. */
function groupEvents(site: PlausibleSite, dimensions: readonly string[], events: readonly StoredEvent[]) {
  const groups = new Map<string, { dimensions: unknown[]; events: StoredEvent[] }>();
  if (dimensions.length === 0) return groups.set("", { dimensions: [], events: [...events] });
  for (const event of events) {
    for (const values of listValues(site, dimensions, event)) {
      const key = values.map(({ shown, apart }) => `${shown}\0${apart}`).join("\0");
      const group = groups.get(key) ?? { dimensions: values.map(({ shown }) => shown), events: [] };
      group.events.push(event);
      groups.set(key, group);
    }
  }
  return groups;
}

/** The values of an event: those of several goals are several. */
function listValues(site: PlausibleSite, dimensions: readonly string[], event: StoredEvent) {
  let rows: { shown: string | number; apart?: string }[][] = [[]];
  for (const name of dimensions) {
    if (name === "event:goal") {
      const goals = Object.keys(site.goals).filter((goal) => isDone(site, goal, event));
      rows = rows.flatMap((row) => goals.map((shown) => [...row, { shown }]));
    } else {
      const value = showValue(site, name, event);
      for (const row of rows) row.push(value);
    }
  }
  return rows;
}

function showValue(
  { timezone }: PlausibleSite,
  name: string,
  { at, day, values }: StoredEvent,
): { shown: string | number; apart?: string } {
  if (name === "time:day") return { shown: day };
  if (name === "time:hour") {
    const hour = hourShown(at, timezone);
    return { shown: `${hour.slice(0, 13)}:00:00`, apart: hour };
  }
  const value = values[name];
  if (value === undefined) throw new Refused(`Invalid dimensions '${name}'.`);
  return { shown: value === "" ? (SHOWN_EMPTY[name] ?? "") : value };
}

function count(
  site: PlausibleSite,
  metric: string,
  { dimensions, events }: { dimensions: unknown[]; events: StoredEvent[] },
): number | null {
  const isScroll = dimensions.some((value) => "scroll" in (site.goals[String(value)] ?? {}));
  if (metric === "visitors") return new Set(events.map(({ user }) => user)).size;
  if (metric === "visits") return new Set(events.map(({ session }) => session)).size;
  // Scrolling is no event of its own.
  if (isScroll) return metric === "events" ? null : 0;
  return metric === "events" ? events.length : events.filter(({ name }) => name === "pageview").length;
}
