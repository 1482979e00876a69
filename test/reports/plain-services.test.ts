import { describe, expect, it } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import { drawTopLists } from "../../src/mcp/chart/draw-overview.ts";
import { createFormat } from "../../src/mcp/chart/format.ts";
import { printMarkup } from "../../src/mcp/chart/markup.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes, listWarnings } from "../../src/operations/view.ts";
import { formatCsv } from "../../src/render/csv.ts";
import { formatMarkdown } from "../../src/render/markdown.ts";
import { formatPage } from "../../src/render/terminal-page.ts";
import { type CheckResult, createCheck } from "../../src/reports/check.ts";
import type { Conditions } from "../../src/reports/check-conditions.ts";
import { adviseOnRefusal } from "../../src/reports/next-question.ts";
import { reportResult } from "../../src/reports/overview.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { reportQuery } from "../../src/reports/site-report.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { createPlainCall, PLAIN_TODAY, type PlainShape, visitorsOn } from "../support/plain-call.ts";

const screen = { width: 100, height: 40, color: false, pictures: true, locale: "en-US" };
const YESTERDAY = "2026-11-20";
const [TODAY_SO_FAR, LAST_WEEK] = [{ period: "this_month" }, { days: 7 }];

/** An answer of any query, as JSON has it. */
// biome-ignore lint/suspicious/noExplicitAny: each test looks at a few members of another answer.
type Shown = Record<string, any>;

/** Asks as a person does who names no days, unless they are among the parameters. */
function ask(name: string, shape: PlainShape, params: Record<string, unknown> = {}) {
  const service = createPlainCall(shape);
  const query = name === "report" ? reportQuery : findQuery(name);
  const usesDefaultDays = params.days === undefined && params.period === undefined;
  const given = { ...(name !== "sites" && { site: "example.com", days: 30 }), ...params };
  return { ...service, answer: query.ask(service.call, given, { usesDefaultDays }) };
}

async function show(name: string, shape: PlainShape, params: Record<string, unknown> = {}) {
  const { answer, asked } = ask(name, shape, params);
  const { result, views } = await answer;
  const notes = ["models", "people"]
    .flatMap((to) => formatNotes(listNotes(views), to as "people"))
    .join("\n");
  const warnings = formatNotes(listWarnings(views), "people").join("\n");
  const [view] = views;
  const csv = formatCsv(view?.columns ?? [], [view?.rows ?? []]);
  const [page, markdown] = [formatPage(views, screen), formatMarkdown(views, screen)];
  return { result: result as Shown, views, notes, warnings, csv, page, markdown, asked };
}

const refused = (name: string, shape: PlainShape, params: Record<string, unknown>) =>
  ask(name, shape, params).answer.then(
    () => undefined,
    (error: unknown) => error,
  );

const MISSING_EVENTS = /Not shown: events \((?:refused by the service|not offered by this source)\)\./g;

describe("a service without events", () => {
  const shape = { hasEvents: false };

  it("has no column, row or zero for them", async () => {
    const stats = await show("stats", shape, { days: 7 });
    const overview = await show("overview", shape);
    const report = await show("report", shape);
    for (const { page, markdown, csv, notes, result } of [stats, overview, report]) {
      for (const text of [page, markdown, csv, notes])
        expect(text.replace(MISSING_EVENTS, "")).not.toMatch(/\bevents\b/i);
      expect(result).not.toHaveProperty("events");
    }
    expect(report.notes).toMatch(MISSING_EVENTS);
    expect((await show("stats", {}, { days: 7 })).csv).toMatch(/events/);
    expect((await show("overview", {})).page).toMatch(/\bevents\b/);
  });

  it("has none for past days, which are subtracted", async () => {
    const { result } = await show("stats", shape, { period: "yesterday" });
    expect(result).toMatchObject({ visitors: visitorsOn(YESTERDAY) });
    expect(result).not.toHaveProperty("events");
    expect((await show("stats", {}, { period: "yesterday" })).result).toMatchObject({ events: 2 });
  });

  it("has none to check", async () => {
    const check = (given: PlainShape) =>
      createCheck({ above: 1 }).ask(
        createPlainCall(given).call,
        { site: "example.com", metric: "events", days: 30 },
        { usesDefaultDays: true },
      );
    await expect(check(shape)).rejects.toMatchObject({
      code: "usage",
      message: "--metric cannot be events: this source does not know events.",
      hint: "It can be visitors, pageviews.",
    });
    await expect(check({})).resolves.toBeDefined();
  });

  it("says nothing of them where visitors are checked", async () => {
    const { call } = createPlainCall({ refusedDays: [2] });
    const asked = { site: "example.com", period: "yesterday" };
    const stats = await findQuery("stats").ask(call, { days: 30, ...asked }, {});
    expect(JSON.stringify(stats.result)).toContain("Events of these days are not known");
    const { result } = await createCheck({ above: 1 }).ask(call, asked, {});
    expect((result as CheckResult).warnings).toEqual([]);
  });
});

