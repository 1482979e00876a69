import { describe, expect, it } from "vitest";
import { parseFilter } from "../../src/operations/filter.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { describeLeftRates } from "../../src/operations/visit-rates.ts";
import { createCheck } from "../../src/reports/check.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { reportQuery } from "../../src/reports/site-report.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { connect, serve } from "../support/period-service.ts";
import { createVisitSource, type ListedVisit } from "../support/visit-source.ts";
import { createWideSource } from "../support/wide-source.ts";

/** Today is the 21st of November. */
const visit = (
  day: number,
  visitor: string,
  views: number,
  seconds: number,
  more: Partial<ListedVisit> = {},
): ListedVisit => ({
  day: `2026-11-${day}`,
  visitor,
  seconds,
  pages: Array.from({ length: views }, (_, index) => (index === 0 ? "/" : "/docs")),
  country: "DE",
  ...more,
});

const VISITS = [
  // 3 visits, a third of them bounces, 2 views and 30.33 seconds each.
  visit(20, "a", 2, 60),
  visit(20, "a", 1, 0, { country: "AT" }),
  visit(20, "b", 3, 31),
  // 2 visits, half of them bounces, 1.5 views and 50 seconds each.
  visit(19, "a", 1, 0, { country: "AT" }),
  visit(19, "c", 2, 100),
  visit(18, "d", 1, 0),
  visit(13, "d", 1, 0),
  // 1 visit today.
  visit(21, "a", 4, 10),
];

const connectTo = (source: DataSource) =>
  createLocalCall(
    async () => source,
    () => NOW,
  );
const call = connectTo(createVisitSource(VISITS));

async function ask(name: string, params: Record<string, unknown>, source = call) {
  const query = name === "report" ? reportQuery : findQuery(name);
  const site = source === call ? { site: "visits.test" } : {};
  return query.ask(source, query.params.parse({ ...site, ...params }), {});
}
const rowsOf = ({ views: [first] }: Awaited<ReturnType<typeof ask>>) =>
  (first?.rows ?? []).map(({ label, current, previous, change, percent }) => [
    label,
    current,
    previous,
    change,
    percent,
  ]);

const DAY = { period: "2026-11-20", against: "2026-11-19" };
const RATES = { visits: 3, bounce_rate: 33.3, views_per_visit: 2, seconds_per_visit: 30 };
const RATES_BEFORE = { visits: 2, bounce_rate: 50, views_per_visit: 1.5, seconds_per_visit: 50 };
const CHANGES = {
  visits: { absolute: 1, percent: 50 },
  bounce_rate: { points: -16.7 },
  views_per_visit: { absolute: 0.5, percent: 33.3 },
  // Of 30.33 seconds, not of 30.
  seconds_per_visit: { absolute: -20, percent: -40 },
};
const ROWS = [
  ["visitors", 2, 2, 0, 0],
  ["page views", 6, 3, 3, 100],
  ["visits", 3, 2, 1, 50],
  ["bounce rate %", 33.3, 50, -16.7, null],
  ["views/visit", 2, 1.5, 0.5, 33.3],
  ["seconds/visit", 30, 50, -20, -40],
];
const NOTE = "A visit with one hit is a bounce and lasts 0 seconds.";

