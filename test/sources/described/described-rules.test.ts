import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readDescription } from "../../../src/sources/described/description.ts";
import { openLearnedMemory } from "../../../src/sources/described/learned-memory.ts";
import { createSmallService, describeParameters, listDays, Reply, TODAY } from "./small-service.ts";

type Answers = Parameters<typeof createSmallService>[0];

const warningsOf = ({ warnings = [] }: { warnings?: { detail: string }[] }) =>
  warnings.map(({ detail }) => detail).join(" ");
const daysOf = (query: URLSearchParams) => Number(query.get("days") ?? 30);
const point = (date: unknown) => ({ date, visitors: 10, pageviews: 20 });
const NO_TIMEZONE: Answers = { "/sites": () => [{ id: 7, domain: "acme.example" }] };

const AUCKLAND = "Pacific/Auckland";

async function ask(answers: Answers, name: string, params: Record<string, unknown> = {}, how = {}) {
  return createSmallService(answers, how).ask(name, params);
}
const stats = (totals: unknown, params = {}, how = {}) =>
  ask({ "/stats": () => totals }, "stats", { days: 7, ...params }, how);
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

  it.each<[string, object, string]>([
    ["visits", { visits: 70, pageviews: 140 }, "no field that could be visitors"],
    ["sessions", { sessions: 70, pageviews: 140 }, "no field that could be visitors"],
    ["hits", { visitors: 70, hits: 140 }, "no field that could be pageviews"],
    ["two of equal standing", { uniqueVisitors: 70, distinctVisitors: 55, pageviews: 140 }, "(70) and"],
    ["a fraction", { visitors: 70.5, pageviews: 140 }, "no field that could be visitors"],
    ["less than nobody", { visitors: -7, pageviews: 140 }, "no field that could be visitors"],
    ["a word", { visitors: "NaN", pageviews: 140 }, "no field that could be visitors"],
    ["too many to count", { visitors: "9007199254740993", pageviews: 1 }, "no field that could be visitors"],
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
    expect(warningsOf(answer)).toContain(`Whether ${TODAY} is over cannot be known.`);
    expect(warningsOf(answer)).toContain("names no timezone");
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
    for (const days of [7, 8]) expect((await asking("timeseries", { days })).period.partial).toBe(false);
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
    expect(few.asked.at(-1)).toBe("/timeseries?site=7&days=7");
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
    expect(warningsOf(await stats({ visitors: 50, pageviews: 140 }))).toContain("once in all these days");
    expect(warningsOf(await stats({ visitors: 70, pageviews: 140 }))).not.toContain("once in all");
  });

  it("are not added up where a visitor counts once in all of them", async () => {
    const document = () => describeParameters({ "/stats": { days: { enum: [30, 7] } } });
    const unique = { "/openapi.json": document, "/stats": () => ({ visitors: 31, pageviews: 600 }) };
    await expect(ask(unique, "stats", { days: 5 })).rejects.toThrow("must be one of 7, 30");
  });
});

describe("requests", () => {
  it("have only the parameters that are known, and the site as the service wants it", async () => {
    const { ask: asking, asked } = createSmallService({
      "/breakdown": (query) =>
        query.get("site") === "acme.example"
          ? [{ name: "/", visitors: 5 }]
          : new Reply(404, { error: "No such site" }),
    });
    await asking("breakdown", { dimension: "pages" });
    // The first question is asked as the contract has it.
    expect(asked.filter((line) => line.startsWith("/breakdown")).slice(1)).toEqual([
      "/breakdown?site=7&limit=10&dimension=pages",
      "/breakdown?site=acme.example&limit=10&dimension=pages",
    ]);
  });

  it.each([
    ["filters", "stats", { filter: ["countries=DE"] }, "filter cannot be used"],
    ["hours", "timeseries", { interval: "hour" }, "There are no hours"],
  ])("with %s are refused, also once the service is known", async (_, name, given, reason) => {
    const { ask: asking } = createSmallService({});
    for (let time = 0; time < 2; time++) {
      await expect(asking(name, { days: 7, ...given })).rejects.toThrow(reason);
      await asking("stats", { days: 7 });
    }
  });

  it("follow pages of sites by their query alone, until one repeats those before", async () => {
    const site = (id: number) => ({ id, domain: `s${id}.example` });
    const { ask: asking, asked } = createSmallService({
      "/sites": (query) => {
        const page = Number(query.get("page") ?? 1);
        const next = `https://elsewhere.example/steal?page=${page + 1}`;
        return { data: [site(Math.min(page, 3))], next };
      },
    });
    expect((await asking("sites")).sites).toHaveLength(3);
    expect(asked.filter((line) => line.startsWith("/sites?page"))).toEqual([
      "/sites?page=2",
      "/sites?page=3",
      "/sites?page=4",
    ]);
  });

  it("do not follow pages without a query, and say that sites are missing", async () => {
    const next = "https://stats.acme.example/api/v1/sites/page/2";
    const { ask: asking, asked } = createSmallService({
      "/sites": () => ({ data: [{ id: 1, domain: "acme.example" }], next }),
    });
    expect(warningsOf(await asking("sites"))).toContain("these are not all of them");
    expect(new Set(asked.filter((line) => line.startsWith("/sites")))).toEqual(new Set(["/sites"]));
  });

  it("name one of several sites by its id", async () => {
    const answers = { "/sites": () => [1, 2].map((id) => ({ id, domain: "acme.example" })) };
    await expect(ask(answers, "stats", { days: 7 })).rejects.toThrow("Several of your sites");
  });

  it("never go where the description's servers are", async () => {
    const document = { ...describeParameters({}), servers: [{ url: "https://elsewhere.example" }] };
    expect(await ask({ "/openapi.json": () => document }, "stats", { days: 7 })).toMatchObject({
      visitors: 70,
    });
  });
});

