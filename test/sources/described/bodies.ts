import { countDays } from "../../../src/operations/days.ts";
import { startOfDay } from "../../../src/sources/calendar.ts";
import { createDraw } from "./draw.ts";
import type { Spelled } from "./names.ts";
import type { Shape, UsedDimension } from "./shape.ts";
import type { Counts, TrueSite } from "./truth.ts";

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export interface Point extends Counts {
  date: string;
}

/** A row as the service has it on the wire. */
export interface WireRow extends Counts {
  value: string | null;
  label: string;
}

/** What the members of an answer mean, for a description: by name. */
export type Meanings = Map<string, string>;

/** What an answer says about itself beside its numbers. */
export interface About {
  site: TrueSite;
  id: Json;
  from: string;
  to: string;
}

const daysOf = ({ from, to }: About) => countDays(from, to);

/** Writes what is true in the form that a service has chosen. */
export interface Writer {
  meanings: Meanings;
  stats(totals: Counts & { events: number }, about: About): Json;
  series(points: readonly Point[], about: About): Json;
  /** @param total Visitors of the period. */
  rows(
    rows: readonly WireRow[],
    dimension: UsedDimension,
    total: number,
    extent: { limit: number; total: number },
    about: About,
  ): Json;
  realtime(active: number, about: About): Json;
  sites(sites: readonly { site: TrueSite; id: Json }[], extras: JsonObject): Json;
}

