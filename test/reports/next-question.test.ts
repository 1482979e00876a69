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
    for (const question of next) {
      await expect(ask(question.name, question.params), describeCall(question)).resolves.toBeDefined();
      expect(describeCall(question)).toMatch(/^[A-Z][\w ]*: (get|compare)_\w+ \{"site":"acme\.example".*\}$/);
    }
  });
});
