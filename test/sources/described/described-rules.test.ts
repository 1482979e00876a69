import { describe, expect, it } from "vitest";
import { isFirst } from "../../../src/reports/overview.ts";
import {
  askSmall as ask,
  createSmallService,
  describeParameters,
  listDays,
  Reply,
  askTotals as stats,
  TODAY,
  warningsOf,
} from "./small-service.ts";

type Answers = Parameters<typeof createSmallService>[0];

const daysOf = (query: URLSearchParams) => Number(query.get("days") ?? 30);
const point = (date: unknown) => ({ date, visitors: 10, pageviews: 20 });
const NO_TIMEZONE: Answers = { "/sites": () => [{ id: 7, domain: "acme.example" }] };

const AUCKLAND = "Pacific/Auckland";

const rows = (list: unknown) => ask({ "/breakdown": () => list }, "breakdown", { dimension: "pages" });
const series = (list: (days: number) => unknown, more: Answers = {}) =>
  ask({ "/timeseries": (query) => list(daysOf(query)), ...more }, "timeseries", { days: 7 });

describe("a field", () => {
  it.each<[string, object, object]>([
    ["of a better name", { users: 80, visitors: 70, pageviews: 140 }, { visitors: 70 }],
    [
      "of these days, not of those before",
      { now: { visitors: 70, pageviews: 140 }, previous: { visitors: 60, pageviews: 120 } },
      { visitors: 70, pageviews: 140 },
    ],
    ["as digits", { visitors: "70", pageviews: "140" }, { visitors: 70, pageviews: 140 }],
    ["in the only element of a list", [{ visitors: 70, pageviews: 140 }], { visitors: 70 }],
    [
      "in a list of names and values",
      [
        { name: "visitors", value: 70 },
        { name: "pageviews", value: 140 },
      ],
      { visitors: 70, pageviews: 140 },
    ],
    ["twice with one number", { visitors: 70, data: { visitors: 70 }, pageviews: 140 }, { visitors: 70 }],
  ])("%s is read", async (_, totals, expected) => {
    expect(await stats(totals)).toMatchObject(expected);
  });

  it("proposes the same word for totals and series, whatever their order", async () => {
    const answers = {
      "/stats": () => ({ result: { users: 70, people: 55, views: 140 } }),
      "/timeseries": () => listDays(7).map((date) => ({ date, people: 9, users: 10, views: 20 })),
    };
    for (const [operation, pointer] of [
      ["stats", "/result/people"],
      ["timeseries", "/people"],
    ] as const) {
      await expect(ask(answers, operation, { days: 7 })).rejects.toMatchObject({
        hint: expect.stringContaining(JSON.stringify({ [operation]: { visitors: pointer } })),
      });
    }
  });

  it.each<[string, object, string]>([
    ["visits", { visits: 70, pageviews: 140 }, "no field that is clearly visitors"],
    ["sessions", { sessions: 70, pageviews: 140 }, "no field that is clearly visitors"],
    ["hits", { visitors: 70, hits: 140 }, "no field that is clearly pageviews"],
    ["two of equal standing", { uniqueVisitors: 70, distinctVisitors: 55, pageviews: 140 }, "(70) and"],
    ["a fraction", { visitors: 70.5, pageviews: 140 }, "no field that is clearly visitors"],
    ["less than nobody", { visitors: -7, pageviews: 140 }, "no field that is clearly visitors"],
    ["a word", { visitors: "NaN", pageviews: 140 }, "no field that is clearly visitors"],
    [
      "too many to count",
      { visitors: "9007199254740993", pageviews: 1 },
      "no field that is clearly visitors",
    ],
  ])("is not made of %s", async (_, totals, message) => {
    await expect(stats(totals)).rejects.toThrow(message);
  });

  it("is known by the title or description of its own", async () => {
    const schema = {
      type: "object",
      properties: {
        a: { description: "Unique visitors of the period." },
        b: { oneOf: [{ title: "Page views" }] },
        c: { description: "Number of visits and page views." },
      },
    };
    const document = {
      openapi: "3.1.0",
      paths: {
        "/stats": {
          get: { responses: { 200: { $ref: "#/components/responses/first" } } },
        },
      },
      components: {
        responses: {
          first: { $ref: "#/components/responses/second" },
          second: { content: { "application/json": { schema } } },
        },
      },
    };
    const answers = { "/openapi.json": () => document, "/stats": () => ({ a: 70, b: 140, c: 9 }) };
    expect(await ask(answers, "stats", { days: 7 })).toMatchObject({ visitors: 70, pageviews: 140 });
  });

  it("that is at one place at most is proposed as one", async () => {
    const answers = { "/breakdown": () => [{ a: "x", b: "y", n: 5 }] };
    await expect(ask(answers, "breakdown", { dimension: "pages" })).rejects.toMatchObject({
      hint: expect.stringMatching(/^It may be one of /),
    });
    const series = { "/timeseries": () => listDays(7).map((date) => ({ date, seen: 5 })) };
    await expect(ask(series, "timeseries", { days: 7 })).rejects.toMatchObject({
      hint: expect.stringMatching(/^It may be "\/seen"\. /),
    });
  });

  it("that is in no number's name is missing, with the numbers that are there", async () => {
    await expect(stats({ data: { people: 50, hits: 140, clicks: 3 } })).rejects.toMatchObject({
      hint: expect.stringMatching(
        /^No number in it looks like pageviews: it has "\/data\/hits", "\/data\/clicks"\. "analytics-mcp mapping" prints/,
      ),
    });
  });

  it("that the mapping has not is absent", async () => {
    const answer = await stats(
      { visitors: 70, pageviews: 140, events: 5 },
      {},
      { mapping: { stats: { events: null } } },
    );
    expect(answer).not.toHaveProperty("events");
  });
});