describe("a service without timezones", () => {
  const shape = { timezone: undefined };

  it("has its own dates, and no timezone beside them", async () => {
    const { page, result } = await show("stats", shape, { days: 7 });
    expect(page).toContain("example.com, 2026-11-15 to 2026-11-21 (7 days, today included)");
    expect(result.period).not.toHaveProperty("timezone");
    const compared = await show("compare", shape, { days: 7 });
    expect(compared.page).toMatch(/2026-11-14 to 2026-11-20 compared with 2026-11-07 to 2026-11-13$/m);
  });

  it("has sites without what it does not say of them", async () => {
    const { csv, result } = await show("sites", shape);
    expect(csv.split("\n")[1]).toMatch(/^example.com,7,Example,,$/);
    expect(result.sites[0]).not.toHaveProperty("data_since");
  });

  it.each(["overview", "report"])(
    "is not asked again where another date is that of UTC: %s",
    async (name) => {
      const { asked } = await show(name, { ...shape, asOf: "2026-11-20T23:30:00Z" });
      expect(asked).toEqual((await show(name, shape)).asked);
    },
  );
});

it("says that it is not known whether the last day is over, and calls no day complete", async () => {
  const { page, warnings, result } = await show("stats", { knowsToday: false }, { days: 7 });
  expect(page).toContain("(7 days, Europe/Berlin)");
  expect(warnings).toContain("Whether the last day is over is not known.");
  expect(result.period).not.toHaveProperty("complete_through");
  const { result: past } = await show("stats", { knowsToday: false }, { period: "yesterday" });
  expect(past.period).toMatchObject({ partial: false, complete_through: YESTERDAY });
  // An average of whole days may not have one that has only begun.
  const average = await show("timeseries", { knowsToday: false }, { days: 7, interval: "weekday" });
  expect(average.page).toContain("6 complete days");
});

describe("a service whose breakdowns take no days", () => {
  const shape = { takesDays: false };

  it("is asked for one if the person names no days, which then has no period", async () => {
    const { page, markdown, result, csv } = await show("breakdown", shape, { dimension: "pages" });
    for (const text of [page, markdown]) expect(text).toContain("(period not stated by the service)");
    expect(result).not.toHaveProperty("period");
    expect(csv).not.toMatch(/share|percentage/);
  });

  it.each([
    ["breakdown", { dimension: "pages", days: 7 }, "days"],
    ["breakdown", { dimension: "pages", period: "yesterday" }, "period"],
    ["compare", { dimension: "pages", days: 7 }, "dimension"],
    ["conversions", { goal: "pages=/1" }, "goal"],
    ["conversions", { goal: "pages=/1", days: 7 }, "goal"],
  ])("refuses what needs its days, before it asks for them: %s of %j", async (name, params, parameter) => {
    const { asked, answer } = ask(name, shape, params);
    await expect(answer).rejects.toMatchObject({
      code: "invalid_parameter",
      message: `${parameter} cannot be used: this service's lists take no days.`,
      hint: expect.stringContaining("list that parameter in the service's description (/openapi.json)"),
      parameters: [{ parameter }],
    });
    expect(asked.filter((line) => line.startsWith("breakdown"))).toEqual([]);
  });

  it("compares totals without lists, and says so", async () => {
    const { result, notes } = await show("compare", shape, { days: 7 });
    expect(result.dimensions).toEqual([]);
    expect(result.change.visitors.absolute).not.toBeNull();
    const sentence =
      "Not compared: pages, referrers, channels, countries (this service's lists take no days).";
    expect(notes.split(sentence)).toHaveLength(3);
  });

  it.each(["overview", "report"])("has its lists in %s, under their own heading", async (name) => {
    const { page, markdown, result } = await show(name, shape);
    for (const text of [page, markdown])
      expect(text).toContain("Top lists: period not stated by the service");
    expect(result.top.every(({ no_period }: { no_period?: true }) => no_period)).toBe(true);
  });
});