describe("a comparison", () => {
  it("has the visits of both periods, their rates, and the changes of these", async () => {
    const answer = await ask("compare", DAY);
    const { current, previous, change } = answer.result;
    expect(current).toEqual({
      from: "2026-11-20",
      to: "2026-11-20",
      days: 1,
      visitors: 2,
      pageviews: 6,
      ...RATES,
    });
    expect(previous).toMatchObject(RATES_BEFORE);
    expect(change).toMatchObject(CHANGES);
    expect(rowsOf(answer)).toEqual(ROWS);
    expect(formatNotes(listNotes(answer.views), "models")).toContain(NOTE);
  });

  it("of periods that differ in length has averages of visits, but not of their rates", async () => {
    const answer = await ask("compare", { ...DAY, against: "2026-11-18/2026-11-19" });
    const { previous, change, per_day } = answer.result;
    // 3 visits of 4 views and 100 seconds; the averages of the two days' rates would be 75%, 1.25 and 25.
    expect(previous).toMatchObject({
      visits: 3,
      bounce_rate: 66.7,
      views_per_visit: 1.33,
      seconds_per_visit: 33,
    });
    expect(per_day).toMatchObject({ visits: { current: 3, previous: 1.5, change: 1.5, percent: 100 } });
    expect(change).toMatchObject({
      visits: { absolute: 0, percent: null },
      bounce_rate: { points: -33.4 },
      views_per_visit: { absolute: 0.67, percent: 50.4 },
      seconds_per_visit: { absolute: -3, percent: -9.1 },
    });
    expect(rowsOf(answer).map(([label]) => label)).toEqual([
      ...ROWS.map(([label]) => label),
      "visitors a day",
      "page views a day",
      "visits a day",
    ]);
  });

  it("has no rates of no visits, and no change from or to them", async () => {
    const answer = await ask("compare", { ...DAY, against: "2026-11-17" });
    const none = { visits: 0, bounce_rate: null, views_per_visit: null, seconds_per_visit: null };
    expect(answer.result.previous).toMatchObject(none);
    const unknown = { absolute: null, percent: null };
    expect(answer.result.change).toMatchObject({
      visits: { absolute: 3, percent: null },
      bounce_rate: { points: null },
      views_per_visit: unknown,
      seconds_per_visit: unknown,
    });
    expect(rowsOf(answer).slice(2)).toEqual([
      ["visits", 3, 0, 3, null],
      ["bounce rate %", 33.3, null, null, null],
      ["views/visit", 2, null, null, null],
      ["seconds/visit", 30, null, null, null],
    ]);
    const reversed = await ask("compare", { period: "2026-11-17", against: "2026-11-20" });
    expect(reversed.result.current).toMatchObject(none);
    expect(reversed.result.change).toMatchObject({ bounce_rate: { points: null }, views_per_visit: unknown });
  });

  it("with the beginning of the data has no percentages, and without data no change", async () => {
    const young = connectTo(createVisitSource(VISITS, "2026-11-19"));
    const site = "visits.test";
    const begun = await ask("compare", { site, ...DAY }, young);
    expect(begun.result.change).toMatchObject({
      visits: { absolute: 1, percent: null },
      bounce_rate: { points: -16.7 },
      seconds_per_visit: { absolute: -20, percent: null },
    });
    const before = await ask("compare", { site, ...DAY, against: "2026-11-17" }, young);
    expect(before.result.change).toMatchObject({
      visits: { absolute: null, percent: null },
      bounce_rate: { points: null },
      views_per_visit: { absolute: null, percent: null },
    });
  });

  it("of a service without from and to has the same numbers, all of them filtered", async () => {
    const answers = serve(createVisitSource(VISITS));
    const { call: service, asked } = connect(answers, false);
    const params = { site: "visits.test", ...DAY, filter: ["countries=DE"] };
    const answer = await ask("compare", params, service);
    expect(answer.result).toEqual((await ask("compare", params)).result);
    expect(answer.result).toMatchObject({
      filter: ["countries=DE"],
      current: { visitors: 2, visits: 2, bounce_rate: 0 },
      previous: { visitors: 1, visits: 1, views_per_visit: 2 },
    });
    const counted = asked.filter((path) => !/^\/(sites|openapi)/.test(path));
    expect(counted.length).toBeGreaterThan(10);
    for (const path of counted) expect(path).toMatch(/[?&]filter=countries%3DDE\b/);
  });
});

it.each(["compare", "overview"])("%s says of whom a period had none, and what it is of", async (name) => {
  const params = { period: "2026-11-18", ...(name === "compare" && { against: "2026-11-17" }) };
  const { views } = await ask(name, { ...params, filter: ["countries=DE"] });
  const none = (visitors: string) => `The earlier period had no ${visitors}, so there is no percentage.`;
  expect(formatNotes(listNotes(views), "models")).toContain(none("such visitors"));
  expect(views[0]?.headline).toMatch(/^visits\.test, only countries=DE, 2026-11-18/);
  const whole = await ask(name, params);
  expect(formatNotes(listNotes(whole.views), "models")).toContain(none("visitors"));
});

