import { describe, expect, it } from "vitest";
import { createApi } from "../../src/api/api.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";
import { createListSource } from "../support/list-source.ts";

interface Point {
  time: string;
  date?: string;
  visitors: number;
  pageviews: number;
  visits: number;
  partial?: boolean;
}

const { ask } = createTestApi();
const askSeries = (query: string) => ask(`/api/v1/timeseries?site=example.com&${query}`);
const read = async (query: string) => {
  const { body } = await askSeries(query);
  return body as { interval: string; points: Point[]; period: Record<string, unknown>; warnings?: object[] };
};

describe("interval=hour", () => {
  it("has a point for each hour, up to the one that is going on", async () => {
    const { interval, points, period } = await read("days=2&interval=hour");
    expect([interval, period.days, points.length]).toEqual(["hour", 2, 24 + 6]);
    expect(points[0]?.time).toBe("2026-11-20T00:00:00+01:00");
    expect(points.at(-1)).toMatchObject({ time: "2026-11-21T05:00:00+01:00", partial: true });
    expect(points.filter((point) => "partial" in point || "date" in point)).toHaveLength(1);
  });

  it("adds up to the day, but for the visitors", async () => {
    const { points } = await read("from=2026-11-12&to=2026-11-12&interval=hour");
    const [day] = (await read("from=2026-11-12&to=2026-11-12")).points;
    const sum = (name: "visitors" | "pageviews" | "visits") =>
      points.reduce((total, point) => total + point[name], 0);
    expect([sum("pageviews"), sum("visits")]).toEqual([day?.pageviews, day?.visits]);
    expect(sum("visitors")).toBeGreaterThan(day?.visitors ?? 0);
  });

  it("counts what a filter keeps, and warns of a value that nobody has", async () => {
    const sum = async (filter: string) =>
      (await read(`days=3&interval=hour${filter}`)).points.reduce(
        (total, point) => total + point.pageviews,
        0,
      );
    const [all, kept, left] = [
      await sum(""),
      await sum("&filter=countries=DE"),
      await sum("&filter=countries!=DE"),
    ];
    expect(Math.min(kept, left)).toBeGreaterThan(0);
    expect(kept + left).toBe(all);
    const { warnings } = await read("days=1&interval=hour&filter=pages=/nowhere");
    expect(warnings).toMatchObject([{ code: "no_such_value" }]);
  });

  it("is for at most 100 days", async () => {
    expect((await askSeries("days=100&interval=hour")).status).toBe(200);
    const refused = { parameter: "days", minimum: 1, maximum: 100 };
    const tooLong = await askSeries("days=101&interval=hour");
    expect([tooLong.status, tooLong.body.code]).toEqual([400, "invalid_parameter"]);
    expect(tooLong.body.errors).toMatchObject([refused]);
    expect((await askSeries("from=2026-08-01&to=2026-11-08&interval=hour")).status).toBe(200);
    const { status, body } = await askSeries("from=2026-07-31&to=2026-11-08&interval=hour");
    expect([status, body.errors]).toMatchObject([400, [{ parameter: "from" }]]);
  });

  it("has another tag than the days", async () => {
    const [hours, days] = [await askSeries("days=2&interval=hour"), await askSeries("days=2")];
    expect(hours.headers.get("etag")).not.toBe(days.headers.get("etag"));
  });
});

it("interval=day is the default, and others are refused", async () => {
  expect((await read("days=3&interval=day")).points).toEqual((await read("days=3")).points);
  const { status, body } = await askSeries("days=3&interval=week");
  expect([status, body.errors]).toMatchObject([400, [{ parameter: "interval", allowed: ["day", "hour"] }]]);
});

it("a source without hours does not list interval, and refuses it", async () => {
  const site = {
    id: "site_1",
    domain: "example.com",
    name: "example.com",
    timezone: "UTC",
    createdAt: 0,
    dataSince: "2026-11-01",
  };
  const source = createListSource([site], []);
  const api = createApi({ keyring: () => ({ keyId: "a", source }), clock: () => NOW });
  const get = async (path: string) => {
    const headers = new Headers({ authorization: `Bearer ${DEMO_KEY}` });
    const { status, body } = await api({ method: "GET", url: `https://x.test/api/v1${path}`, headers });
    return { status, body: JSON.parse(body ?? "{}") };
  };
  const { body } = await get("/openapi.json");
  const { parameters } = body.paths["/timeseries"].get;
  expect(parameters.map(({ name }: { name: string }) => name)).not.toContain("interval");
  expect(JSON.stringify(body.components.schemas.TimeseriesAnswer)).not.toContain('"time"');
  for (const interval of ["hour", "day"]) {
    const refused = await get(`/timeseries?site=example.com&days=1&interval=${interval}`);
    expect([refused.status, refused.body.code]).toEqual([400, "unknown_parameter"]);
  }
});