it("judges a service that claims the contract by the contract", async () => {
  const period = { from: "2026-11-14", to: TODAY, days: 7, complete_through: "2026-11-19" };
  await expect(stats({ period, visitors: 70, pageviews: 140 })).rejects.toThrow("breaks the contract");
});

describe("what was learned", () => {
  const home = mkdtempSync(join(tmpdir(), "learned-"));
  afterAll(() => rmSync(home, { recursive: true }));
  const environment = { HOME: home, XDG_STATE_HOME: home };
  const time = { now: 1_000_000 };
  const target = { baseUrl: "https://a.example/api/v1", apiKey: "one" };
  const open = (changed = {}, mapping?: object) =>
    openLearnedMemory({ environment, clock: () => time.now }, { ...target, ...changed }, mapping);
  const value = {
    dimensions: {},
    sites: [],
    timezones: {},
    readings: {},
    parameters: {},
    texts: {},
    paging: [],
    isDescribed: false,
  };

  it("is kept for a day, by address, key and mapping", () => {
    open().keep(value);
    expect(open().read()).toEqual(value);
    expect(open({ apiKey: "two" }).read()).toBeUndefined();
    expect(open({ baseUrl: "https://b.example/api/v1" }).read()).toBeUndefined();
    expect(open({}, { site: "id" }).read()).toBeUndefined();
    time.now += 24 * 60 * 60 * 1000;
    expect(open().read()).toBeUndefined();
    time.now -= 48 * 60 * 60 * 1000;
    expect(open().read()).toBeUndefined();
  });

  it("is learned anew by another process when it no longer fits, once", async () => {
    const how = { environment: { HOME: home, XDG_STATE_HOME: join(home, "anew") } };
    expect(
      await ask({ "/stats": () => ({ visitors: 70, pageviews: 140 }) }, "stats", { days: 7 }, how),
    ).toMatchObject({
      visitors: 70,
    });
    const renamed = { "/stats": () => ({ people: 60, views: 140 }) };
    expect(await ask(renamed, "stats", { days: 7 }, how)).toMatchObject({ visitors: 60, pageviews: 140 });
    const strict: Answers = {
      ...renamed,
      "/stats": (query) =>
        query.get("site") === "7" ? new Reply(404, { error: "No such site" }) : { people: 50, views: 140 },
    };
    expect(await ask(strict, "stats", { days: 7 }, how)).toMatchObject({ visitors: 50 });
    const lost = { "/stats": () => ({ views: 140 }) };
    await expect(ask(lost, "stats", { days: 7 }, how)).rejects.toThrow("no field that could be visitors");
  });
});

describe("a hostile description", () => {
  const read = (schema: unknown, components = {}) =>
    readDescription(
      {
        paths: { "/stats": { get: { responses: { 200: { content: { "application/json": { schema } } } } } } },
        components,
      },
      ["/stats"],
    ).get("/stats")?.texts;

  it("has no references to elsewhere", () => {
    const elsewhere = { $ref: "https://elsewhere.example/#/components/schemas/A" };
    const inside = { schemas: { A: { properties: { a: { title: "Visitors" } } } } };
    expect(read(elsewhere, inside)?.size).toBe(0);
    expect(read({ $ref: "b/components/schemas/A" }, inside)?.size).toBe(0);
    expect(read({ $ref: "#/components/schemas/A" }, inside)?.get("/a")).toBe("Visitors");
  });

  it("ends, whatever its cycles, size and depth", () => {
    const cycle = {
      A: { $ref: "#/components/schemas/A" },
      B: { properties: { b: { $ref: "#/components/schemas/B" } } },
    };
    expect(read({ $ref: "#/components/schemas/A" }, { schemas: cycle })?.size).toBe(0);
    expect(read({ $ref: "#/components/schemas/B" }, { schemas: cycle })?.size).toBe(0);
    const refs = Array.from({ length: 12 }, () => ({ $ref: "#/components/schemas/C" }));
    const bomb = { C: { title: "Visitors", allOf: refs, properties: { a: refs[0], b: refs[0] } } };
    const began = process.cpuUsage().user;
    expect(read({ $ref: "#/components/schemas/C" }, { schemas: bomb })).toBeDefined();
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(5);
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { title: "x" }]),
    );
    expect(read({ properties: wide })?.size).toBeLessThanOrEqual(2_000);
  });

  it("has ordinary names", () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"title":"Visitors"},"constructor":{"title":"Page views"}}}',
    );
    expect([...(read(schema) ?? [])]).toEqual([
      ["/__proto__", "Visitors"],
      ["/constructor", "Page views"],
    ]);
  });
});

describe("a hostile answer", () => {
  it.each<[string, unknown]>([
    ["deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["of lists in lists", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["no JSON", "<html>"],
    ["null", null],
  ])("is refused: %s", async (_, body) => {
    await expect(stats(body)).rejects.toMatchObject({ name: "AnalyticsError" });
  });

  it("costs little, however long its names", async () => {
    const began = process.cpuUsage().user;
    const names = [
      "aA".repeat(100_000),
      "A".repeat(200_000),
      "-_ ".repeat(60_000),
      "visitor ".repeat(20_000),
    ];
    const long = Object.fromEntries(names.map((name) => [name, 5]));
    expect(await stats({ ...long, visitors: 70, pageviews: 140 })).toMatchObject({ visitors: 70 });
    expect((process.cpuUsage().user - began) / 1e6).toBeLessThan(5);
  });

  it("with one name twice has the last of both, as JSON has it, and never both", async () => {
    expect(await stats('{"visitors":1,"visitors":70,"pageviews":140}')).toMatchObject({ visitors: 70 });
  });
});