describe("an overview", () => {
  it("has the visits of its days beside those of the days before", async () => {
    const answer = await ask("overview", { period: "2026-11-20" });
    expect(answer.result).toMatchObject({
      ...RATES,
      comparison: { ...CHANGES, previous: RATES_BEFORE },
    });
    const [visitors, pageviews, visits, ...rates] = ROWS;
    const events = ["events", 0, null, null, null];
    expect(rowsOf(answer)).toEqual([visitors, pageviews, visits, events, ...rates]);
    expect(formatNotes(listNotes(answer.views), "models")).toContain(NOTE);
  });

  it("has visits in the trend that a chart draws, but not in the one for a model", async () => {
    const { result } = await ask("overview", { period: "2026-11-19/2026-11-21" });
    const { compact, drawn } = findQuery("overview");
    expect(drawn?.(result)).toMatchObject({
      trend: { visits: [2, 3, 1], previous: { visits: [0, 1] } },
    });
    expect(compact?.(result)).toMatchObject({ trend: { from: "2026-11-19", visitors: [2, 2, 1] } });
    expect(JSON.stringify(compact?.(result))).not.toContain('"visits":[');
  });

  it("of today has no comparison", async () => {
    const answer = await ask("overview", { period: "today" });
    expect(answer.result).toMatchObject({ visits: 1, seconds_per_visit: 10, comparison: null });
    expect(rowsOf(answer).slice(2)).toEqual([
      ["visits", 1, null, null, null],
      ["events", 0, null, null, null],
      ["bounce rate %", 0, null, null, null],
      ["views/visit", 4, null, null, null],
      ["seconds/visit", 10, null, null, null],
    ]);
  });

  it("of a service without from and to has the same visits", async () => {
    const { call: service } = connect(serve(createVisitSource(VISITS)), false);
    const params = { site: "visits.test", period: "2026-11-20", filter: ["pages=/docs"] };
    const { result } = await ask("overview", params, service);
    expect(result).toEqual((await ask("overview", params)).result);
    // The visits are counted as a whole.
    expect(result).toMatchObject({ pageviews: 3, visits: 2 });
  });
});

it("a report has them day by day", async () => {
  const { views } = await ask("report", { period: "2026-11-19/2026-11-20" });
  expect(views.find(({ name }) => name === "days")?.rows).toMatchObject([
    { date: "2026-11-19", visits: 2, visits_before: 0 },
    { date: "2026-11-20", visits: 3, visits_before: 1 },
  ]);
});

it("weeks have the sums of their days' visits, and rates of the sums", async () => {
  const weeks = { period: "2026-11-16/2026-11-21", interval: "week" };
  const { result, views } = await ask("timeseries", { ...weeks, with: "visits" });
  expect(result.points).toMatchObject([{ visits: 7, bounces: 3, visit_seconds: 201 }]);
  expect(views[0]?.rows).toMatchObject([
    { visits: 7, bounce_rate: 42.9, views_per_visit: 2, seconds_per_visit: 29 },
  ]);
  expect(views[0]?.columns.map(({ key }) => key)).toContain("bounce_rate");
  expect(formatNotes(listNotes(views), "models")).toContain(NOTE);
  const without = await ask("timeseries", weeks);
  expect(without.result).toEqual(result);
  expect(JSON.stringify([without.views[0]?.columns, without.views[0]?.rows])).not.toMatch(/"visits"|bounce/);
});

describe("days that a service without from and to answers by subtraction", () => {
  const { call: service } = connect(serve(createVisitSource(VISITS)), false);
  const filtered = { site: "visits.test", period: "2026-11-19/2026-11-20", filter: ["countries=DE"] };

  it.each(["stats", "timeseries"])("have the visits of %s, filtered", async (name) => {
    const [answer, direct] = await Promise.all([ask(name, filtered, service), ask(name, filtered)]);
    expect(answer.result).toEqual(direct.result);
    expect(answer.result).toMatchObject({ filter: ["countries=DE"] });
    expect(answer.views).toEqual(direct.views);
  });

  it("have the visits of a breakdown's totals, but not of its rows", async () => {
    const params = { ...filtered, dimension: "countries", with: "visits" };
    const { result, views } = await ask("breakdown", params, service);
    expect(result).toMatchObject({
      filter: ["countries=DE"],
      rows: [{ value: "DE", visitors: 3, pageviews: 7 }],
      totals: { visits: 3, bounces: 0, visit_seconds: 191 },
    });
    expect(JSON.stringify(result.rows)).not.toContain("visits");
    expect(views[0]?.headline).toContain("visits.test, only countries=DE, ");
  });
});

