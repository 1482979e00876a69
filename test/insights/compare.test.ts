import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { compare } from "../../src/insights/compare.ts";
import { type Breakdown, findMovers } from "../../src/insights/movers.ts";
import { overview } from "../../src/insights/overview.ts";
import { isSmallSample, measureChange, splitWindows } from "../../src/insights/windows.ts";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { readFixtures } from "../../src/reference/fixtures.ts";
import { createCount } from "../oracle/count.ts";
import { readRaw } from "../oracle/raw.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";

/** A client of the reference API; `between` is run before each request, as time that passes. */
function connect(
  between: (time: { now: number }, count: number) => void = () => {},
  edit = (_url: string, text: string) => text,
) {
  const { api, time } = createTestApi();
  let count = 0;
  const { call } = createClient({
    clock: () => time.now,
    readTarget: () => ({
      baseUrl: "https://x.test/api/v1",
      apiKey: DEMO_KEY,
      fetch: async (url, init) => {
        between(time, ++count);
        const response = api(new Request(url, init));
        return new Response(edit(url, await response.text()), response);
      },
    }),
  });
  return { call, time, requests: () => count };
}

const site = readRaw(readFixtures(), "analytics", NOW).find(({ domain }) => domain === "example.com");
if (!site) throw new Error("no site");
const count = createCount(site);

/** The complete days of a window, which ends so many days before the last one, by a naive count. */
function countWindow(now: number, days: number, earlier: number, dimension: Dimension) {
  const dates = count.completeDays(now, days, earlier);
  return { ...count.totals(now, dates), rows: count.rows(now, dates, dimension) };
}

describe("arithmetic", () => {
  const point = (date: string, visitors: number) => ({ date, visitors, pageviews: 2 * visitors });

  it("windows are complete days: today is in neither", () => {
    const points = [1, 2, 4, 8, 1_000].map((visitors, index) => point(`2026-01-0${index + 1}`, visitors));
    expect(splitWindows(points, 2)).toEqual({
      previous: { from: "2026-01-01", to: "2026-01-02", visitors: 3, pageviews: 6 },
      current: { from: "2026-01-03", to: "2026-01-04", visitors: 12, pageviews: 24 },
    });
  });

  it.each([
    [110, 100, { absolute: 10, percent: 10 }],
    [1, 3, { absolute: -2, percent: -66.7 }],
    [170, 160, { absolute: 10, percent: 6.3 }],
    [150, 160, { absolute: -10, percent: -6.3 }],
    [4_999, 5_000, { absolute: -1, percent: 0 }],
    [0, 5, { absolute: -5, percent: -100 }],
    [5, 0, { absolute: 5, percent: null }],
    [0, 0, { absolute: 0, percent: null }],
  ])("%d after %d", (current, previous, change) => {
    expect(measureChange(current, previous, true)).toEqual(change);
    expect(measureChange(current, previous, false)).toEqual({ ...change, percent: null });
  });

  it("a sample is small where either window has fewer than a hundred visitors", () => {
    const window = (visitors: number) => ({ from: "", to: "", visitors, pageviews: 0 });
    expect(isSmallSample(window(100), window(100))).toBe(false);
    expect(isSmallSample(window(99), window(1_000))).toBe(true);
    expect(isSmallSample(window(1_000), window(99))).toBe(true);
  });
});