describe("active visitors", () => {
  it.each<[string, unknown, number]>([
    ["a bare number", 3, 3],
    ["the only number that it could be", { windowMinutes: 5, took: 12, seen: 3 }, 3],
    ["a number under its name", { online: 3, pageviewsLast30Minutes: 9 }, 3],
    ["a number under two names in one", { result: { onlineNow: 3, seen: 9 } }, 3],
    ["the only number that is not the time", { serverNow: 1_795_000_000, hereNow: 3 }, 3],
  ])("are %s", async (_, answer, visitors) => {
    expect((await ask({ "/realtime": () => answer }, "realtime")).visitors).toBe(visitors);
  });

  it.each([[{ sessions: 3 }], [{ a: 3, b: 4 }], [{ pageviews: 3 }]])(
    "are not guessed from %j",
    async (answer) => {
      await expect(ask({ "/realtime": () => answer }, "realtime")).rejects.toMatchObject({
        code: "bad_answer",
      });
    },
  );
});

describe("rows", () => {
  it("count what stands beside them, unless their own name says otherwise", async () => {
    expect((await rows({ metric: "visitors", list: [{ name: "/", n: 5 }] })).rows[0]).toMatchObject({
      visitors: 5,
    });
    const sessions = (await rows({ metric: "visitors", list: [{ name: "/", sessions: 5 }] })).rows[0];
    expect(sessions).toMatchObject({ count: 5 });
    expect(sessions).not.toHaveProperty("visitors");
  });

  it("are none only where the only list is empty", async () => {
    expect((await rows({ list: [] })).rows).toEqual([]);
    await expect(rows({ list: [], other: [[1]] })).rejects.toMatchObject({ code: "bad_answer" });
  });

  it("of two lists are not chosen between", async () => {
    const list = (visitors: number) => [{ name: "/", visitors }];
    await expect(rows({ a: list(5), b: list(6) })).rejects.toThrow(/"\/a".*"\/b"/);
  });

  it("with something else than a count are refused", async () => {
    const { ask: again } = createSmallService({
      "/breakdown": (query) => [{ name: "/", visitors: query.get("limit") === "3" ? "n/a" : 5 }],
    });
    await again("breakdown", { dimension: "pages" });
    await expect(again("breakdown", { dimension: "pages", limit: 3 })).rejects.toMatchObject({
      code: "bad_answer",
    });
  });

  it("may be named like what every object has", async () => {
    const list = '[{"name":"__proto__","visitors":5},{"name":"constructor","visitors":4}]';
    expect((await rows(list)).rows).toMatchObject([{ value: "__proto__" }, { value: "constructor" }]);
    const byName = '{"list":{"__proto__":{"visitors":5},"toString":{"visitors":4}}}';
    expect((await rows(byName)).rows).toMatchObject([{ value: "__proto__" }, { value: "toString" }]);
  });

  it.each([
    ["countries", { page: "/", visitors: 5 }],
    ["referrers", { path: "/pricing", title: "Pricing", visitors: 5 }],
    ["devices", { value: "/", visitors: 5 }],
    ["pages", { country: "DE", visitors: 5 }],
  ])("of another list than %s are none", async (dimension, row) => {
    const service = createSmallService({ "/breakdown": () => [row] });
    await expect(service.ask("breakdown", { dimension })).rejects.toMatchObject({
      message: `dimension cannot be ${dimension}: this service has no such list.`,
      hint: expect.stringContaining(
        JSON.stringify({ breakdowns: { [dimension]: { value: `/${Object.keys(row)[0]}` } } }),
      ),
    });
  });

  it.each([
    ["entry_pages", { page: "/", visitors: 5 }],
    ["exit_pages", { url: "/pricing", visitors: 5 }],
    ["referrers", { url: "https://news.example/a", visitors: 5 }],
    ["cities", { name: "Berlin", country: "DE", visitors: 5 }],
    ["events", { value: "/download", visitors: 5 }],
  ])("of %s may have a name that other lists have, too", async (dimension, row) => {
    const { rows: read } = await ask({ "/breakdown": () => [row] }, "breakdown", { dimension });
    expect(read).toMatchObject([{ value: Object.values(row)[0] }]);
  });

  it("of another list are those that the mapping says", async () => {
    const service = createSmallService(
      { "/breakdown": () => [{ page: "/", visitors: 5 }] },
      { mapping: { breakdowns: { countries: { value: "/page" } } } },
    );
    expect((await service.ask("breakdown", { dimension: "countries" })).rows).toHaveLength(1);
  });

  it("have no period if two are stated", async () => {
    const list = [{ name: "/", visitors: 5 }];
    const days = { from: "2026-11-14", to: TODAY };
    const previous = { from: "2026-11-07", to: "2026-11-13" };
    expect((await rows({ ...days, previous, list })).period).toMatchObject(days);
    expect(await rows({ ...days, start: "2026-11-01", list })).not.toHaveProperty("period");
  });
});

