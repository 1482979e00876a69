import { describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../src/errors.ts";
import { drawTopLists } from "../../../src/mcp/chart/draw-overview.ts";
import { createFormat } from "../../../src/mcp/chart/format.ts";
import { printMarkup } from "../../../src/mcp/chart/markup.ts";
import { realtime } from "../../../src/operations/index.ts";
import { findNext, formatNotes } from "../../../src/operations/note.ts";
import { listNotes, listWarnings } from "../../../src/operations/view.ts";
import { cleanValue } from "../../../src/render/clean-value.ts";
import { letterQuery } from "../../../src/reports/letter.ts";
import { noteMissing } from "../../../src/reports/missing-parts.ts";
import { reportResult } from "../../../src/reports/overview.ts";
import { findQuery } from "../../../src/reports/queries.ts";
import { reportQuery } from "../../../src/reports/site-report.ts";
import { findOtherDays } from "../../../src/sources/described/allowed-days.ts";
import { summarizeService } from "../../../src/sources/described/service-summary.ts";
import { listLacks } from "../../../src/sources/described/summary-text.ts";
import { createSmallService, describeParameters, listDays, Reply, TODAY } from "./small-service.ts";

const takesDays = { "/breakdown": { days: { type: "integer" } } };
const warningsOf = ({ warnings = [] }: { warnings?: { detail: string }[] }) =>
  warnings.map(({ detail }) => detail).join(" ");

describe("events", () => {
  const threeDays = { days: { type: "integer", enum: [7, 30] } };
  const document = () => describeParameters({ "/stats": threeDays });

  it("are said to be absent only where the service has none", async () => {
    const { ask } = createSmallService({ "/stats": () => ({ visitors: 70, pageviews: 140 }) });
    expect(warningsOf(await ask("stats", { days: 7 }))).toContain("This service has no events.");
  });

  it("are then no goal, whatever the service answers about them", async () => {
    const totals = { "/stats": () => ({ visitors: 70, pageviews: 140 }), "/breakdown": () => [] };
    for (const answers of [totals, { ...totals, "/openapi.json": () => describeParameters(takesDays) }]) {
      const asked = createSmallService(answers).ask("conversions", { goal: "events=signup", days: 7 });
      await expect(asked).rejects.toThrow("goal cannot be an event: this service has no events.");
    }
  });

  it("that are not known of some days are not said to be absent", async () => {
    const parameters = { "/stats": threeDays, "/breakdown": { days: { type: "integer" } } };
    const { ask } = createSmallService({
      "/openapi.json": () => describeParameters(parameters),
      "/breakdown": () => [],
    });
    expect(await ask("conversions", { goal: "events=signup", days: 5 })).toMatchObject({
      visitors: 50,
      converted: 0,
    });
  });

  it("of days that the service does not have are unknown, and not absent", async () => {
    const { ask } = createSmallService({ "/openapi.json": document });
    const answer = await ask("stats", { days: 5 });
    expect(answer).toMatchObject({ visitors: 50, pageviews: 100 });
    expect(answer).not.toHaveProperty("events");
    expect(warningsOf(answer)).toContain("Events of these days are not known");
    expect(warningsOf(answer)).not.toContain("has no events");
  });

  it("of past days are said to be absent only where the service has none", async () => {
    const refuse = (events: object) => (query: URLSearchParams) => {
      const days = Number(query.get("days"));
      // Visitors of several days do not add up.
      return days === 7 || days === 30
        ? { visitors: 6 * days, pageviews: 20 * days, ...events }
        : new Reply(400, { error: "days must be one of 7 or 30" });
    };
    for (const [events, said] of [
      [{}, "This service has no events."],
      [{ events: 3 }, "Events of these days are not known"],
    ] as const) {
      const { ask } = createSmallService({ "/stats": refuse(events) });
      const warned = warningsOf(await ask("stats", { period: "yesterday" }));
      expect(warned).toContain(said);
      expect(warned.match(/\bevents\b/gi)).toHaveLength(1);
    }
  });

  it("of more past days are not said to be absent where the service has them", async () => {
    const { ask } = createSmallService({ "/openapi.json": document });
    // The totals of 7 days have events, those of the days after have not.
    const { missing, warnings } = await ask("overview", { period: "2026-11-14/2026-11-18" });
    expect(warningsOf({ warnings })).toContain("Events of these days are not known");
    expect(missing?.some(({ part }: { part?: string }) => part === "events")).not.toBe(true);
  });
});

describe("a question that names no days", () => {
  const listed = { days: { type: "integer", enum: [7, 30, 90] } };
  const parameters = { "/stats": listed, "/timeseries": listed, "/breakdown": listed };

  const refuse = (answer: (days: number) => unknown) => (query: URLSearchParams) => {
    const days = Number(query.get("days"));
    return [7, 30, 90].includes(days) ? answer(days) : new Reply(400, { error: "days?" });
  };
  // Visitors are counted once in all days, so that those of other numbers of days cannot be added up.
  const service = {
    "/openapi.json": () => describeParameters(parameters),
    "/stats": refuse((days) => ({ visitors: 31, pageviews: 20 * days })),
    "/timeseries": refuse((days) => listDays(days).map((date) => ({ date, visitors: 10, pageviews: 20 }))),
    "/breakdown": refuse(() => [{ page: "/", visitors: 40, pageviews: 90 }]),
  };

  it.each([
    ["stats", {}, 30],
    ["breakdown", { dimension: "pages" }, 30],
    // Days can be cut from more.
    ["timeseries", {}, 28],
  ])("about %s is answered for the nearest that the service has", async (name, params, days) => {
    const { ask } = createSmallService(service);
    // Another question by the same call knows the service.
    for (const answer of [await ask(name, params), await ask(name, params)]) {
      expect(answer.period).toMatchObject({ days });
      const said = "so this covers 30, not the default 28.";
      expect(warningsOf(answer).includes(said)).toBe(days === 30);
    }
  });

  it("is about four weeks where any are allowed", async () => {
    const { ask } = createSmallService({ "/openapi.json": () => describeParameters(takesDays) });
    expect((await ask("breakdown", { dimension: "pages" })).period).toMatchObject({ days: 28 });
  });

  it("is refused for days that it names and the service does not have", async () => {
    const asked = createSmallService(service).ask("breakdown", { dimension: "pages", days: 28 });
    await expect(asked).rejects.toThrow(
      "days cannot be 28: this service has lists only of 7, 30 or 90 days.",
    );
  });
});

it("sends the domain of sites that have no identifiers, and calls it that", async () => {
  const { call, ask } = createSmallService({ "/sites": () => [{ host: "acme.example" }] });
  await ask("stats", { days: 7 });
  expect((await call.readDescribed({}))?.reader.learned().site).toBe("domain");
});

it.each([
  [{}, "As of 2026-11-20, 12:00:00 UTC."],
  [{ timezone: "Europe/Berlin" }, "As of 2026-11-20, 13:00:00 at the site."],
])("says whose time it is at a site with %j", async (zone, note) => {
  const { call } = createSmallService({ "/sites": () => [{ id: 7, domain: "acme.example", ...zone }] });
  const answer = await call(realtime, { site: "acme.example" });
  expect(JSON.stringify(realtime.view(answer, { site: "acme.example" }))).toContain(note);
});

it.each([
  [{}, 5, "active in the last 5 minutes"],
  [{ window_minutes: 30 }, 30, "active in the last 30 minutes"],
  [{ windowMinutes: 1 }, 1, "active in the last minute"],
])("says of how many minutes active visitors are: %j", async (stated, minutes, headline) => {
  const { call } = createSmallService({ "/realtime": () => ({ active: { visitors: 2, ...stated } }) });
  const answer = await call(realtime, { site: "acme.example" });
  expect(answer).toMatchObject({ visitors: 2, window_minutes: minutes });
  expect(realtime.view(answer, { site: "acme.example" }).headline).toContain(headline);
});

it("compares page views by their sums where only visitors do not add up", async () => {
  const { ask } = createSmallService({
    "/stats": (query) => ({ visitors: 31, pageviews: 20 * Number(query.get("days")) }),
    "/timeseries": (query) =>
      listDays(Number(query.get("days"))).map((date) => ({
        date,
        visitors: 10,
        pageviews: date < "2026-11-13" ? 20 : 30,
      })),
  });
  const { change } = await ask("compare", { days: 7 });
  expect(change).toMatchObject({ visitors: { percent: null }, pageviews: { absolute: 70, percent: 50 } });
});

describe("a service that has only some numbers of days", () => {
  const listed = { days: { type: "integer", enum: [7, 30, 90] } };
  const daysOf = (query: URLSearchParams) => Number(query.get("days") ?? 30);
  const allow = (answer: (days: number) => unknown) => (query: URLSearchParams) =>
    [7, 30, 90].includes(daysOf(query))
      ? answer(daysOf(query))
      : new Reply(400, { error: "days must be one of 7, 30 or 90" });
  const service = (each: number) => ({
    "/stats": allow((days) => ({ visitors: each * days, pageviews: 20 * days, events: 3 })),
    "/timeseries": allow((days) => listDays(days).map((date) => ({ date, visitors: 10, pageviews: 20 }))),
    "/breakdown": allow((days) => [{ page: "/", visitors: each * days, pageviews: 20 * days }]),
  });
  const described = {
    ...service(10),
    "/openapi.json": () =>
      describeParameters({ "/stats": listed, "/timeseries": listed, "/breakdown": listed }),
  };
  const NO_LIST = "this service has lists only of 7, 30 or 90 days up to today";
  const NO_CHANNELS = { dimension: "channels", reason: "this service has no such list" };
  const dimension = { type: "string", enum: ["pages"] };
  const withDimensions = {
    ...described,
    "/openapi.json": () =>
      describeParameters({ "/stats": listed, "/timeseries": listed, "/breakdown": { ...listed, dimension } }),
  };

  it.each([
    [{}, 30, "2026-10-22"],
    [{ days: 7 }, 7, "2026-11-14"],
    [{ days: 14 }, 30, "2026-10-22"],
    [{ period: "yesterday" }, 7, "2026-11-14"],
  ])(
    "has an overview of %j with the lists of the nearest days, which are named",
    async (params, days, from) => {
      const { ask, call } = createSmallService(withDimensions);
      const { top, missing, period, warnings } = await ask("overview", params);
      expect(top.map((list: { dimension: string }) => list.dimension)).toEqual(["pages"]);
      expect(top[0]).toMatchObject({ period: { from, to: TODAY, days }, rows: [{ visitors: 10 * days }] });
      expect(period.to).toBe("2026-11-19");
      expect(missing).toContainEqual(NO_CHANNELS);
      expect(warningsOf({ warnings })).toContain(`Lists cover the ${days} days until ${TODAY}: ${NO_LIST}.`);
      // Its events are there, but not of these days.
      expect(missing.some(({ part }: { part?: string }) => part === "events")).toBe(false);
      const heading = `Top lists: ${from} to ${TODAY} (${days} days, today included)`;
      for (const query of [findQuery("overview"), reportQuery]) {
        const { views } = await query.ask(call, query.params.parse({ site: "acme.example", ...params }), {});
        const headlines = views
          .map(({ headline }) => headline)
          .filter((text) => text.startsWith("Top lists"));
        expect(headlines).toEqual([heading]);
      }
    },
  );

  it("says the days of a list where a page or a letter has it beside other days", async () => {
    const { call } = createSmallService(withDimensions);
    const params = letterQuery.params.parse({ site: "acme.example", days: 7 });
    const { views } = await letterQuery.ask(call, params, {});
    const labels = views.flatMap(({ columns }) => columns.map(({ label }) => label));
    expect(labels).toContain("top pages: 2026-11-14 to 2026-11-20 (7 days, today included)");
    const { result } = await reportQuery.ask(call, params, {});
    const report = cleanValue(reportResult().parse(result));
    const page = drawTopLists(report, createFormat("en")).map(printMarkup).join("");
    expect(page).toMatch(/Nov 14\s–\s20, 2026/);
  });

  it("has no lists of an earlier period, which are named with what there is", async () => {
    const { ask } = createSmallService(withDimensions);
    const { top, missing, ...totals } = await ask("overview", { period: "last_week" });
    expect(totals).toMatchObject({ visitors: 70, comparison: { previous: { days: 7 } } });
    expect(top).toEqual([]);
    expect(missing).toEqual([
      { dimension: "pages", reason: NO_LIST, days: 30 },
      { dimension: "referrers", reason: NO_CHANNELS.reason },
      NO_CHANNELS,
      { dimension: "countries", reason: NO_CHANNELS.reason },
      { dimension: "devices", reason: NO_CHANNELS.reason },
    ]);
    expect(noteMissing(missing, "shown", true).map(findNext)).toContainEqual({
      why: "One of them",
      name: "breakdown",
      params: { dimension: "pages", days: 30 },
    });
  });

  it("speaks of an unfinished day only where it may be among the days", async () => {
    const zoneless = { ...described, "/sites": () => [{ id: 7, domain: "acme.example" }] };
    const { ask } = createSmallService(zoneless);
    const said = "is taken as today";
    for (const name of ["overview", "stats", "timeseries", "compare"])
      expect(JSON.stringify(await ask(name, { period: "last_week" }))).not.toContain(said);
    expect(warningsOf(await ask("stats", { days: 7 }))).toContain(said);
  });

  it("has a comparison without its lists, and says of one why there is none", async () => {
    const { ask } = createSmallService(described);
    const { missing } = await ask("compare", { days: 30 });
    expect(missing).toContainEqual({ dimension: "pages", reason: NO_LIST, days: 30 });
    await expect(ask("compare", { days: 30, dimension: "pages" })).rejects.toThrow(
      `dimension cannot be pages: ${NO_LIST}.`,
    );
  });

  it("refuses a list of another period for the period, and says which days there are", async () => {
    const { ask } = createSmallService(described);
    for (const [name, given] of [
      ["breakdown", { dimension: "pages" }],
      ["conversions", { goal: "pages=/" }],
    ] as const) {
      await expect(ask(name, { ...given, period: "last_week" })).rejects.toMatchObject({
        message: `period cannot be used for pages: ${NO_LIST}.`,
        hint: "Ask for pages of 30 days up to today (days).",
      });
    }
    expect(await ask("conversions", { goal: "pages=/", days: 30 })).toMatchObject({ visitors: 300 });
  });

  it("has the lists of days until today, the nearest that it has if none were named, and says so", async () => {
    // With a description, and where only refusals name the days.
    for (const answers of [{ ...described, ...service(6) }, service(6)]) {
      const { ask } = createSmallService(answers);
      for (const [params, days] of [
        [{}, 30],
        [{ days: 7 }, 7],
      ] as const) {
        const { period, top, visitors, warnings } = await ask("overview", params);
        expect([period.days, period.to, visitors]).toEqual([days, TODAY, 6 * days]);
        expect(top.length).toBeGreaterThan(0);
        expect(warningsOf({ warnings })).toContain(`this covers the ${days} days until ${TODAY}.`);
      }
    }
  });

  it.each([
    [{ days: 60 }, "days must be at most 44: this service reaches back only to 2026-08-23, and as many days"],
    [
      { period: "2026-09" },
      "period cannot be compared: the days before begin on 2026-08-01, and this service",
    ],
    [
      { period: "2026-10", against: "2026-08" },
      "against begins on 2026-08-01, and this service reaches back",
    ],
    [{ period: "2026-07" }, "period must not begin before 2026-08-23: this service reaches back no further."],
  ])("says which of the days to compare it does not reach: %j", async (asked, message) => {
    for (const answers of [described, service(6)])
      await expect(createSmallService(answers).ask("compare", asked)).rejects.toThrow(message);
  });

  it("is asked for no earlier day than it has, whatever the contract's services have", async () => {
    const { ask } = createSmallService(described);
    await expect(ask("stats", { period: "2025" })).rejects.toMatchObject({
      message: "period must not begin before 2026-08-23: this service reaches back no further.",
      hint: "The period all is everything that it has.",
    });
  });

  it("has the days that are asked for where it does not reach those before", async () => {
    const { ask } = createSmallService(described);
    const { visitors, comparison, warnings } = await ask("overview", { days: 60 });
    expect({ visitors, comparison }).toEqual({ visitors: 600, comparison: null });
    expect(warningsOf({ warnings })).toContain("the source does not reach back so far");
    // Without today, there is one day less than it answers for.
    const most = await ask("overview", { days: 90 });
    expect(most).toMatchObject({ visitors: 890, period: { from: "2026-08-23", to: "2026-11-19" } });
    expect(warningsOf(most)).toContain("reaches back only to 2026-08-23, so this covers 89 days, not 90.");
    await expect(ask("overview", { days: 91 })).rejects.toThrow(
      "days must be at most 89: this service reaches back only to 2026-08-23.",
    );
    await expect(ask("overview", { period: "2026-08-22/2026-11-19" })).rejects.toThrow(
      "period must not begin before 2026-08-23",
    );
    const unique = createSmallService(service(6));
    expect(await unique.ask("overview", { days: 90 })).toMatchObject({ visitors: 540, period: { days: 90 } });
  });

  it("says first that a list was cut by the service, below what was asked", async () => {
    const rows = Array.from({ length: 152 }, (_, index) => ({ page: `/${index}`, visitors: 200 - index }));
    const { call } = createSmallService({
      "/openapi.json": () =>
        describeParameters({ "/breakdown": { limit: { type: "integer", maximum: 20 } } }),
      "/breakdown": (query) => rows.slice(0, Number(query.get("limit"))),
    });
    const query = findQuery("breakdown");
    const params = query.params.parse({ site: "acme.example", dimension: "pages", limit: 50 });
    const { views } = await query.ask(call, params, { usesDefaultDays: true });
    const warned = listWarnings(views).length;
    expect(formatNotes(listNotes(views), "people")[warned]).toBe("Only the first 20: there may be more.");
  });

  it("says in words that nothing is known of a goal, in place of a range from none to all", async () => {
    const limits = { limit: { type: "integer", maximum: 2 }, days: { type: "integer" } };
    const { call } = createSmallService({
      "/openapi.json": () => describeParameters({ "/breakdown": limits }),
    });
    const query = findQuery("conversions");
    const params = { site: "acme.example", goal: "pages=/thanks", period: "last_week" };
    const { views } = await query.ask(call, query.params.parse(params), {});
    expect(views[0]?.rows).toEqual([{ visitors: 70, converted: null, conversion_rate: null }]);
    expect(formatNotes(listNotes(views), "people")).toContain(
      "How many reached the goal is not known: it is not among the pages that the service lists, which may not be all.",
    );
  });

  it("has fewer days by default where there are fewer, and says so", async () => {
    const most = { days: { type: "integer", maximum: 14 } };
    const { ask } = createSmallService({
      "/openapi.json": () => describeParameters({ "/stats": most, "/timeseries": most, "/breakdown": most }),
    });
    const { period, visitors, warnings } = await ask("overview");
    expect({ ...period, visitors }).toMatchObject({ days: 13, to: "2026-11-19", visitors: 130 });
    expect(warningsOf({ warnings })).toContain(
      "reaches back only to 2026-11-07, so this covers 13 days, not 28.",
    );
    await expect(ask("overview", { days: 28 })).rejects.toThrow("days must be at most 13");
  });

  it("answers for a named period or refuses it, and shows no other days", async () => {
    const { ask } = createSmallService(service(6));
    for (const period of ["last_week", "last_7_days", "2026-11-02/2026-11-08"]) {
      for (const name of ["stats", "overview"])
        expect(await ask(name, { period })).toMatchObject({
          visitors: null,
          pageviews: 140,
          warnings: expect.arrayContaining([
            { code: "period_visitors", detail: expect.stringMatching(/^Visitors are missing: /) },
          ]),
        });
      const { current } = await ask("compare", { period });
      expect(await ask("timeseries", { period })).toMatchObject({ period: { from: current.from } });
    }
    for (const name of ["stats", "overview"])
      await expect(ask(name, { period: "this_week" })).rejects.toThrow(
        "period cannot be used: this service seems to count each visitor once per period, and has totals only of 7, 30 or 90 days.",
      );
    const week = { period: { from: "2026-11-14", to: TODAY, days: 7 }, visitors: 42 };
    for (const name of ["stats", "overview"])
      expect(await ask(name, { period: "2026-11-14/2026-11-20" })).toMatchObject(week);
  });

  it("is asked for these where only its refusals name them", async () => {
    const { ask } = createSmallService(service(10));
    expect(await ask("stats")).toMatchObject({ visitors: 280, period: { days: 28 } });
    expect(await ask("overview", { days: 7 })).toMatchObject({ visitors: 70, pageviews: 140 });
  });

  it.each([
    ["days must be one of 7, 30 or 90", { allowed: [7, 30, 90] }],
    ["Allowed days: [7,30]", { allowed: [7, 30] }],
    ["days: '7', '30', and '90' are possible", { allowed: [7, 30, 90] }],
    ["days must be between 1 and 365", { maximum: 365 }],
    ["days must be from 1 to 120", { maximum: 120 }],
    ["Days: 1-90", { maximum: 90 }],
    ["days cannot exceed 90", { maximum: 90 }],
    ["days must not be greater than 90", { maximum: 90 }],
    ["days exceeds the maximum of 90", { maximum: 90 }],
    ["days is too large (max 90)", { maximum: 90 }],
    ["days must be greater than 7", undefined],
    ["days must be between 1 and 500", undefined],
    ["days must be one of 7, 400", undefined],
    ["period must be one of 7, 30", undefined],
    ["no days since 2026-11-20", undefined],
    ["days must be one of 0, 7", undefined],
    [`days ${"7,".repeat(100_000)}`, { allowed: Array(21).fill(7) }],
  ])("names them in %j", (sentence, others) => {
    expect(findOtherDays(sentence, 400)).toEqual(others);
  });

  it("answers for the most days where only a refusal names them", async () => {
    const within = (answer: (days: number) => unknown) => (query: URLSearchParams) =>
      daysOf(query) <= 120
        ? answer(daysOf(query))
        : new Reply(400, { error: "days must be between 1 and 120" });
    const { ask } = createSmallService({
      "/stats": within((days) => ({ visitors: 10 * days, pageviews: 20 * days, events: 3 })),
      "/timeseries": within((days) => listDays(days).map((date) => ({ date, visitors: 10, pageviews: 20 }))),
    });
    expect(await ask("stats", { period: "all" })).toMatchObject({ period: { days: 120 }, visitors: 1200 });
    expect(await ask("overview", { days: 90 })).toMatchObject({ visitors: 900, comparison: null });
  });
});

describe("all days of a service", () => {
  const site = { id: 7, domain: "acme.example", timezone: "Europe/Berlin" };
  const created = (created_at: string) => ({ "/sites": () => [{ ...site, created_at }] });
  const days = (schema: object) => ({
    "/openapi.json": () =>
      describeParameters({
        "/stats": { days: schema },
        "/timeseries": { days: schema },
        "/breakdown": { days: schema },
      }),
  });
  const most = (maximum: number) => days({ type: "integer", minimum: 1, maximum });
  const since = (first: string) => ({
    "/timeseries": (query: URLSearchParams) =>
      listDays(Number(query.get("days"))).map((date) => ({
        date,
        visitors: date < first ? 0 : 10,
        pageviews: date < first ? 0 : 20,
      })),
  });
  const refuse = (query: URLSearchParams) =>
    ["7", "30", "90"].includes(query.get("days") ?? "")
      ? undefined
      : new Reply(400, { error: "days must be one of 7, 30, 90" });
  const only: Parameters<typeof createSmallService>[0] = {
    "/stats": (query) => refuse(query) ?? { visitors: 31, pageviews: 20 * Number(query.get("days")) },
    "/timeseries": (query) =>
      refuse(query) ??
      listDays(Number(query.get("days"))).map((date) => ({ date, visitors: 10, pageviews: 20 })),
  };
  const UNKNOWN = "whether there is data before 2026-08-23 is not known";
  const CUT = "The data begins on 2025-01-01, but this service reaches back only to ";

  it.each<[string, Parameters<typeof createSmallService>[0], number, string | undefined]>([
    ["as many as it gives", { ...most(90), ...created("2025-01-01T00:00:00Z") }, 90, `${CUT}2026-08-23.`],
    ["at most a year", created("2025-01-01T00:00:00Z"), 365, `${CUT}2025-11-21.`],
    ["those since its creation", { ...most(90), ...created("2026-08-23T00:00:00Z") }, 90, undefined],
    ["those with data", { ...most(90), ...since("2026-11-01") }, 20, undefined],
    ["of an unknown beginning", most(90), 90, UNKNOWN],
    ["that only refusals name", only, 90, UNKNOWN],
    [
      "the fewest listed that have all data",
      { ...days({ type: "integer", enum: [7, 30, 90] }), ...since("2026-11-01") },
      30,
      undefined,
    ],
  ])("are %s, and what is not known is said", async (_, answers, count, said) => {
    for (const [name, params] of [
      ["stats", {}],
      ["timeseries", {}],
      ["overview", {}],
      ...("/openapi.json" in answers ? [["breakdown", { dimension: "pages" }] as const] : []),
    ] as const) {
      const { ask } = createSmallService(answers);
      const { period, warnings } = await ask(name, { ...params, period: "all" });
      const [from] = listDays(count);
      // An overview is of complete days, where their visitors add up.
      expect([name, period.from, [TODAY, "2026-11-19"]]).toEqual([
        name,
        from,
        expect.arrayContaining([period.to]),
      ]);
      const told = warningsOf({ warnings });
      if (said === undefined) expect(told).not.toMatch(/The data begins|is not known/);
      else expect(told).toContain(said);
    }
  });

  it("begin on the day that its list of sites has", async () => {
    const readSince = async (answers: Parameters<typeof createSmallService>[0]) => {
      const { sites } = await createSmallService(answers).ask("sites");
      return sites[0].data_since;
    };
    expect(await readSince({ ...most(90), ...created("2025-01-01T00:00:00Z") })).toBe("2025-01-01");
    expect(await readSince({ ...most(90), ...since("2026-11-01") })).toBe("2026-11-01");
    const added = (more: object) => ({ ...most(90), "/sites": () => [{ ...site, ...more }] });
    for (const name of ["added", "date_added", "added_on"]) {
      expect(await readSince(added({ [name]: "2025-01-01T00:00:00Z" }))).toBe("2025-01-01");
      expect(await readSince(added({ [name]: 12 }))).toBeUndefined();
    }
    // What is no date does not hide the name that is less usual.
    expect(await readSince(added({ created: "by us", added: "2025-01-01T00:00:00Z" }))).toBe("2025-01-01");
    expect(await readSince(most(90))).toBeUndefined();
    expect(
      await readSince({ "/timeseries": () => new Reply(404, { error: "Nothing here" }) }),
    ).toBeUndefined();
  });
});

it("shows a site without active visitors that cannot be read, and says so", async () => {
  const { ask } = createSmallService({ "/realtime": () => ({ a: 3, b: 4 }) });
  const { active_now, missing } = await ask("overview", { days: 7 });
  expect(active_now).toBeUndefined();
  expect(missing).toContainEqual({
    part: "active_now",
    reason: expect.stringMatching(/could be visitors/),
    failed: true,
  });
  await expect(ask("realtime")).rejects.toThrow("could be visitors");
});

describe("a list that ends at a limit which the service does not tell", () => {
  const PAGES = 30;
  // The last two days have the opposite order of those before.
  const visitorsOf = (days: number, page: number) =>
    Math.min(days, 2) * (page + 1) + Math.max(0, days - 2) * (PAGES - page);
  const each = { visitors: 465, pageviews: 465 };
  const { ask } = createSmallService({
    "/openapi.json": () => describeParameters(takesDays),
    "/stats": (query) => {
      const days = Number(query.get("days"));
      return { visitors: each.visitors * days, pageviews: each.pageviews * days };
    },
    "/timeseries": (query) => listDays(Number(query.get("days"))).map((date) => ({ date, ...each })),
    "/breakdown": (query) =>
      Array.from({ length: PAGES }, (_, page) => {
        const visitors = visitorsOf(Number(query.get("days")), page);
        return { page: `/${page}`, visitors, pageviews: visitors };
      })
        .sort((one, other) => other.visitors - one.visitors)
        .slice(0, Math.min(Number(query.get("limit")), 20)),
  });

  it("is not taken for whole", async () => {
    const list = await ask("breakdown", { dimension: "pages", days: 7, limit: 100 });
    expect([list.rows.length, list.truncated]).toEqual([20, true]);
  });

  it.each([
    ["rows_in_all", 20, false],
    ["allRows", 30, true],
    // It may be that of the rows that are there.
    ["row_count", 20, true],
  ])("is whole if the answer has the number of all rows: %s", async (name, count, truncated) => {
    const rows = Array.from({ length: 20 }, (_, at) => ({ page: `/${at}`, visitors: 1, pageviews: 1 }));
    const service = createSmallService({ "/breakdown": () => ({ rows, [name]: count }) });
    const list = await service.ask("breakdown", { dimension: "pages", limit: 100 });
    expect(list).toMatchObject({ truncated });
    expect(list.total_rows).toBe(name === "row_count" ? undefined : count);
  });

  it("leaves numbers of a past period known only as ranges that contain them", async () => {
    const { rows } = await ask("breakdown", {
      dimension: "pages",
      period: "2026-11-14/2026-11-18",
      limit: 100,
    });
    expect(rows.length).toBeGreaterThan(9);
    for (const { value, visitors, visitors_at_most = visitors } of rows) {
      const right = 5 * (PAGES - Number(value.slice(1)));
      expect([value, visitors <= right && right <= visitors_at_most]).toEqual([value, true]);
    }
  });
});

describe("rows that the service ranks in an order of its own", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      page: `/${index}`,
      visitors: index + 1,
      pageviews: 1000 - index,
    }));

  it("are said to be so where some are left out", async () => {
    const { ask } = createSmallService({ "/breakdown": () => rows(3) });
    const cut = await ask("breakdown", { dimension: "pages", limit: 3 });
    expect(cut.rows.map(({ visitors }: { visitors: number }) => visitors)).toEqual([3, 2, 1]);
    expect(warningsOf(cut)).toContain("does not rank its rows by visitors");
    const whole = await ask("breakdown", { dimension: "pages", limit: 10 });
    expect(warningsOf(whole)).not.toContain("does not rank");
  });

  it("are not subtracted then, and named", async () => {
    const document = () => describeParameters(takesDays);
    const { ask } = createSmallService({ "/openapi.json": document, "/breakdown": () => rows(1000) });
    const { missing, top } = await ask("overview", { period: "yesterday" });
    expect(top).toEqual([]);
    expect(missing[0]).toEqual({
      dimension: "pages",
      reason: "this service cuts its lists in an order of its own",
    });
  });
});