describe("a service whose rows have one count", () => {
  it.each([
    ["pageviews", "page views"],
    ["count", "count"],
  ] as const)("shows it under its own name: %s", async (name, label) => {
    const shape = { takesDays: false, rowCounts: [name] };
    const { views, page, csv, warnings } = await show("breakdown", shape, { dimension: "pages" });
    expect(views[0]?.bars).toBe(name);
    expect(page).toContain(label);
    expect(csv).toContain(name);
    for (const text of [page, csv]) expect(text).not.toMatch(/visitors/);
    expect(warnings.includes("What the rows count is not said.")).toBe(name === "count");
    const overview = await show("overview", shape);
    const [list] = overview.result.top;
    expect(Object.keys(list.rows[0])).toEqual(["value", "label", name]);
    const lists = overview.views.filter(({ name }) => name === "pages");
    expect(lists[0]?.columns.map((column) => column.label)).toEqual(["value", "top pages", label]);
  });

  it("cannot be compared by it", async () => {
    await expect(
      ask("compare", { rowCounts: ["count"] }, { days: 7, dimension: "pages" }).answer,
    ).rejects.toMatchObject({
      code: "invalid_parameter",
      message: "dimension cannot be pages: this service does not say how many visitors its rows have.",
    });
  });
});

describe("a list that an answer lacks is named, with the reason, for people and models", () => {
  const PAST = { period: "last_week" };
  const countries = (error: AnalyticsError): PlainShape => ({ refusal: error });
  const refuse = (detail: string) =>
    new AnalyticsError("invalid_parameter", "No.", { parameters: [{ parameter: "dimension", detail }] });
  const unrecorded = refuse("is countries, which this source does not record without --geo; it has pages");
  const noVisitors = "this service does not say how many visitors its rows have";
  const ofAll = "pages, referrers, channels, countries";

  it.each<[string, PlainShape, string]>([
    ["counts no visitors", { rowCounts: ["pageviews"] }, `${ofAll}, devices (${noVisitors})`],
    ["is not recorded", countries(unrecorded), "countries (this source has no country database)"],
    ["is refused", countries(refuse("<b>no</b>")), "countries (refused by the service)"],
    [
      "is cut in another order",
      { listWarnings: [{ code: "other_order", detail: "Not by visitors." }] },
      `${ofAll}, devices (this service cuts its lists in an order of its own)`,
    ],
  ])("that %s", async (_, shape, sentence) => {
    const { result, notes } = await show("overview", shape, PAST);
    const lacking = sentence.slice(0, sentence.indexOf(" (")).split(", ");
    expect(result.missing.map(({ dimension }: { dimension: string }) => dimension)).toEqual(lacking);
    expect(result.top.map(({ dimension }: { dimension: string }) => dimension)).not.toContain("countries");
    expect(notes.split(`Not shown: ${sentence}.`)).toHaveLength(3);
    const report = await show("report", shape, PAST);
    expect(report.notes).toContain(
      sentence.replace("devices (", "devices, browsers, operating_systems, utm_campaigns, events ("),
    );
    const compared = await show("compare", shape, { days: 7 });
    expect(compared.notes).toContain(`Not compared: ${sentence.replace(", devices", "")}.`);
  });

  it.each(["internal_error", "unavailable", "bad_answer", "too_large"] as const)(
    "that fails on its own (%s), in a warning with what was said",
    async (code) => {
      const shape = countries(new AnalyticsError(code, "It failed."));
      for (const [name, verb] of [
        ["overview", "shown"],
        ["report", "shown"],
        ["compare", "compared"],
      ] as const) {
        const { notes, result } = await show(name, shape, { days: 7 });
        expect(result.missing).toContainEqual({ dimension: "countries", reason: "It failed.", failed: true });
        // To people and to models.
        expect(notes.split(`Not ${verb}: countries. It failed.`)).toHaveLength(3);
      }
      expect(await refused("compare", shape, { days: 7, dimension: "countries" })).toMatchObject({ code });
    },
  );

  it.each([
    "rate_limited",
    "invalid_api_key",
    "unreachable",
    "timeout",
    "cancelled",
    "site_not_found",
  ] as const)("unless its failure concerns all (%s)", async (code) => {
    const shape = countries(new AnalyticsError(code, "Try again."));
    for (const name of ["overview", "report", "compare"])
      expect(await refused(name, shape, { days: 7 })).toMatchObject({ code });
  });

  it("and so is the change of events, before notes that explain, where there are some", async () => {
    const { views } = await show("overview", {}, PAST);
    // Behind what changes most how the numbers are read.
    for (const reader of ["models", "shell", "people"] as const)
      expect(formatNotes(views[0]?.notes ?? [], reader)[1]).toBe(
        "Events are shown without those of the days before.",
      );
    const without = await show("overview", { hasEvents: false }, PAST);
    expect(without.notes).not.toContain("Events have no change");
  });

  it("and a page names no share where its lists have none", async () => {
    const headingOf = async (shape: PlainShape) => {
      const { result } = await show("report", shape, { days: 7 });
      return drawTopLists(reportResult().parse(result), createFormat("en-US")).map(printMarkup).join("");
    };
    expect(await headingOf({})).toContain("share of all visitors; rows may not add up");
    const without = await headingOf({ takesDays: false });
    expect(without).toContain("rows may not add up");
    expect(without).not.toContain("share of");
  });

  it("and so are dead links, which a check does not take for none", async () => {
    const noLinks = new AnalyticsError("internal_error", "It failed.");
    const { warnings } = await show("report", { noLinks }, { days: 7 });
    expect(warnings).toContain("Not shown: dead links. It failed.");
    const service = createPlainCall({ noLinks });
    for (const condition of [{ deadLinks: 1 }, { serverErrors: 1 }])
      await expect(createCheck(condition).ask(service.call, { site: "example.com" }, {})).rejects.toBe(
        noLinks,
      );
  });

  it("and lists of past days need no totals, but for comparisons", async () => {
    const shape = { hasTotals: false };
    const rowsOf = async (given: PlainShape) => (await show("overview", given, PAST)).result.top[0].rows;
    expect(await rowsOf(shape)).toEqual(await rowsOf({}));
    expect((await show("overview", shape, PAST)).result).not.toHaveProperty("missing");
    expect((await show("compare", shape, { days: 7 })).notes).toContain(
      "Not compared: pages, referrers, channels, countries (this service's breakdowns have no totals).",
    );
  });

  it("and past rows have no page views where the service has none", async () => {
    const { result, page } = await show(
      "breakdown",
      { rowCounts: ["visitors"] },
      { dimension: "pages", period: "yesterday" },
    );
    expect(result.rows[0].visitors).toBeGreaterThan(0);
    expect(result.rows[0]).not.toHaveProperty("pageviews");
    expect(page).not.toMatch(/ 0 /);
  });

  it("and so are events of days that the service does not take", async () => {
    const { result, warnings } = await show("stats", { refusedDays: [2] }, { period: "yesterday" });
    expect(result).not.toHaveProperty("events");
    expect(warnings).toContain("Events of these days are not known");
  });
});

