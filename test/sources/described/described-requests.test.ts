import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openapi } from "../../../src/operations/index.ts";
import { readDescription } from "../../../src/sources/described/description.ts";
import { openLearnedMemory } from "../../../src/sources/described/learned-memory.ts";
import {
  askSmall as ask,
  createSmallService,
  describeParameters,
  Reply,
  askTotals as stats,
  TODAY,
  warningsOf,
} from "./small-service.ts";

type Answers = Parameters<typeof createSmallService>[0];

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

  it.each(["uid", "siteId", "slug"])("name the site by its %s if the list has no id", async (field) => {
    const { ask: asking, asked } = createSmallService({
      "/sites": () => [{ [field]: "s-1", host: "acme.example", tz: "Europe/Berlin" }],
    });
    await asking("breakdown", { dimension: "pages" });
    expect(asked).toContain("/breakdown?site=s-1&limit=10&dimension=pages");
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

  it("that lack what the service requires say what is sent, and that no mapping changes it", async () => {
    const refuse = () => new Reply(400, { error: "start and end are required (YYYY-MM-DD)" });
    const message = 'The service says: "start and end are required (YYYY-MM-DD)".';
    const advice = "No mapping changes what is sent: let the service answer to these alone.";
    const document = {
      paths: {
        "/stats": {
          get: { parameters: ["start", "end"].map((name) => ({ name, in: "query", required: true })) },
        },
      },
    };
    await expect(ask({ "/stats": refuse, "/openapi.json": () => document }, "stats")).rejects.toMatchObject({
      message,
      hint: `This program sends only site and days to /stats, but its description requires start and end. ${advice}`,
    });
    await expect(ask({ "/stats": refuse }, "stats")).rejects.toMatchObject({
      message,
      hint: `This program sends only site and days to /stats. ${advice}`,
    });
  });

  it("for a description that is not there are refused for that reason, if the address is right", async () => {
    const unknown = () => new Reply(404, { error: "unknown site None" });
    const answers = { "/openapi.json": unknown };
    await expect(createSmallService(answers).call(openapi, {})).rejects.toMatchObject({
      message: "This service has no description (/openapi.json) that can be read.",
      hint: "Everything else works without it.",
    });
    await expect(createSmallService({ ...answers, "/sites": unknown }).call(openapi, {})).rejects.toThrow(
      "unknown site None",
    );
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
    await expect(ask(lost, "stats", { days: 7 }, how)).rejects.toThrow("no field that is clearly visitors");
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
    // None of them is proposed for a mapping.
    await expect(stats({ [`visitor_${"x".repeat(1_000)}`]: 5, pageviews: 140 })).rejects.toMatchObject({
      hint: expect.stringMatching(
        /^It may be "[^{]{1,150}" prints a mapping file for all answers[^{]{1,40}$/,
      ),
    });
  });

  it("with one name twice has the last of both, as JSON has it, and never both", async () => {
    expect(await stats('{"visitors":1,"visitors":70,"pageviews":140}')).toMatchObject({ visitors: 70 });
  });
});
