import { describe, expect, it } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import { describeCall } from "../../src/mcp/next-calls.ts";
import { adviseOnRefusal } from "../../src/reports/next-question.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { createSmallService, describeParameters, listDays } from "../sources/described/small-service.ts";

const days = { type: "integer", enum: [7, 30, 90] };
const dimension = { type: "string", enum: ["pages", "referrers"] };
const once = {
  "/stats": (query: URLSearchParams) => {
    const count = Number(query.get("days"));
    return { visitors: count === 1 ? 10 : 6 * count, pageviews: 20 * count, events: count };
  },
};

/** What services of one's own lack, and which of them. */
const services = {
  "only some numbers of days": {
    "/openapi.json": () =>
      describeParameters({
        "/stats": { days },
        "/timeseries": { days },
        "/breakdown": { days, dimension },
      }),
    "/stats": (query: URLSearchParams) => {
      const count = Number(query.get("days"));
      return { visitors: 10 * count, pageviews: 20 * count };
    },
  },
  "visitors that add up": {
    ...once,
    "/openapi.json": () => describeParameters({ "/breakdown": { days: { type: "integer" }, dimension } }),
  },
  "days of its lists": {
    ...once,
    "/openapi.json": () => describeParameters({ "/breakdown": { dimension } }),
  },
};

const questions = [
  ["breakdown", { dimension: "pages", days: 28 }],
  ["breakdown", { dimension: "pages", period: "last_week" }],
  ["breakdown", { dimension: "countries" }],
  ["breakdown", { dimension: "events", period: "last_month" }],
  ["stats", { period: "last_week" }],
  ["stats", { period: "2024" }],
  ["stats", { filter: ["pages=/"] }],
  ["stats", { filter: ["pages=/"], days: 7 }],
  ["stats", { filter: ["pages=/"], days: 8 }],
  ["stats", { filter: ["pages=/"], period: "last_week" }],
  ["overview", { filter: ["referrers=example.org"], period: "last_week" }],
  ["realtime", { filter: ["pages=/"] }],
  ["timeseries", { interval: "week" }],
  ["timeseries", { interval: "hour" }],
  ["overview", { period: "last_month" }],
  ["compare", { dimension: "pages" }],
  ["compare", { dimension: "countries" }],
  ["compare", { days: 60 }],
  ["compare", { period: "last_month", against: "year_before" }],
  ["conversions", { goal: "pages=/" }],
  ["conversions", { goal: "pages=/", period: "last_week" }],
  ["conversions", { goal: "pages=/", by: "channels" }],
  ["conversions", { goal: "pages=/*" }],
  ["conversions", { goal: "events=signup" }],
] as const;

describe.each(Object.entries(services))("a service without %s", (_, answers) => {
  it.each(questions)("answers, or has a way on that it answers: %s of %j", async (name, given) => {
    const { call } = createSmallService({
      "/breakdown": () => [{ page: "/", referrer: "example.org", visitors: 40, pageviews: 90 }],
      "/timeseries": (query) =>
        listDays(Number(query.get("days"))).map((date) => ({ date, visitors: 10, pageviews: 20 })),
      ...answers,
    });
    const ask = async (asked: string, params: Record<string, unknown>) => {
      const query = findQuery(asked);
      const usesDefaultDays = params.days === undefined && params.period === undefined;
      return query.ask(call, query.params.parse({ site: "acme.example", ...params }), { usesDefaultDays });
    };
    const error = await ask(name, given).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (error === undefined) return;
    if (!(error instanceof AnalyticsError)) throw error;
    const { next } = adviseOnRefusal({ name }, error, { site: "acme.example", ...given });
    expect(next, error.message).not.toEqual([]);
    // No page is proposed that the site may not have.
    expect(JSON.stringify(next)).not.toContain("/thanks");
    for (const question of next) {
      await expect(ask(question.name, question.params), describeCall(question)).resolves.toBeDefined();
      expect(describeCall(question)).toMatch(/^[A-Z][\w ]*: (get|compare)_\w+ \{"site":"acme\.example".*\}$/);
    }
  });
});

it("a filter that a service does not take has the list with its row in its place", async () => {
  const adviseOn = async (name: string, given: Record<string, unknown>) => {
    const { ask } = createSmallService({
      "/openapi.json": () => describeParameters({ "/breakdown": { days: { type: "integer" }, dimension } }),
    });
    // Only an answer tells what kind of service it is.
    await ask("stats", { days: 7 });
    const error = await ask(name, given).catch((error: unknown) => error);
    return adviseOnRefusal({ name }, error as AnalyticsError, { site: "acme.example", ...given });
  };
  const list = { site: "acme.example", dimension: "pages" };
  const [days, period] = [{ days: 7 }, { period: "last_week" }];
  for (const [name, asked] of [
    ["stats", {}],
    ["stats", days],
    ["stats", period],
    ["overview", period],
  ] as const) {
    const { hint, next } = await adviseOn(name, { filter: ["pages=/"], ...asked });
    expect(hint).toBeUndefined();
    expect(next[0]).toMatchObject({ name: "breakdown", params: { ...list, ...asked } });
    expect(next[0]?.params).not.toHaveProperty("filter");
  }
  // Several conditions, what is not so, and lists that it does not have have no row.
  for (const filter of [["pages=/", "referrers=a"], ["pages!=/"], ["pages=/*"], ["countries=DE"]])
    expect((await adviseOn("stats", { filter })).next).toMatchObject([{ why: "Without it" }]);
  const active = await adviseOn("realtime", { filter: ["pages=/"] });
  expect(active).toMatchObject({ hint: undefined, next: [{ why: "Without it" }] });
});