describe("a service that counts a visitor once in all days", () => {
  const shape = { isUnique: true };

  it("is answered for days until today as it counts, without what daily visitors are", async () => {
    const { result, notes, warnings } = await show("stats", shape, { days: 7 });
    const { result: daily } = await show("stats", {}, { days: 7 });
    expect(result.visitors).toBe(Math.floor(daily.visitors / 2));
    expect(warnings).toContain("Visitors count once.");
    expect(notes).not.toMatch(/added up/);
  });

  it.each([
    ["breakdown", { dimension: "pages" }],
    ["conversions", { goal: "pages=/1" }],
  ])("is not asked to add days up: %s of %j", async (name, params) => {
    const asked = { ...params, period: "last_week" };
    const error = await refused(name, shape, asked);
    expect(error).toMatchObject({
      code: "invalid_parameter",
      message: expect.stringContaining(
        "period must end today: this service seems to count each visitor once per period, so its days cannot be added up",
      ),
    });
    expect(adviseOnRefusal({ name }, error as AnalyticsError, { site: "example.com", ...asked })).toEqual({
      hint: undefined,
      next: [{ why: "Nearest", name, params: { site: "example.com", ...params, days: 13 } }],
    });
    expect(await refused(name, shape, { ...params, days: 7 })).toBeUndefined();
    expect(await refused(name, {}, asked)).toBeUndefined();
  });

  it.each(["stats", "overview", "report"])(
    "has the page views and events of earlier days in %s, and visitors that are missing",
    async (name) => {
      const asked = { period: "last_week" };
      const { result, csv, page, markdown, warnings, notes } = await show(name, shape, asked);
      const { result: daily } = await show("stats", {}, asked);
      expect(result).toMatchObject({ visitors: null, pageviews: daily.pageviews, events: 14 });
      expect(warnings.match(/once per period/g)).toHaveLength(1);
      expect(warnings).toContain("Visitors are missing: this service seems to count each visitor once");
      expect(notes).not.toMatch(/added up: coming/);
      for (const text of [csv, page, markdown]) expect(text).not.toMatch(/visitors( \|)? +0\b/);
      if (name === "stats") return;
      const compared = await show("compare", shape, asked);
      expect(result.comparison.per_day).toEqual(compared.result.per_day);
      expect(result.comparison.pageviews).toEqual(compared.result.change.pageviews);
      expect(result.comparison.previous).not.toHaveProperty("visitors");
      expect(result.top).toEqual([]);
      expect(result.missing[0]).toEqual({
        dimension: "pages",
        reason: expect.stringMatching(/so its days cannot be added up$/),
        days: 13,
      });
    },
  );

  const check = async (conditions: Conditions, asked: Record<string, unknown>) => {
    const params = { site: "example.com", period: "last_week", ...asked };
    const { result } = await createCheck(conditions).ask(createPlainCall(shape).call, params, {});
    return result as CheckResult;
  };

  it("is checked by what its earlier days have, and says why not by their visitors", async () => {
    const { warnings } = await check({ above: 1 }, { metric: "pageviews" });
    expect(warnings).toEqual([]);
    const refuse = (period: string) => check({ below: 1 }, { period }).catch((error: unknown) => error);
    const reason = "this service seems to count each visitor once per period";
    expect(await refuse("last_week")).toMatchObject({
      message: expect.stringContaining(`below cannot check visitors of several days: ${reason}`),
      next: [{ params: { period: "2026-11-15" } }, { params: { metric: "pageviews" } }],
    });
    expect(await refuse("this_week")).toMatchObject({
      message: expect.stringContaining(`several days: only complete days are checked, and ${reason}`),
      next: [{ params: { period: "yesterday" } }, { params: { metric: "pageviews" } }],
    });
    for (const asked of [{ period: "yesterday" }, { period: "this_week", metric: "pageviews" }])
      await expect(check({ below: 1 }, asked)).resolves.toBeDefined();
  });

  it("is checked for a change of visitors a day, as it is compared", async () => {
    const compared = (await show("compare", shape, { period: "last_week" })).result.per_day.visitors;
    const { findings, warnings } = await check({ change: { least: 1 } }, {});
    const [text] = findings.map((finding) => formatNotes([finding.text], "people").join(""));
    expect(text).toMatch(`had ${compared.current} visitors a day from 2026-11-09 to 2026-11-15: `);
    expect(text).toMatch(`${Math.abs(compared.percent)}% from ${compared.previous} a day from 2026-11-02`);
    expect(warnings).toEqual([expect.objectContaining({ detail: expect.stringContaining("by day") })]);
  });

  it.each(["week", "month"])("has the page views of each %s, and no visitors of it", async (interval) => {
    for (const days of [{ days: 14 }, {}, { period: "last_week" }]) {
      const asked = { ...days, interval };
      const { result, warnings, notes, csv, views } = await show("timeseries", shape, asked);
      const { points } = (await show("timeseries", {}, asked)).result;
      // A week or a month of a single day so far has its visitors.
      const expected = points.map((point: Shown) => ({
        ...point,
        visitors: point.days === 1 ? point.visitors : null,
      }));
      expect(result.points).toEqual(expected);
      const pageviews = expected.map((point: Shown) => point.pageviews);
      expect(views[0]?.series).toMatchObject({ label: `page views a ${interval}`, values: pageviews });
      expect(warnings.match(/once per period|count once/g)).toEqual(["once per period"]);
      expect(warnings).toContain("Visitors are missing: ");
      expect(notes).not.toContain("added up: coming");
      expect(csv).not.toMatch(/,0,/);
      expect((await show("timeseries", shape, { ...days, interval: "day" })).warnings).not.toContain(
        "missing",
      );
    }
  });

  it("has single days", async () => {
    const { result } = await show("stats", shape, { period: "yesterday" });
    expect(result.visitors).toBe(visitorsOn(YESTERDAY));
  });

  it.each(["overview", "report"])(
    "has totals of the last days in %s, compared by day without today",
    async (name) => {
      const { result, notes, warnings, views } = await show(name, shape, { days: 7 });
      const { result: totals } = await show("stats", shape, { days: result.period.days });
      expect(result).toMatchObject({ visitors: totals.visitors, period: totals.period });
      const compared = await show("compare", shape, {
        period: "2026-11-15/2026-11-20",
        against: "2026-11-08/2026-11-13",
      });
      expect(result.comparison.per_day).toEqual(compared.result.per_day);
      expect(result.comparison.previous).toMatchObject({
        ...{ from: "2026-11-08", to: "2026-11-13", pageviews: null },
      });
      expect(result.comparison.pageviews).toEqual({ absolute: null, percent: null });
      // Sums with today beside those without it would look like growth.
      expect(views[0]?.rows[1]).toMatchObject({ label: "page views", previous: null, change: null });
      expect(warnings).toContain("the averages are of complete days, 2026-11-15 to 2026-11-20.");
      expect(`${warnings}${notes}`).not.toMatch(/Not compared|no days before|The periods have/);
      expect((await show(name, shape, { period: "all" })).result.comparison).toBeNull();
      expect(result.trend.visitors).toHaveLength(result.period.days);
      expect(notes).toContain("Visitors count once.");
    },
  );

  it("is compared by page views and by visitors a day", async () => {
    const { result, warnings, views } = await show("compare", shape, { days: 7 });
    expect(views[0]?.rows.map(({ label }) => label)).toEqual([
      "page views",
      "visitors a day",
      "page views a day",
    ]);
    expect(result.current).not.toHaveProperty("visitors");
    expect(result.change.visitors).toEqual({ absolute: null, percent: null });
    expect(result.change.pageviews.absolute).not.toBeNull();
    expect(result.per_day.visitors.current).toBeGreaterThan(0);
    expect(warnings).toContain("are compared by day");
  });

  it("lists its sites with the page views of a period", async () => {
    const { result, views } = await show("sites", shape, { period: "last_7_days" });
    expect(result.sites[0]).not.toHaveProperty("visitors");
    expect(result.sites[0].comparison.per_day.visitors.percent).not.toBeNull();
    expect(views[0]?.rows[0]).toMatchObject({
      visitors: null,
      visitors_before: null,
      visitors_percent: null,
    });
    expect(result.sites[0].pageviews).toBeGreaterThan(0);
  });
});