describe("movers", () => {
  const rank = (rows: Record<string, number>, truncated = false): Breakdown =>
    ({
      rows: Object.entries(rows).map(([value, visitors]) => ({
        value,
        label: value,
        visitors,
        percentage: 1,
      })),
      truncated,
    }) as Breakdown;

  it("are ranked by how much they moved, not by percentage", () => {
    const movers = findMovers(
      { whole: rank({ a: 310, b: 40, c: 8 }), recent: rank({ a: 190, b: 15, c: 7 }), today: rank({ a: 20 }) },
      0,
      true,
    );
    expect(
      movers.map(({ label, current, previous, change }) => [label, current, previous, change?.absolute]),
    ).toEqual([
      ["a", 170, 120, 50],
      ["b", 15, 25, -10],
      ["c", 7, 1, 6],
    ]);
  });

  it("a value missing from a whole list is 0, from a cut-off one it lies below the last row", () => {
    const [gone] = findMovers({ whole: rank({ a: 9 }), recent: rank({}), today: rank({}) }, 0, true);
    expect(gone).toMatchObject({ current: 0, previous: 9, change: { absolute: -9, percent: -100 } });
    const cut = findMovers(
      { whole: rank({ a: 90, b: 50 }, true), recent: rank({ a: 40, c: 30 }, true), today: rank({}) },
      0,
      true,
    );
    expect(cut.map(({ label }) => label)).toEqual(["a", "b", "c"]);
    expect(cut[1]).toMatchObject({
      ...{ value: "b", current: null, previous: null, change: null },
      bounds: { current: { least: 0, most: 30 }, previous: { least: 20, most: 50 } },
    });
    expect(cut[2]).toMatchObject({
      current: 30,
      previous: null,
      bounds: { previous: { least: 0, most: 20 } },
    });
  });

  it("a negative difference is an error, never clamped", () => {
    const spans = { whole: rank({ a: 5 }), recent: rank({ a: 9 }), today: rank({}) };
    expect(() => findMovers(spans, 0, true)).toThrow(AnalyticsError);
    expect(() => findMovers(spans, 3, true)).toThrow(AnalyticsError);
    expect(findMovers(spans, 4, true)[0]).toMatchObject({ previous: 0 });
    expect(findMovers(spans, 5, true)[0]).toMatchObject({
      previous: null,
      bounds: { previous: { least: 0, most: 1 } },
    });
  });
});