export function createWriter(shape: Shape, say: Spelled, now: number): Writer {
  const { names } = shape;
  const meanings: Meanings = new Map([
    [say.visitors, "Unique visitors."],
    [say.pageviews, "Page views."],
    [say.events, "Custom events, without page views."],
    [say(names.date), "The day."],
  ]);

  /** A number of this service that is none of those given. */
  const otherNumber = (name: string, near: number, not: readonly number[]) => {
    const draw = createDraw(`${shape.seed} ${name} ${near}`);
    let other = Math.round(near * (0.4 + draw.int(0, 100) / 60)) + draw.int(1, 9);
    while (not.includes(other)) other++;
    return other;
  };
  /** Members with tempting names and other numbers. */
  const temptations = (counts: readonly number[], most = shape.extras): JsonObject =>
    Object.fromEntries(
      names.tempting.slice(0, most).map((words): [string, Json] => {
        const number = otherNumber(words, counts[/view/.test(words) ? 1 : 0] ?? 0, counts);
        const isRate = /rate|avg|average|per|depth/.test(words);
        return [say(words), isRate ? Math.round((number % 100) * 10) / 10 + 0.05 : writeNumber(number)];
      }),
    );
  const writeNumber = (value: number): Json => (shape.metric === "digits" ? String(value) : value);
  const writeMetric = (value: number): Json =>
    shape.metric === "object"
      ? {
          [say(names.current)]: value,
          [say(names.previous)]: otherNumber("previous", value, [value]),
          [say(names.change)]: 12.5,
        }
      : writeNumber(value);
  const mix = (object: JsonObject): JsonObject =>
    Object.fromEntries(createDraw(`${shape.seed} order`).shuffle(Object.entries(object)));

  const aboutMembers = ({ site, id, from, to }: About, extent: Extent): JsonObject => ({
    ...(shape.echoes === "id" && { [say(names.siteId)]: id }),
    ...(shape.echoes === "domain" && { [say("site")]: site.domain }),
    ...(shape.echoes === "object" && {
      [say("site")]: { [say(names.siteId)]: id, [say(names.domain)]: site.domain },
    }),
    ...(shape.timezone === "answers" && { [say(names.timezone)]: site.timezone }),
    ...(shape.statesPeriod && { [say(names.period)]: { [say(names.start)]: from, [say(names.end)]: to } }),
    ...(shape.extras > 2 && describeAnswer(names.housekeeping, say, extent)),
  });

  /** Puts an answer into the service's envelope, with what stands beside it. */
  const wrap = (answer: Json, beside: JsonObject = {}): Json => {
    const [outer, ...inner] = shape.envelope;
    const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
    // What is about an answer stands in it where it can.
    const whole: Json = isObject ? { ...beside, ...answer } : answer;
    if (outer === undefined) return isObject ? { ...besideOf(shape, say), ...(whole as JsonObject) } : whole;
    const wrapped = inner.reduceRight<Json>((body, name) => ({ [say(name)]: body }), whole);
    return { ...besideOf(shape, say), ...(!isObject && beside), [say(outer)]: wrapped };
  };

  const writeTotals = (totals: Counts & { events: number }, write = writeMetric): JsonObject => ({
    [say.visitors]: write(totals.visitors),
    [say.pageviews]: write(totals.pageviews),
    ...(shape.hasEvents && { [say.events]: write(totals.events) }),
  });
  const others = (totals: Counts & { events: number }, name: string) => {
    const all = [totals.visitors, totals.pageviews, totals.events];
    return {
      visitors: otherNumber(`${name} visitors`, totals.visitors, all),
      pageviews: otherNumber(`${name} page views`, totals.pageviews, all),
      events: otherNumber(`${name} events`, totals.events, all),
    };
  };

  return {
    meanings,
    stats: (totals, about) => {
      const { container, asList, previous, rival } = shape.stats;
      const counts = [totals.visitors, totals.pageviews, totals.events];
      const users: JsonObject = shape.hasUsers
        ? { [say("users")]: writeMetric(otherNumber("users", totals.visitors, counts)) }
        : {};
      const members = mix({ ...temptations(counts), ...users, ...writeTotals(totals) });
      const list = () => Object.entries(members).map(([name, value]): Json => ({ name, value }));
      const inside: Json = asList ? list() : members;
      const isInside = container !== undefined || asList || rival !== undefined;
      const home = container ?? (rival === "metrics" ? "totals" : "metrics");
      const answer: JsonObject = isInside ? { [say(home)]: inside } : members;
      return wrap(
        {
          ...answer,
          ...(previous !== undefined && {
            [say(previous)]: writeTotals(others(totals, "previous"), writeNumber),
          }),
          ...(rival !== undefined &&
            rival !== home && { [say(rival)]: writeTotals(others(totals, "rival")) }),
        },
        aboutMembers(about, { days: daysOf(about), total: 3 }),
      );
    },
    series: (points, about) => {
      const { form, container, descending } = shape.series;
      const ordered = descending ? [...points].reverse() : points;
      const day = (date: string) => writeDate(date, about.site, shape);
      const extra =
        shape.extras > 1
          ? names.tempting.find((words) => !/rate|avg|average|per|depth/.test(words))
          : undefined;
      const more = ({ visitors, pageviews, date }: Point): JsonObject =>
        extra === undefined
          ? {}
          : { [say(extra)]: writeNumber(otherNumber(`${extra} ${date}`, visitors, [visitors, pageviews])) };
      const countsOf = (point: Point) =>
        mix({
          ...more(point),
          [say.visitors]: writeNumber(point.visitors),
          [say.pageviews]: writeNumber(point.pageviews),
        });
      const column = (name: string): Json[] => ordered.map((point) => countsOf(point)[name] ?? null);
      const columns = Object.keys(countsOf({ date: "", visitors: 0, pageviews: 0 }));
      const write = (): Json => {
        switch (form) {
          case "columns":
            return {
              [say(pluralOf(names.date))]: ordered.map(({ date }) => day(date)),
              ...Object.fromEntries(columns.map((name) => [name, column(name)])),
            };
          case "chart":
            return {
              labels: ordered.map(({ date }) => day(date)),
              datasets: columns.map((name): Json => ({ label: name, data: column(name) })),
            };
          case "sequences":
            return Object.fromEntries(
              columns.map((name) => [
                name,
                ordered.map(
                  (point): Json => ({
                    [say(names.date)]: day(point.date),
                    [say(names.count)]: countsOf(point)[name] ?? null,
                  }),
                ),
              ]),
            );
          case "keyed":
            return Object.fromEntries(ordered.map((point) => [String(day(point.date)), countsOf(point)]));
          case "table":
            return {
              columns: [say(names.date), ...columns],
              rows: ordered.map(
                (point): Json => [day(point.date), ...columns.map((name) => countsOf(point)[name] ?? null)],
              ),
            };
          default:
            return ordered.map((point): Json => ({ [say(names.date)]: day(point.date), ...countsOf(point) }));
        }
      };
      const body = write();
      const isAlone = container === undefined && shape.envelope.length > 0;
      const needsHome =
        container === undefined &&
        (form === "keyed" || Object.keys(aboutMembers(about, { days: daysOf(about), total: 3 })).length > 0);
      // Members beside dates would be taken for days.
      const home = container ?? (needsHome && !isAlone ? "series" : undefined);
      return wrap(
        home === undefined ? body : { [say(home)]: body },
        home === undefined && form === "keyed" ? {} : aboutMembers(about, { days: daysOf(about), total: 3 }),
      );
    },
    rows: (rows, dimension, total, extent, about) => {
      const { form, container, counts, unnamed, hasLabel, percentage, nulls } = shape.rows;
      const key = say.row(dimension);
      const nothing = nulls === "null" ? null : nulls === "none" ? "(none)" : "";
      const write = (row: WireRow): JsonObject => {
        const lone = unnamed === "visitors" ? row.visitors : row.pageviews;
        const numbers: JsonObject = {
          ...(counts !== "pageviews" &&
            counts !== "unnamed" && { [say.visitors]: writeNumber(row.visitors) }),
          ...(counts !== "visitors" &&
            counts !== "unnamed" && { [say.pageviews]: writeNumber(row.pageviews) }),
          ...(counts === "unnamed" && { [say(names.count)]: writeNumber(lone) }),
        };
        const tempting =
          counts === "unnamed" ? {} : temptations([row.visitors, row.pageviews], Math.min(shape.extras, 2));
        const share = Math.round((1000 * row.visitors) / Math.max(1, total)) / 10;
        return {
          [key]: row.value ?? nothing,
          ...(hasLabel && key !== say(names.label) && { [say(names.label)]: row.label }),
          ...mix({ ...tempting, ...numbers, ...(percentage && { [say(names.percentage)]: share }) }),
        };
      };
      const objects = rows.map(write);
      const columns = Object.keys(objects[0] ?? {});
      const body: Json =
        form === "table"
          ? { columns, rows: objects.map((row): Json => columns.map((name) => row[name] ?? null)) }
          : form === "map"
            ? Object.fromEntries(
                rows.map((row) => [
                  row.value ?? "(none)",
                  writeNumber(unnamed === "visitors" ? row.visitors : row.pageviews),
                ]),
              )
            : objects;
      const beside = aboutMembers(about, { days: daysOf(about), ...extent });
      const home =
        container ?? (shape.envelope.length === 0 && Object.keys(beside).length > 0 ? "results" : undefined);
      const whole = home === undefined ? body : { [say(home)]: body };
      return wrap(whole, home === undefined && form === "map" ? {} : beside);
    },
    realtime: (active, about) => {
      const { form, container, extras } = shape.realtime;
      if (form === "bare") return wrap(active);
      const clear = names.active;
      const members: JsonObject = mix({
        [say(clear)]: writeNumber(active),
        ...(extras && {
          [say("pageviews last 30 minutes")]: otherNumber("recent", active + 3, [active]),
          [say("window minutes")]: 5,
        }),
        ...(extras && shape.timezone === "answers" && { [say("timestamp")]: Math.floor(now / 1000) }),
      });
      const inside = container === undefined ? members : { [say(container)]: members };
      return wrap(inside, aboutMembers(about, { window: 5 }));
    },
    sites: (sites, extras) => {
      const { form, container, hasDomain, hasCreated } = shape.sites;
      const list = sites.map(({ site, id }, index): Json => {
        if (form === "names") return site.domain;
        const isUrl = /url/.test(names.domain);
        return mix({
          [say(names.siteId)]: id,
          ...(hasDomain && { [say(names.domain)]: isUrl ? `https://${site.domain}/` : site.domain }),
          [say(names.siteName)]: site.name,
          ...(shape.timezone === "sites" && { [say(names.timezone)]: site.timezone }),
          ...(hasCreated && { [say(names.createdAt)]: site.created_at }),
          ...(shape.extras > 0 && { [say("is public")]: index % 2 === 0, [say("team id")]: 4 + index }),
        });
      });
      const home =
        container ?? (Object.keys(extras).length > 0 && shape.envelope.length === 0 ? "sites" : undefined);
      return wrap(home === undefined ? list : { [say(home)]: list }, extras);
    },
  };
}