describe("a service whose days end yesterday", () => {
  const shape = { lastDay: YESTERDAY };

  it("is asked for past days from there", async () => {
    const { asked, result } = await show("stats", shape, { period: "yesterday" });
    expect(asked).toEqual(["stats 1"]);
    expect(result.visitors).toBe(visitorsOn(YESTERDAY));
    const before = await show("stats", shape, { period: "2026-11-18" });
    expect(before.result).toMatchObject({ visitors: visitorsOn("2026-11-18"), period: { to: "2026-11-18" } });
    expect(before.asked).toContain("timeseries 3");
  });

  it("has no today to ask for", async () => {
    expect(await refused("stats", shape, { period: "today" })).toMatchObject({
      code: "invalid_parameter",
      message: expect.stringContaining("2026-11-20"),
    });
  });

  it.each([
    ["overview", LAST_WEEK],
    ["overview", TODAY_SO_FAR],
    ["report", LAST_WEEK],
    ["report", TODAY_SO_FAR],
  ] as const)("has no today in %s of %j", async (name, params) => {
    const { result, page } = await show(name, shape, params);
    expect(result.today).toBeUndefined();
    expect(result.trend).toMatchObject({ partial: false });
    expect(result.trend.visitors).toHaveLength(result.period.days);
    expect(page).not.toMatch(/today so far|visitors today/);
    // A report of days that are over has no today anyway.
    if (name === "report" && params === LAST_WEEK) return;
    expect((await show(name, {}, params)).result.today).toMatchObject({ date: PLAIN_TODAY });
  });

  it("compares days that end there", async () => {
    const { result } = await show("compare", shape, { days: 7 });
    const { result: other } = await show("compare", {}, { days: 7 });
    expect(result.current).toEqual(other.current);
    expect(result.previous).toEqual(other.previous);
  });

  it("lists its sites with days that end there", async () => {
    const listed = async (given: PlainShape) =>
      (await show("sites", given, { period: "last_7_days" })).result.sites[0];
    expect(await listed(shape)).toEqual(await listed({}));
  });
});