describe("lists of unknown days", () => {
  const NO_WORDS = "period not stated by the service";
  const createLists = (parameters: Parameters<typeof describeParameters>[0], summary?: string) => {
    const { paths, ...rest } = describeParameters(parameters);
    const lists = { get: { responses: {}, ...paths["/breakdown"]?.get, summary } };
    const document = { ...rest, paths: { ...paths, "/breakdown": lists } };
    return createSmallService({ "/openapi.json": () => document });
  };
  /** What a list says of its days alone, and below an overview. */
  const describeDays = async (...given: Parameters<typeof createLists>) => {
    const { ask, call } = createLists(...given);
    const query = findQuery("breakdown");
    const params = query.params.parse({ site: "acme.example", dimension: "pages" });
    const { result: list, views } = await query.ask(call, params, { usesDefaultDays: true });
    const { top, warnings = [] } = await ask("overview", {});
    expect(JSON.stringify(warnings)).not.toContain("unknown_days");
    const said = JSON.stringify(list).includes("unknown_days") ? listWarnings(views)[0] : undefined;
    return { headline: views[0]?.headline, said, below: top[0].no_period };
  };

  it("are headed by the service's words for them, if it has any", async () => {
    const said = "The service does not say which days its lists cover.";
    const none = { headline: `pages of acme.example (${NO_WORDS})`, said, below: NO_WORDS };
    expect(await describeDays({})).toEqual(none);
    expect(await describeDays({}, "Top list")).toEqual(none);
    expect((await describeDays(takesDays)).below).toBeUndefined();
    // They are a stranger's.
    const words = /^"The last 30 days' 'top' list[ x]{60,90}…"$/;
    const { below, ...rest } = await describeDays(
      {},
      `The last 30 days' \u0007"top" list${" x".repeat(300)}`,
    );
    expect(below).toMatch(words);
    expect(rest).toEqual({
      headline: `pages of acme.example (${below})`,
      said: "The service says only in words which days its lists cover.",
    });
  });

  it("are not below days that end before yesterday, which name them with the command that shows one", async () => {
    const { ask } = createLists({});
    const reason = "this service's lists take no days";
    for (const period of ["2026-11-19", "last_7_days"])
      expect((await ask("overview", { period })).top.length).toBeGreaterThan(0);
    const { top, missing } = await ask("overview", { period: "last_month" });
    expect(top).toEqual([]);
    expect(missing).toContainEqual({ dimension: "pages", reason });
    expect(noteMissing(missing, "shown", true).map(findNext)).toContainEqual({
      why: "One of them",
      name: "breakdown",
      params: { dimension: "pages", days: undefined },
    });
  });
});