/** What a list of days is called whose elements would have this name. */
const pluralOf = (word: string) => (word.length < 3 ? "labels" : `${word}s`);

/** Members that describe an answer, and are true of it. */
function describeAnswer(words: readonly string[], say: Spelled, extent: Extent): JsonObject {
  const values: Record<string, Json | undefined> = {
    limit: extent.limit,
    total: extent.total,
    offset: 0,
    "total rows": extent.total,
    "row count": extent.total,
    days: extent.days,
    "window minutes": extent.window,
    "took ms": 12,
    "total elements": extent.total,
    "generated at": "2026-11-21T04:05:10Z",
    "sample rate": 1,
  };
  return Object.fromEntries(
    words.flatMap((name): [string, Json][] => {
      const value = values[name];
      return value === undefined ? [] : [[say(name), value]];
    }),
  );
}

interface Extent {
  limit?: number;
  total?: number;
  days?: number;
  window?: number;
}

/** Members beside an answer that have none of its numbers. */
function besideOf({ beside, envelope }: Shape, say: Spelled): JsonObject {
  const values: Record<string, Json> = {
    success: true,
    status: "success",
    errors: [],
    messages: [],
    meta: { version: "1.4" },
    query: { metric: "all" },
    "from cache": false,
    sampled: false,
    code: 0,
    took: 12,
    statistics: { elapsed: 0.004, rows_read: 48_211 },
    version: 6,
    ok: true,
    kind: "report",
    "request id": "9f0c1d2e",
  };
  return Object.fromEntries(
    beside.filter((name) => !envelope.includes(name)).map((name) => [say(name), values[name] ?? null]),
  );
}

/** A day as the service writes it. */
function writeDate(date: string, site: TrueSite, { series, timezone }: Shape): Json {
  const start = startOfDay(date, site.timezone);
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const offset = Math.round((midnight - start) / 60_000);
  // Who does not know the timezone would not know the day of an instant.
  const seconds = (timezone === "none" ? midnight : start) / 1000;
  switch (series.dates) {
    case "midnight": {
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const clock = `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
      return `${date}T00:00:00${offset < 0 ? "-" : "+"}${clock}`;
    }
    case "naive":
      return `${date} 00:00:00`;
    case "utc":
      // West of Greenwich, midnight in UTC is on another day.
      return offset < 0 && timezone !== "none" ? `${date} 00:00:00` : `${date}T00:00:00Z`;
    case "instant":
      return new Date(start).toISOString();
    case "seconds":
      return seconds;
    case "milliseconds":
      return seconds * 1000;
    default:
      return date;
  }
}