describe("days that a series lacks", () => {
  const shape = { missing: ["2026-11-17", "2026-11-18"] };

  it("have no number in any form", async () => {
    const { csv, page, views, warnings } = await show("timeseries", shape, { days: 7 });
    expect(csv).toMatch(/^2026-11-17,,/m);
    expect(page).toMatch(/2026-11-17 Tue +– +–/);
    expect(views[0]?.series?.values.slice(1, 5)).toEqual([
      visitorsOn("2026-11-16"),
      null,
      null,
      visitorsOn("2026-11-19"),
    ]);
    expect(warnings).toContain("No number for 2026-11-17.");
  });

  it.each(["overview", "report"])("are not drawn as nobody in %s", async (name) => {
    const { result, page, markdown } = await show(name, shape, { days: 7 });
    expect(result.trend.visitors.slice(3, 5)).toEqual([null, null]);
    expect(page).not.toMatch(/··/);
    expect(markdown).not.toMatch(/··/);
  });

  it("are in no average", async () => {
    const { result } = await show("compare", shape, { days: 7 });
    expect(result.current).toMatchObject({ days: 7, days_with_data: 5 });
    expect(result.per_day.visitors.current).toBe(Number((result.current.visitors / 5).toFixed(1)));
  });

  it("make a week incomplete", async () => {
    const { result, warnings } = await show("timeseries", shape, { days: 13, interval: "week" });
    expect(result.points[0]).not.toHaveProperty("partial");
    expect(result.points[1]).toMatchObject({ from: "2026-11-16", partial: true, days: 4 });
    expect(warnings).toContain("2026-11-16 to 2026-11-21 (4 of 7 days");
  });
});