describe("one list that cannot be had", () => {
  it("leads to those that the service describes, also where none was asked for", async () => {
    const dimension = { type: "string", enum: ["path", "country", "nook"] };
    const document = () => describeParameters({ "/breakdown": { dimension, days: { type: "integer" } } });
    const { ask } = createSmallService({ "/openapi.json": document });
    await expect(ask("conversions", { goal: "events=signup" })).rejects.toMatchObject({
      message: "goal cannot be an event: this service counts events, but does not list them.",
      hint: 'It has "path", "country", "nook". If events is called "nook", say so in a mapping: {"dimensions": {"events": "…"}}.',
      next: [{ name: "stats" }],
    });
    await expect(ask("breakdown", { dimension: "browsers", period: "last_week" })).rejects.toMatchObject({
      message: "dimension cannot be browsers: this service has no such list.",
      next: [{ name: "breakdown", params: { dimension: "pages", period: undefined } }],
    });
    const counts = { visitors: 10, pageviews: 20 };
    const without = createSmallService({ "/openapi.json": document, "/stats": () => counts });
    await expect(without.ask("conversions", { goal: "events=signup" })).rejects.toMatchObject({
      message: "goal cannot be an event: this service has no events.",
      next: [{ name: "breakdown", params: { dimension: "pages" } }],
    });
  });

  it("leads to those that the refusal names", async () => {
    const { ask } = createSmallService({
      "/breakdown": () => new Reply(400, { error: "dimension must be one of page, country" }),
    });
    await expect(ask("breakdown", { dimension: "referrers" })).rejects.toMatchObject({
      hint: "By these words, it may have pages, countries.",
    });
  });

  it.each<[string, unknown, string | RegExp]>([
    ["refused in words", new Reply(404, { error: "No such dimension" }), "refused by the service"],
    ["refused by its name", new Reply(422, { error: "channels?" }), "refused by the service"],
    [
      "with two fields of equal standing",
      [{ channel: "a", "unique visitors": 5, "daily visitors": 6 }],
      /could be visitors/,
    ],
    ["without any count", [{ channel: "a", name: "b" }], /^The answer to \/breakdown /],
    [
      "failed",
      new Reply(500, { error: "index rebuild" }),
      /^The service answered \/breakdown with status 500: "index rebuild"\.$/,
    ],
  ])("is named, and the others are shown: %s", async (_, channels, reason) => {
    const { ask } = createSmallService({
      "/breakdown": (query) =>
        query.get("dimension") === "channels" ? channels : [{ name: "one", visitors: 5 }],
    });
    const { missing, top } = await ask("overview", { days: 7 });
    expect(missing).toEqual([
      typeof reason === "string"
        ? { dimension: "channels", reason }
        : { dimension: "channels", reason: expect.stringMatching(reason), failed: true },
    ]);
    expect(top.map(({ dimension }: { dimension: string }) => dimension)).toEqual([
      "pages",
      "referrers",
      "countries",
      "devices",
    ]);
    await expect(ask("breakdown", { dimension: "channels" })).rejects.toThrow(/./);
  });

  it("is refused by a question for it with what the service said", async () => {
    const { ask } = createSmallService({
      "/breakdown": () => new Reply(400, { error: "unknown dimension" }),
    });
    await expect(ask("breakdown", { dimension: "countries" })).rejects.toMatchObject({
      message: 'dimension cannot be countries: the service refuses it, with "unknown dimension".',
      hint: expect.stringContaining("An overview shows the usual lists that it has"),
    });
  });

  it("is no reason to hide the totals, even if all lists fail", async () => {
    const down = () => new Reply(503, { error: "dimension store is down" });
    const { visitors, top, missing } = await createSmallService({ "/breakdown": down }).ask("overview", {
      days: 7,
    });
    expect({ visitors, top }).toEqual({ visitors: 70, top: [] });
    expect(missing).toContainEqual({
      dimension: "devices",
      reason: 'The service answered /breakdown with status 503: "dimension store is down".',
      failed: true,
    });
    await expect(createSmallService({ "/stats": down }).ask("overview", { days: 7 })).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});

it("counts a list of past days from rows with visitors alone", async () => {
  const { ask } = createSmallService({
    "/openapi.json": () => describeParameters(takesDays),
    "/breakdown": (query) => [{ name: "first", visitors: 4 * Number(query.get("days")) }],
  });
  const { top, missing } = await ask("overview", { period: "yesterday" });
  expect(missing).toBeUndefined();
  expect(top[0].rows).toEqual([{ value: "first", label: "first", visitors: 4, percentage: 40 }]);
});

it("has the visitors of all beside its rows, from the totals of the same days", async () => {
  const { ask } = createSmallService({
    "/openapi.json": () => describeParameters(takesDays),
    "/breakdown": (query) => [{ name: "/a", visitors: 4 * Number(query.get("days")) }],
  });
  const { rows, totals } = await ask("breakdown", { dimension: "pages", days: 7 });
  expect(rows).toEqual([{ value: "/a", label: "/a", visitors: 28, percentage: 40 }]);
  expect(totals).toEqual({ visitors: 70, pageviews: 140 });
  expect(await ask("compare", { days: 7, dimension: "pages" })).not.toHaveProperty("missing");
  expect(await ask("conversions", { goal: "pages=/a", days: 7 })).toMatchObject({ conversion_rate: 40 });
});

it("has no shares of rows that count more than all visitors", async () => {
  const { ask } = createSmallService({
    "/openapi.json": () => describeParameters(takesDays),
    "/breakdown": () => [{ name: "/a", visitors: 71 }],
  });
  const answer = await ask("breakdown", { dimension: "pages", days: 7 });
  expect(answer.rows).toEqual([{ value: "/a", label: "/a", visitors: 71 }]);
  expect(answer).not.toHaveProperty("totals");
  expect(warningsOf(answer)).toContain("A row has more visitors than the whole site in these days");
});

it("names codes and what has no value as other sources do, unless the service has names", async () => {
  const named = { code: "AT", name: "Republic of Austria", visitors: 1 };
  const codes = [
    { code: "DE", visitors: 5 },
    { code: null, visitors: 3 },
  ];
  const lists = new Map<string, unknown>([
    ["countries", codes],
    ["languages", [named]],
    ["referrers", [{ referrer: "news.ycombinator.com", visitors: 2 }]],
  ]);
  const { ask } = createSmallService({ "/breakdown": (query) => lists.get(query.get("dimension") ?? "") });
  const listLabels = async (dimension: string) => {
    const { rows } = await ask("breakdown", { dimension });
    return rows.map(({ label }: { label: string }) => label);
  };
  expect(await listLabels("countries")).toEqual(["Germany", "(unknown)"]);
  expect(await listLabels("languages")).toEqual(["Republic of Austria"]);
  expect(await listLabels("referrers")).toEqual(["Hacker News"]);
});

describe("a mapping", () => {
  const rows = (query: URLSearchParams) =>
    query.get("dimension") === "countries"
      ? [{ code: "DE", name: "Germany", visitors: 5, views: 9 }]
      : [{ path: "/", title: "Home", visitors: 5, views: 9 }];

  it("names places of one dimension, and others are read as before", async () => {
    const breakdowns = { countries: { value: "/name", label: null, visitors: "/views", pageviews: null } };
    const { ask } = createSmallService({ "/breakdown": rows }, { mapping: { breakdowns } });
    const { rows: countries } = await ask("breakdown", { dimension: "countries" });
    expect(countries).toEqual([{ value: "Germany", label: "Germany", visitors: 9 }]);
    const { rows: pages } = await ask("breakdown", { dimension: "pages" });
    expect(pages[0]).toMatchObject({ value: "/", visitors: 5 });
  });

  it("of a dimension comes before that of all", async () => {
    const mapping = { breakdown: { value: "/title" }, breakdowns: { countries: { value: "/code" } } };
    const { ask } = createSmallService({ "/breakdown": rows }, { mapping });
    expect((await ask("breakdown", { dimension: "countries" })).rows[0].value).toBe("DE");
    expect((await ask("breakdown", { dimension: "pages" })).rows[0].value).toBe("Home");
  });
});

describe("a mistyped place of a mapping is named, with what is there and what is near", () => {
  it.each<[string, object, string, Record<string, unknown>, string, string]>([
    [
      "a count",
      { stats: { visitors: "/visitor" } },
      "stats",
      { days: 7 },
      'The answer to /stats has nothing at "/visitor", where the mapping has its visitors.',
      'Did you mean "/visitors"? ',
    ],
    [
      "no count",
      { timeseries: { visitors: "/date" } },
      "timeseries",
      { days: 7 },
      'The answer to /timeseries has "2026-11-14" at "/date", where the mapping has its visitors.',
      'Did you mean "/visitors"? ',
    ],
    [
      "a table",
      { sites: { list: "/sites" } },
      "sites",
      {},
      'The answer to /sites has nothing at "/sites", where the mapping has its list.',
      'Did you mean the whole answer ("")? ',
    ],
    [
      "a value",
      { breakdown: { value: "/pages" } },
      "breakdown",
      { dimension: "pages" },
      'The answer to /breakdown has nothing at "/pages", where the mapping has its value.',
      'Did you mean "/page"? ',
    ],
    [
      "the active visitors",
      { realtime: { visitors: "/activ" } },
      "realtime",
      {},
      'The answer to /realtime has nothing at "/activ", where the mapping has its visitors.',
      'Did you mean "/active"? ',
    ],
  ])("%s", async (_, mapping, name, params, message, hint) => {
    const { ask } = createSmallService({}, { mapping });
    await expect(ask(name, params)).rejects.toMatchObject({ message, hint: expect.stringContaining(hint) });
  });
});

it("does not offer crawlers, whatever days are asked for", async () => {
  const { ask } = createSmallService({});
  for (const days of [{}, { period: "last_week" }, { period: "all" }])
    await expect(ask("crawlers", days)).rejects.toThrow("This service does not offer crawlers");
});

it("has no active visitors without /realtime, or by a mapping, and everything else", async () => {
  const lacking: [Parameters<typeof createSmallService>[0], unknown, string][] = [
    [{ "/realtime": () => new Reply(404, { error: "No route" }) }, undefined, '/realtime answers "No route"'],
    [{ "/realtime": () => new Reply(404, {}) }, undefined, "/realtime answers with status 404"],
    [{}, { realtime: { visitors: null } }, "the mapping says so"],
  ];
  for (const [answers, mapping, reason] of lacking) {
    const { ask, call } = createSmallService(answers, { mapping });
    await expect(ask("realtime")).rejects.toThrow(`This service has no active visitors: ${reason}.`);
    const { missing } = await ask("overview", { days: 7 });
    expect(missing).toContainEqual({ part: "active_now", reason: "not offered by this source" });
    const described = await call.readDescribed({});
    const summary = described && (await summarizeService(described, undefined, {}));
    expect(summary).toMatchObject({ lacks: { active: true }, problems: [], tried: 3 });
    expect(summary?.mapping.realtime).toEqual({ visitors: null });
  }
});

it("says which numbers of days a description allows", async () => {
  const document = () => describeParameters({ "/stats": { days: { enum: [7, 30] } } });
  const { call } = createSmallService({ "/openapi.json": document });
  const described = await call.readDescribed({});
  const summary = described && (await summarizeService(described, undefined, {}));
  expect(summary && listLacks(summary, { baseUrl: "" })).toContain(
    "It answers only for 7, 30 days up to today.",
  );
});

it("has no count of rows where the mapping says so", async () => {
  const answers = { "/breakdown": () => [{ page: "/", n: 5 }] };
  const asked = createSmallService(answers, { mapping: { breakdown: { count: null } } }).ask("breakdown", {
    dimension: "pages",
  });
  await expect(asked).rejects.toThrow("no field that is clearly visitors");
});

describe("the line that would choose", () => {
  const hintOf = async (answers: Parameters<typeof createSmallService>[0], name: string, params = {}) => {
    const { ask } = createSmallService(answers);
    const error = await ask(name, params).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnalyticsError);
    return (error as AnalyticsError).hint ?? "";
  };

  it.each<[string, Parameters<typeof createSmallService>[0], string, object, string | undefined]>([
    [
      "a total",
      { "/stats": () => ({ a: 5, b: "x", pageviews: 9 }) },
      "stats",
      { days: 7 },
      '{"stats":{"visitors":"/a"}}',
    ],
    [
      "a column of days",
      {
        "/timeseries": (query) =>
          listDays(Number(query.get("days"))).map((date) => ({ date, seen: 5, pageviews: 9 })),
      },
      "timeseries",
      { days: 7 },
      '{"timeseries":{"visitors":"/seen"}}',
    ],
    [
      "a count of rows",
      { "/breakdown": () => [{ name: "/", a: 5, b: 6 }] },
      "breakdown",
      { dimension: "pages" },
      '{"breakdown":{"visitors":"/a"}}',
    ],
    [
      "no table at all",
      { "/breakdown": () => ({ text: "none" }) },
      "breakdown",
      { dimension: "pages" },
      undefined,
    ],
    [
      "no number of days, nor what is something else",
      {
        "/stats": () => ({
          range: { days: 7, limit: 10 },
          totals: { sessions: 5, page_impressions: 9, seen: 4, reached_people: 3 },
          previous: { people: 8 },
          generated: 1_795_000_000,
        }),
      },
      "stats",
      { days: 7 },
      'It may be one of "/totals/reached_people", "/totals/seen". ',
    ],
    [
      "no other one, if none is likely",
      { "/stats": () => ({ days: 7, sessions: 5, bounces: 2, pageviews: 9 }) },
      "stats",
      { days: 7 },
      'it has "/sessions", "/bounces". "analytics-mcp mapping" prints a mapping file for all answers, to name the place in.',
    ],
    [
      "the only one that is left, as that",
      { "/stats": () => ({ days: 7, sessions: 5, pageviews: 9 }) },
      "stats",
      { days: 7 },
      'unless "/sessions" is it. Choose in a mapping file, and name it by --mapping or ANALYTICS_MAPPING: {"stats":{"visitors":"/sessions"}}',
    ],
    [
      "each for one field, where several are unclear",
      { "/stats": () => ({ seen: 5, loaded: 9 }) },
      "stats",
      { days: 7 },
      '{"stats":{"visitors":"/seen","pageviews":"/loaded"}}',
    ],
    [
      "no time of a day",
      { "/timeseries": () => listDays(7).map((date, at) => ({ date, timestamp: at, pageviews: 9 })) },
      "timeseries",
      { days: 7 },
      'it has "/timestamp", "/pageviews". "analytics-mcp mapping" prints a mapping file',
    ],
    ["no number at all", { "/stats": () => ({ text: "none" }) }, "stats", { days: 7 }, undefined],
  ])("names only a place that is there: %s", async (_, answers, name, params, line) => {
    const hint = await hintOf(answers, name, params);
    if (line === undefined) expect(hint).not.toMatch(/[{}]/);
    else expect(hint).toContain(line);
  });
});

describe("an envelope of any depth", () => {
  const wrap = (inner: unknown) => ({ took: 12, a: { b: { c: { d: { e: inner } } } } });

  it("has the totals, the series, the rows and the active visitors", async () => {
    const { ask } = createSmallService({
      "/stats": () => wrap({ visitors: 70, pageviews: 140, events: 3 }),
      "/timeseries": (query) =>
        wrap({
          list: listDays(Number(query.get("days"))).map((date) => ({ date, visitors: 10, pageviews: 20 })),
        }),
      "/breakdown": () => wrap({ rows: [{ page: "/", visitors: 5 }] }),
      "/realtime": () => wrap({ online: 0 }),
    });
    expect(await ask("stats", { days: 7 })).toMatchObject({ visitors: 70, pageviews: 140, events: 3 });
    expect((await ask("breakdown", { dimension: "pages" })).rows).toHaveLength(1);
    // Not the 12 milliseconds that it took.
    expect((await ask("realtime")).visitors).toBe(0);
  });

  it("around an empty list by name is no row", async () => {
    const { ask } = createSmallService({
      "/breakdown": () => ({ report: { response: { siteNo: 33, rows: {} } } }),
    });
    expect((await ask("breakdown", { dimension: "pages" })).rows).toEqual([]);
  });
});