describe("days", () => {
  it.each<[string, (date: string) => unknown]>([
    ["midnight in UTC time", (date) => `${date.slice(0, 8)}${String(Number(date.slice(8)) - 1)}T23:00:00Z`],
    ["milliseconds", (date) => Date.parse(`${date}T00:00:00+01:00`)],
    ["seconds", (date) => Date.parse(`${date}T00:00:00+01:00`) / 1000],
    ["a time with an offset", (date) => `${date}T00:00:00+01:00`],
  ])("are those of the site: %s", async (_, write) => {
    const { points } = await series((days) => listDays(days).map((date) => point(write(date))));
    expect(points.map(({ date }: { date: string }) => date)).toEqual(listDays(7));
  });

  it("are not guessed from times of day without a timezone", async () => {
    const list = (hours: string[]) => (days: number) =>
      listDays(days).map((date, index) => point(`${date}T${hours[index % hours.length]}:00Z`));
    for (const hours of [
      ["03:00", "17:00"],
      ["01:00", "03:00", "05:00"],
    ])
      await expect(series(list(hours), NO_TIMEZONE)).rejects.toThrow("without a timezone");
    expect((await series(list(["04:00", "05:00"]), NO_TIMEZONE)).points).toHaveLength(7);
  });

  it("may be over or not where no timezone is named, and that is said", async () => {
    const answer = await series((days) => listDays(days).map(point), NO_TIMEZONE);
    expect(answer.period).not.toHaveProperty("partial");
    expect(warningsOf(answer)).toBe(
      `This service names no timezone: ${TODAY}, its last day, is taken as today.`,
    );
  });

  it("do not add up because few of them happen to", async () => {
    // Everybody of the first day comes again on the fourth: three days have as many visitors as their days together.
    const once = (query: URLSearchParams) => ({
      visitors: 10 * Math.min(3, daysOf(query)),
      pageviews: 20 * daysOf(query),
    });
    const { visitors, warnings } = await ask({ "/stats": once }, "stats", {
      period: `${listDays(3)[0]}/${listDays(3)[1]}`,
    });
    expect(visitors).toBeNull();
    expect(warningsOf({ warnings })).toContain("Visitors are missing");
  });

  it("are not said to have none before them where nobody knows whether the last one is over", async () => {
    const today = await ask(NO_TIMEZONE, "overview", { period: "today" });
    expect(today).toMatchObject({ visitors: 10, comparison: null });
    expect(isFirst(today as Parameters<typeof isFirst>[0])).toBe(false);
  });

  it("are those of the timezone that only the totals name", async () => {
    const answers: Answers = {
      ...NO_TIMEZONE,
      "/stats": (query) => ({ visitors: 10 * daysOf(query), pageviews: 20 * daysOf(query), tz: AUCKLAND }),
      "/timeseries": (query) => listDays(daysOf(query)).map(point),
    };
    // There it is the 21st, and this service's days end on the 20th.
    const whole = { from: TODAY, to: TODAY, timezone: AUCKLAND, partial: false };
    expect((await ask(answers, "stats", { period: "yesterday" })).period).toMatchObject(whole);
    const { ask: asking, asked } = createSmallService(answers);
    for (const days of [7, 1]) expect((await asking("timeseries", { days })).period.partial).toBe(false);
    expect(asked.filter((line) => line.startsWith("/stats"))).toEqual(["/stats?site=7&days=7"]);
  });

  it("end where the service's do, also where it leaves out the last ones and names no timezone", async () => {
    // Nobody came on the 13th, 18th and 19th, and the 20th is not counted yet.
    const busy = listDays(4, "2026-11-17");
    const answers: Answers = {
      ...NO_TIMEZONE,
      "/timeseries": (query) =>
        listDays(daysOf(query), "2026-11-19")
          .filter((date) => busy.includes(date))
          .map(point),
    };
    const { period } = await ask(answers, "timeseries", { days: 7 });
    expect(period).toMatchObject({ from: "2026-11-13", to: "2026-11-19" });
  });

  it("are known without totals", async () => {
    const down = { ...NO_TIMEZONE, "/stats": () => new Reply(500, { error: "Out of order" }) };
    expect((await ask(down, "timeseries", { days: 7 })).points).toHaveLength(7);
  });

  it("are as many as the service allows, and fewer are shown", async () => {
    const document = (days: object) => () => describeParameters({ "/timeseries": { days } });
    const few = createSmallService({ "/openapi.json": document({ minimum: 7 }) });
    expect((await few.ask("timeseries", { days: 5 })).points).toHaveLength(5);
    expect(few.asked).toContain("/timeseries?site=7&days=7");
    const listed = { ...NO_TIMEZONE, "/openapi.json": document({ enum: [7, 1] }) };
    const { points } = await ask(listed, "timeseries", { period: "yesterday" });
    expect(points).toMatchObject([{ date: "2026-11-19" }]);
  });

  it("and their total are read again if somebody came in between", async () => {
    const totals = [140, 141];
    const answers: Answers = {
      "/stats": (query) => ({
        visitors: 70,
        pageviews: query.get("site") === "7" ? (totals.shift() ?? 141) : 140,
      }),
      "/timeseries": (query) =>
        listDays(daysOf(query)).map((date) => ({ ...point(date), pageviews: date === TODAY ? 21 : 20 })),
    };
    expect(await ask(answers, "stats", { days: 7 })).toMatchObject({ pageviews: 141 });
  });

  it("of a series may be more than the totals allow", async () => {
    const document = () => describeParameters({ "/stats": { days: { maximum: 5 } } });
    const answers = { ...leave(3), "/openapi.json": document };
    expect(await pointsOf(answers)).toEqual([20, 20, 20, null, 20, 20, 20]);
    const named = (query: URLSearchParams) =>
      daysOf(query) > 5 ? new Reply(400, { error: "At most 5" }) : { visitors: 9, tz: AUCKLAND };
    const { period } = await ask({ ...answers, ...NO_TIMEZONE, "/stats": named }, "timeseries", { days: 7 });
    expect(period.timezone).toBe(AUCKLAND);
  });

  it.each<[string, (days: number) => unknown]>([
    ["to come", (days) => listDays(days, "2026-11-22").map(point)],
    ["before those asked for", (days) => [...listDays(1, "2026-01-01"), ...listDays(days - 1)].map(point)],
    [
      "outside those that the answer states",
      (days) => ({ from: listDays(days)[0], to: TODAY, data: listDays(days, "2026-11-19").map(point) }),
    ],
    ["that are there twice", (days) => [...listDays(days), TODAY].map(point)],
  ])("%s are refused", async (_, list) => {
    await expect(series(list)).rejects.toMatchObject({ code: "bad_answer" });
  });

  const leave = (...left: number[]) => ({
    "/timeseries": (query: URLSearchParams) =>
      listDays(daysOf(query))
        .filter((date) => !left.map((ago) => listDays(ago + 1)[0]).includes(date))
        .map(point),
  });
  const pointsOf = async (answers: Answers) =>
    (await ask(answers, "timeseries", { days: 7 })).points.map(
      ({ pageviews, missing }: { pageviews: number; missing?: true }) => (missing ? null : pageviews),
    );

  it("that are left out inside are nobody's if the others add up, and else missing", async () => {
    const total = (pageviews: number) => () => ({ visitors: 60, pageviews });
    expect(await pointsOf({ ...leave(3), "/stats": total(120) })).toEqual([20, 20, 20, 0, 20, 20, 20]);
    expect(await pointsOf({ ...leave(3), "/stats": total(121) })).toEqual([20, 20, 20, null, 20, 20, 20]);
    expect(await pointsOf({ ...leave(6), "/stats": total(120) })).toEqual([null, 20, 20, 20, 20, 20, 20]);
  });

  it("tell what a visitor is", async () => {
    expect(warningsOf(await stats({ visitors: 50, pageviews: 140 }))).toContain(
      "seems to count each visitor once per period",
    );
    expect(warningsOf(await stats({ visitors: 70, pageviews: 140 }))).not.toContain("once in all");
  });

  it("of a series say whether they add up, and that it is not known only where it is not", async () => {
    const warned = async (answers: Answers) => warningsOf(await ask(answers, "timeseries", { days: 7 }));
    expect(await warned({})).toBe("");
    const few = { "/stats": () => ({ visitors: 50, pageviews: 140 }) };
    expect(await warned(few)).toContain("seems to count each visitor once per period");
    const document = () => describeParameters({ "/stats": { days: { enum: [30, 10] } } });
    expect(await warned({ "/openapi.json": document })).toBe("");
    expect(await warned({ "/stats": () => new Reply(404, {}) })).toContain("need not add up");
  });

  it("that the service does not reach are refused as they were asked for", async () => {
    const document = () =>
      describeParameters({
        "/stats": { days: { enum: [7, 30, 90] } },
        "/timeseries": { days: { enum: [7, 30, 90] } },
      });
    const asking = (given: Record<string, unknown>) => ask({ "/openapi.json": document }, "stats", given);
    expect((await asking({ days: 14 })).visitors).toBe(140);
    await expect(asking({ days: 365 })).rejects.toMatchObject({
      message: "days must be at most 90 at this service.",
      hint: undefined,
      parameters: [{ parameter: "days", maximum: 90 }],
    });
    await expect(asking({ period: "2026-06" })).rejects.toThrow(
      "period must not begin before 2026-08-23: this service reaches back no further.",
    );
  });

  it("are not added up where a visitor counts once in all of them", async () => {
    const document = () => describeParameters({ "/stats": { days: { enum: [30, 7] } } });
    const unique = { "/openapi.json": document, "/stats": () => ({ visitors: 31, pageviews: 600 }) };
    await expect(ask(unique, "stats", { days: 5 })).rejects.toThrow("and has totals only of 7");
  });
});
