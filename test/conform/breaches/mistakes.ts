import {
  type Asked,
  type Body,
  type Breach,
  both,
  edit,
  forget,
  isHead,
  not,
  on,
  read,
  rewrite,
  type When,
} from "../breach.ts";
import { editCounts, filteredBy, filterOf, ignoring, isFiltered, misread, misreadText } from "./filters.ts";
import { countByOldOffset } from "./hours.ts";

// Mistakes that services make, each in all answers that have it. No rule was written for one of them: any may see it.

const isWhole = not(isFiltered);
const stats: When = on("/stats");
const series: When = on("/timeseries");
const breakdown: When = on("/breakdown");
const isHourly: When = on("/timeseries", { interval: "hour" });
const ofPages = filteredBy(/^pages=/);

/** Answers with some of what another request would be answered with. */
const borrow =
  (when: When, change: (query: URLSearchParams) => void, take: (body: Body, other: Body) => void): Breach =>
  (service) =>
  async (request, sent) => {
    const response = await service(request, sent);
    const url = new URL(request.url);
    const asked = { path: url.pathname.replace("/api/v1", ""), query: url.searchParams } as Asked;
    if (response.status !== 200 || isHead({ method: request.method } as Asked) || !when(asked))
      return response;
    const other = new URL(url);
    change(other.searchParams);
    const answer = await service(new Request(other, request), sent);
    if (answer.status !== 200) return response;
    const body: Body = await response.json();
    take(body, await answer.json());
    return new Response(JSON.stringify(body), response);
  };

/** Answers with what everything has, where a filter keeps a part. */
const borrowWhole = (when: When, take: (body: Body, whole: Body) => void) =>
  borrow(both(when, isFiltered), (query) => query.delete("filter"), take);

const rename = (from: RegExp, to: string) => misreadText(isFiltered, (text) => text.replace(from, to));
const pointsOf = (when: When, change: (point: Body, index: number) => void) =>
  edit(when, ({ points }) => {
    for (const [index, point] of points.entries()) change(point, index);
  });
const rowsOf = (when: When, change: (row: Body, body: Body) => void) =>
  edit(both(breakdown, when), (body) => {
    for (const row of body.rows) change(row, body);
  });

const ignored = [
  "utm_mediums",
  "utm_campaigns",
  "utm_terms",
  "utm_contents",
  "entry_pages",
  "languages",
  "regions",
  "cities",
  "channels",
  "events",
];