describe("tools answer with what there is, as their schemas allow", () => {
  const least: PlainShape = {
    hasEvents: false,
    timezone: undefined,
    knowsToday: false,
    takesDays: false,
    rowCounts: ["count"],
    isUnique: true,
    missing: ["2026-11-17"],
  };

  it.each([
    ["list_sites", {}, "example.com"],
    ["get_stats", { site: "example.com", days: 7 }, "Visitors count once."],
    ["get_timeseries", { site: "example.com", days: 7 }, "No number for 2026-11-17."],
    ["get_breakdown", { site: "example.com", dimension: "pages" }, "period not stated by the service"],
    ["get_overview", { site: "example.com" }, "period not stated by the service"],
    ["compare_periods", { site: "example.com", days: 7 }, "compared by day"],
    ["get_realtime", { site: "example.com" }, "4"],
  ])("%s", async (name, args, words) => {
    // The client checks an answer against the tool's schema once it has the list.
    const client = await connectInProcess({ call: createPlainCall(least).call });
    try {
      await client.listTools();
      const answer = await client.callTool(name, args);
      expect(answer.isError, textOf(answer)).toBeFalsy();
      expect(textOf(answer)).toContain(words);
      expect(textOf(answer)).not.toMatch(/undefined|NaN/);
    } finally {
      await client.close();
    }
  });
});