it("are in the rows of a series, for people and models, only if a query asks for them", async () => {
  const answers = await Promise.all(
    [{}, { with: "visits" }].map((more) =>
      ask("timeseries", { site: "visits.test", period: "2026-11-19/2026-11-20", ...more }),
    ),
  );
  const shown = answers.map(({ result, params, views }) => [
    JSON.stringify(findQuery("timeseries").compact?.(result, params)).includes('"visits"'),
    views[0]?.columns.some(({ key }) => key === "visits"),
  ]);
  expect(shown).toEqual([
    [false, false],
    [true, true],
  ]);
});

it.each([
  ["compare", { period: "2026-11-20", against: "2026-11-18/2026-11-19" }],
  ["overview", { period: "2026-11-19/2026-11-20" }],
  ["report", { period: "2026-11-19/2026-11-20" }],
])("%s has nothing of visits if the source does not know them", async (name, params) => {
  const wide = connectTo(createWideSource([{ value: "/", visitors: [1, 2, 3] }]));
  const answer = await ask(name, { site: "wide.test", ...params }, wide);
  // Sentences may speak of visits.
  const numbers = [answer.result, ...answer.views.map(({ columns, rows }) => ({ columns, rows }))];
  expect(JSON.stringify(numbers)).not.toMatch(/"visits|visit"|bounce|visit_/);
});

describe("a filter that keeps single hits", () => {
  const LEFT =
    "Bounce rate, views and seconds per visit are of whole visits, and this filter keeps single hits: ask with visit:pages=/docs, or entry_pages= for those that begin there.";
  const asked = { period: "2026-11-20", filter: ["pages=/docs"] };
  const RATES = /bounce|seconds|views_per_visit|views\/visit/;

  it.each([
    ["stats", {}],
    ["timeseries", { with: "visits" }],
    ["timeseries", { with: "visits", interval: "week" }],
    ["breakdown", { with: "visits", dimension: "countries" }],
    ["overview", {}],
    ["compare", {}],
  ])("leaves the visits of %s %j, but no rates that would read as those of a page", async (name, more) => {
    const { result, views } = await ask(name, { ...asked, ...more });
    const [first] = views;
    expect(JSON.stringify(result)).toMatch(/"visits":2/);
    expect(JSON.stringify([result, views.map(({ columns, rows }) => [columns, rows])])).not.toMatch(RATES);
    expect(first && formatNotes(listNotes([first]), "models")).toContain(LEFT);
    const whole = await ask(name, { ...asked, ...more, filter: ["visit:pages=/docs"] });
    expect(JSON.stringify(whole.result)).toMatch(RATES);
  });

  it("says nothing of rates where no visits are shown", async () => {
    const { views } = await ask("breakdown", { ...asked, dimension: "countries" });
    expect(JSON.stringify(views)).not.toContain("Bounce rate");
  });

  it("says what to ask instead for an event, and for what is left out", () => {
    expect(describeLeftRates(parseFilter(["countries=DE", "events=signup"]))).toBe(
      "Bounce rate, views and seconds per visit are of whole visits, and this filter keeps single hits: ask with visit:events=signup.",
    );
    expect(describeLeftRates(parseFilter(["pages!=/x"]))).toMatch(/: ask with visit:pages!=\/x\.$/);
    expect(describeLeftRates(parseFilter(["visit:pages=/x", "entry_pages=/x"]))).toBeUndefined();
  });

  it("cannot be checked for a rate", async () => {
    const query = createCheck({ above: 1 });
    const params = query.params.parse({ ...asked, site: "visits.test", metric: "bounce_rate" });
    await expect(query.ask(call, params, {})).rejects.toThrow(`--metric cannot be bounce_rate: ${LEFT}`);
  });
});