export const mistakes: Record<string, Breach> = {
  ...Object.fromEntries(
    ignored.map((dimension) => [`a filter on ${dimension} that is ignored`, ignoring(dimension)]),
  ),
  "rows of browsers that ignore a filter": borrowWhole(
    on("/breakdown", { dimension: "browsers" }),
    (body, { rows }) => Object.assign(body, { rows }),
  ),
  "a series that ignores a filter on hostnames": misread(both(series, filteredBy(/^hostnames/)), () => []),
  "hours that ignore a filter": misread(isHourly, () => []),
  "hours that ignore a filter on pages": misread(both(isHourly, ofPages), () => []),
  "two of three conditions": misread(
    (asked) => filterOf(asked).length === 3,
    (filter) => filter.slice(0, 2),
  ),
  "active visitors of every page": misread(on("/realtime"), () => []),
  "the last condition alone": misread(
    (asked) => filterOf(asked).length === 2,
    (filter) => filter.slice(1),
  ),
  "two conditions with != of one dimension, of which one is enough": misread(
    (asked) => filterOf(asked).length === 2 && filterOf(asked).every((text) => /^countries!=/.test(text)),
    () => [],
  ),
  "the first alternative alone": misreadText(isFiltered, (text) => text.replace(/(?<=[^\\|=])\|.*/, "")),
  "the first alternative of pages alone": misreadText(ofPages, (text) =>
    text.replace(/(?<=[^\\|=])\|.*/, ""),
  ),
  "the first alternative alone, with !=": misreadText(filteredBy(/!=/), (text) =>
    text.replace(/(?<=[^\\|=])\|.*/, ""),
  ),
  "campaign sources in any letter case": rename(/^utm_sources=.*/, "$&|newsletter"),
  "referrers in small letters": misreadText(filteredBy(/^referrers=/), (text) => text.toLowerCase()),
  "campaigns without spaces around them": misreadText(filteredBy(/^utm_campaigns=/), (text) =>
    text.replace(/ +(?=\||$)/g, "").replace(/(?<=[|=]) +/g, ""),
  ),
  "? for any character of a browser": misreadText(filteredBy(/^browsers=/), (text) =>
    text.replaceAll("?", "*"),
  ),
  "a dot for any text in a host": misreadText(filteredBy(/^hostnames=/), (text) => text.replaceAll(".", "*")),
  "% for any text": misreadText(isFiltered, (text) => text.replaceAll("%", "*")),
  "pages that begin so": rename(/^(pages=[^|*]*[^|*\\])$/, "$1*"),
  "browsers that have the text": misreadText(filteredBy(/^browsers=[^*]+$/), (text) =>
    text.replace(/(?<=[=|])[^|]+/g, "*$&*"),
  ),
  "an asterisk that stops at a slash": misreadText(filteredBy(/^pages=.*\*/), (text) =>
    text === "pages=*" ? "pages=/" : text,
  ),
  "an asterisk as itself": misreadText(isFiltered, (text) => text.replace(/(?<!\\)\*/g, "\\*")),
  "a backslash that means nothing": misreadText(isFiltered, (text) => text.replace(/\\/g, "")),
  "operating_systems!= as =": rename(/^operating_systems!=/, "operating_systems="),
  "!= without what has no value": misread(filteredBy(/^referrers!=./), (filter) => [
    ...filter,
    "referrers=*",
  ]),
  "no value as any value": rename(/^(referrers|countries|devices)=$/, "$1=|*"),
  "any value as no filter": rename(/^(referrers|countries|devices)=\*$/, "$1=|*"),
  "visit: that means nothing": rename(/^visit:/, ""),
  "shares of everybody, in rows of other dimensions": borrowWhole(breakdown, (body, { totals }) => {
    for (const row of body.rows) row.percentage = Math.round((1000 * row.visitors) / totals.visitors) / 10;
  }),
  "visitors of everybody as totals": borrowWhole(breakdown, (body, { totals }) => {
    body.totals.visitors = totals.visitors;
  }),
  "rows of whole visits where a page is asked for": misreadText(both(breakdown, ofPages), (text) =>
    text.replace(/^pages=/, "visit:pages="),
  ),
  "rows of utm_sources that are of whole visits": misreadText(
    both(on("/breakdown", { dimension: "utm_sources" }), ofPages),
    (text) => text.replace(/^pages=/, "visit:pages="),
  ),
  "exit pages of the kept page views alone": edit(
    both(on("/breakdown", { dimension: "exit_pages" }), ofPages),
    (body, asked) => {
      const value = filterOf(asked)[0]?.replace("pages=", "");
      body.rows = [{ ...body.rows[0], ...body.totals, value, label: value, percentage: 100 }];
      body.total_rows = 1;
    },
  ),
  "bounces of kept page views alone": editCounts(ofPages, (counts) => {
    if (counts.bounces !== undefined) counts.bounces = counts.visits;
    if (counts.visit_seconds !== undefined) counts.visit_seconds = 0;
  }),
  "seconds of kept page views alone, by day": pointsOf(both(series, ofPages), (point) => {
    point.visit_seconds = Math.floor(point.visit_seconds / 3);
  }),
  "rows of 30 days for 7, with a filter": borrow(
    both(on("/breakdown", { days: "7" }), isFiltered),
    (query) => query.set("days", "30"),
    (body, { rows }) => Object.assign(body, { rows }),
  ),
  "30 days for 7, with a filter on pages": borrow(
    both(on("/stats", { days: "7" }), ofPages),
    (query) => query.set("days", "30"),
    (body, { period: _, ...rest }) => Object.assign(body, rest),
  ),
  "no_such_value of devices that are there": edit(both(stats, filteredBy(/^devices=[a-z]+$/)), (body) => {
    body.warnings = [{ code: "no_such_value", detail: "Nobody." }];
  }),
  "no warning of a value that nobody has, in a series": edit(
    both(series, filteredBy(/no-such-page/)),
    (body) => {
      delete body.warnings;
    },
  ),
  "seconds of visits in milliseconds, by day": pointsOf(series, (point) => {
    if (point.visit_seconds !== undefined) point.visit_seconds *= 1000;
  }),
  "seconds of visits in minutes, in rows": rowsOf(
    () => true,
    (row) => {
      if (row.visit_seconds !== undefined) row.visit_seconds = Math.floor(row.visit_seconds / 60);
    },
  ),
  "no members of visits on the days with the fewest": pointsOf(
    on("/timeseries", { days: "365" }),
    (point, index) => {
      if (index % 90 === 0) for (const name of ["visits", "bounces", "visit_seconds"]) delete point[name];
    },
  ),
  "the seconds of rows as averages": rowsOf(
    () => true,
    (row) => {
      if (row.visits > 0) row.visit_seconds = Math.round(row.visit_seconds / row.visits);
    },
  ),
  "the hours of a day on which clocks are set back, by the offset before": countByOldOffset(
    ({ query }) => query.get("from") === "2026-10-24",
    "2026-10-25T03",
  ),
  "hours of the offset that the period began with": countByOldOffset(
    ({ query }) => query.get("days") === "100",
    "2026-10-25T04",
  ),
  "hours in UTC": edit(isHourly, ({ points }) => {
    const counts = points.map(({ time: _, partial: __, ...rest }: Body) => rest);
    for (const [index, point] of points.entries()) Object.assign(point, counts[index + 1]);
  }),
  "the visitors of hours are those who are new that day": edit(isHourly, ({ points }) => {
    for (const [index, point] of points.entries()) if (index % 24 > 12) point.visitors = 0;
  }),
  "hours without missing: true": pointsOf(isHourly, (point) => delete point.missing),
  "missing: true with a filter, on days without kept visits": pointsOf(both(series, isFiltered), (point) => {
    if (point.visitors === 0) point.missing = true;
  }),
  "missing: true on the days with visitors": pointsOf(on("/timeseries", { days: "365" }), (point) => {
    if (point.visitors > 0) point.missing = true;
  }),
  "hours of at most 31 days, for more": read(
    "days",
    "31",
    both(isHourly, ({ query }) => Number(query.get("days")) > 31),
  ),
  "status that is ignored": (service) =>
    edit(on("/not-found", { status: "5xx" }), (body) => {
      body.status = "5xx";
    })(forget("status", on("/not-found"))(service)),
  "dates that leave out the last day, with a filter": borrow(
    both(stats, isFiltered, ({ query }) => query.has("from")),
    (query) => query.set("from", query.get("to") ?? ""),
    (body, last) => {
      for (const name of ["visitors", "pageviews", "events"]) body[name] -= last[name];
    },
  ),
  "the visitors of rows once in all days": rowsOf(isWhole, (row) => {
    row.visitors = Math.ceil(row.visitors * 0.8);
  }),
  "totals that are the sum of the rows": edit(both(breakdown, isWhole), (body) => {
    body.totals.visitors = body.rows.reduce((sum: number, row: Body) => sum + row.visitors, 0);
  }),
  "labels as values of a filter": rewrite(filteredBy(/^countries=[A-Z]{2}$/), ({ searchParams }) =>
    searchParams.set("filter", "countries=XK"),
  ),
};