describe("compare", () => {
  it("takes the main dimensions by itself, and echoes both windows", async () => {
    const { call, requests } = connect();
    const answer = await compare.compute(call, { site: "example.com", days: 7 }, {});
    expect(answer.dimensions.map((each) => each.dimension)).toEqual([
      "pages",
      "referrers",
      "channels",
      "countries",
    ]);
    expect([answer.previous.from, answer.previous.to, answer.current.from, answer.current.to]).toEqual([
      ...["2026-11-07", "2026-11-13", "2026-11-14", "2026-11-20"],
    ]);
    expect(requests()).toBe(13);
  });

  it("reads again when visits arrive between the calls, and states what drift is left", async () => {
    const settled = connect((time, count) => {
      if (count < 6) time.now += 600_000;
    });
    const calm = await compare.compute(
      settled.call,
      { site: "example.com", days: 3, dimension: "pages" },
      {},
    );
    expect(calm.dimensions[0]?.drift).toBe(0);
    expect(settled.requests()).toBeGreaterThan(4);

    const { call, requests } = connect((time) => {
      time.now += 600_000;
    });
    const busy = await compare.compute(call, { site: "example.com", days: 3, dimension: "pages" }, {});
    const drift = busy.dimensions[0]?.drift ?? 0;
    expect(requests()).toBe(12);
    expect(drift).toBeGreaterThan(0);
    const notes = compare.views(busy).flatMap((view) => view.notes);
    expect(notes).toContain(`Visits arrived while pages were read: each count may be off by ${drift}.`);
    const current = countWindow(NOW, 3, 0, "pages").rows;
    for (const mover of busy.dimensions[0]?.movers ?? []) {
      const expected = current.find((row) => row.value === mover.value)?.visitors ?? 0;
      expect(Math.abs((mover.current ?? expected) - expected)).toBeLessThanOrEqual(drift);
    }
  });

  it("reads again when midnight at the site passes between the calls", async () => {
    const { call } = connect((time, count) => {
      if (count === 1) time.now = Date.parse("2026-11-20T22:59:59Z");
      if (count === 3) time.now = Date.parse("2026-11-20T23:00:01Z");
    });
    const answer = await compare.compute(call, { site: "example.com", days: 2, dimension: "channels" }, {});
    expect([answer.previous.from, answer.current.to]).toEqual(["2026-11-17", "2026-11-20"]);
    const expected = countWindow(Date.parse("2026-11-20T23:00:01Z"), 2, 0, "channels");
    expect(answer.current.visitors).toBe(expected.visitors);
  });

  it("reads again after midnight even where no visits tell", async () => {
    const { call } = connect((time, count) => {
      if (count === 1) time.now = Date.parse("2026-11-20T18:14:59Z");
      if (count === 3) time.now = Date.parse("2026-11-20T18:15:00Z");
    });
    const answer = await compare.compute(call, { site: "parked.example", days: 1, dimension: "pages" }, {});
    expect([answer.current.to, answer.as_of]).toEqual(["2026-11-20", "2026-11-21T00:00:00+05:45"]);
  });

  it("refuses a service whose answers never agree on the day", async () => {
    const { call } = connect(undefined, (url, text) =>
      url.includes("/timeseries")
        ? text
        : text
            .replace(/"from":"[\d-]+","to":"[\d-]+"/, (each) => each.replaceAll("2026", "2025"))
            .replace("2026-11-20", "2025-11-20"),
    );
    await expect(
      compare.compute(call, { site: "example.com", days: 1, dimension: "channels" }, {}),
    ).rejects.toMatchObject({
      code: "bad_answer",
    });
  });

  it("gives no percentage on a zero base and calls a small sample small", async () => {
    const { call } = connect();
    const answer = await compare.compute(call, { site: "parked.example", days: 7 }, {});
    expect(answer).toMatchObject({
      small_sample: true,
      change: { visitors: { absolute: 0, percent: null } },
    });
    const notes = compare
      .views(answer)
      .flatMap((view) => view.notes)
      .join("\n");
    expect(notes).toContain("Small sample");
    expect(notes).toContain("no data yet");
  });

  it("calls nothing growth that is compared with days before the site had data", async () => {
    const { call } = connect();
    const ask = { site: "news.example.org", days: 7 };
    const answer = await compare.compute(call, ask, {});
    expect(answer).toMatchObject({ comparable: false, small_sample: false });
    expect(answer.previous.visitors).toBeGreaterThan(0);
    const changes = [answer.change.visitors, answer.change.pageviews].concat(
      answer.dimensions.flatMap(({ movers }) => movers.flatMap(({ change }) => change ?? [])),
    );
    expect(changes.length).toBeGreaterThan(2);
    for (const { percent } of changes) expect(percent).toBe(null);
    const { comparison, ...rest } = await overview.compute(call, ask, {});
    expect(comparison).toMatchObject({ comparable: false, visitors: { percent: null } });
    for (const views of [compare.views(answer), overview.views({ comparison, ...rest })]) {
      const notes = views.flatMap((view) => view.notes).join("\n");
      expect(notes).toContain(`The site had no data yet on ${answer.previous.from}`);
    }
    // From its first day on it can be compared.
    expect(await compare.compute(call, { ...ask, days: 4 }, {})).toMatchObject({ comparable: true });
  });
});

describe("overview, against a naive count of the raw visits", () => {
  it.each([1, 7, 30, 182])("of %d days", async (days) => {
    const { call, requests } = connect();
    const answer = await overview.compute(call, { site: "example.com", days }, {});
    expect(requests()).toBe(6);
    expect(answer).toMatchObject({ drifted: false, active_now: count.active(NOW), period: { days } });
    expect(answer.trend.visitors).toHaveLength(days);
    expect(answer.trend.visitors.reduce((sum, each) => sum + each, 0)).toBe(answer.visitors);
    if (days > 30) return;
    expect(answer).toMatchObject(count.totals(NOW, count.days(NOW, days)));
    const current = countWindow(NOW, days, 0, "channels").visitors;
    const previous = countWindow(NOW, days, days, "channels").visitors;
    expect(answer.comparison).toMatchObject({
      current: { visitors: current },
      previous: { visitors: previous },
      visitors: measureChange(current, previous, true),
    });
  });

  it("says when its parts were read at different times", async () => {
    const { call, requests } = connect((time) => {
      time.now += 600_000;
    });
    const answer = await overview.compute(call, { site: "example.com", days: 7 }, {});
    expect([answer.drifted, requests()]).toEqual([true, 18]);
    expect(overview.views(answer)[0]?.notes.join(" ")).toContain("Visits arrived while this was read");
  });
});
