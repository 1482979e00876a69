import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { parseFilter } from "../../src/operations/filter.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { compare } from "../../src/reports/compare.ts";
import { overview } from "../../src/reports/overview.ts";
import { createMeasure, isSmallSample, type Measure, SMALL_SAMPLE_NOTE } from "../../src/reports/windows.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createCount } from "../oracle/count.ts";
import { readRaw } from "../oracle/raw.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";

/**
 * A client of the reference API, which answers only for days until today unless it has spans; `between` runs before each
 * request for numbers, to let time pass.
 */
function connect(
  between: (time: { now: number }, count: number) => void = () => {},
  edit = (_url: string, text: string) => text,
  hasSpans = false,
) {
  const { api, time } = createTestApi();
  let count = 0;
  const { call } = createHttpClient({
    clock: () => time.now,
    readTarget: () => ({
      baseUrl: "https://x.test/api/v1",
      apiKey: DEMO_KEY,
      fetch: async (url, init) => {
        if (url.endsWith("/openapi.json")) {
          const document = await (await api(new Request(url, init))).text();
          return new Response(hasSpans ? document : document.replaceAll('"name":"from"', '"name":"since"'), {
            headers: { "content-type": "application/json" },
          });
        }
        between(time, ++count);
        const response = await api(new Request(url, init));
        return new Response(edit(url, await response.text()), response);
      },
    }),
  });
  return { call, time, requests: () => count };
}

const site = readRaw(readFixtures(), "analytics", NOW).find(({ domain }) => domain === "example.com");
if (!site) throw new Error("no site");
const count = createCount(site);

/** A naive count of a window of complete days that ends so many days before the last complete one. */
function countWindow(now: number, days: number, earlier: number, dimension: Dimension) {
  const dates = count.completeDays(now, days, earlier);
  return { ...count.totals(now, dates), rows: count.rows(now, dates, dimension) };
}

/** The change between two windows of one length that have all of their data, or may not have. */
function measureChange(current: number, previous: number, comparable = true) {
  const window = { from: "", to: "", days: 1, visitors: 0, pageviews: 0 };
  const covered = { current: 1, previous: 1 };
  return createMeasure(window, window, { comparable, lacksDays: false, covered }).change(current, previous);
}

describe("arithmetic", () => {
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
    expect(measureChange(current, previous)).toEqual(change);
    expect(measureChange(current, previous, false)).toEqual({ ...change, percent: null });
  });

  it("a sample is small if neither window has 100 visitors", () => {
    const window = (visitors: number) => ({ from: "", to: "", days: 1, visitors, pageviews: 0 });
    const measure = { isPossible: true } as Measure;
    expect(isSmallSample(measure, window(100), window(100))).toBe(false);
    expect(isSmallSample(measure, window(99), window(99))).toBe(true);
    expect(isSmallSample(measure, window(500), window(13))).toBe(false);
    expect(isSmallSample(measure, window(13), window(500))).toBe(false);
  });
});

describe("compare", () => {
  it("takes the main dimensions by itself, and echoes both windows", async () => {
    const { call, requests } = connect();
    const answer = await compare.compute(call, { site: "example.com", days: 7 }, {});
    expect(answer.dimensions.map(({ dimension }) => dimension)).toEqual([
      "pages",
      "referrers",
      "channels",
      "countries",
    ]);
    expect([answer.previous.from, answer.previous.to, answer.current.from, answer.current.to]).toEqual([
      "2026-11-07",
      "2026-11-13",
      "2026-11-14",
      "2026-11-20",
    ]);
    expect(requests()).toBe(15);
  });

  it("reads again when visits arrive between the calls, and reports the remaining drift", async () => {
    const settled = connect((time, count) => {
      if (count < 6) time.now += 1_800_000;
    });
    const calm = await compare.compute(
      settled.call,
      { site: "example.com", days: 7, dimension: "pages" },
      {},
    );
    expect(calm.dimensions[0]?.drift).toBe(0);
    expect(settled.requests()).toBeGreaterThan(4);

    const { call, requests } = connect((time) => {
      time.now += 1_800_000;
    });
    const busy = await compare.compute(call, { site: "example.com", days: 7, dimension: "pages" }, {});
    const drift = busy.dimensions[0]?.drift ?? 0;
    expect(requests()).toBe(16);
    expect(drift).toBeGreaterThan(0);
    const notes = formatNotes(listNotes(compare.views(busy)), "models");
    expect(notes).toContain(
      `Visits arrived while pages were read: each count may be off by ${drift}, and each change by ${2 * drift}.`,
    );
    const current = countWindow(NOW, 7, 0, "pages").rows;
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
    const answer = await compare.compute(call, { site: "example.com", days: 7, dimension: "channels" }, {});
    expect([answer.previous.from, answer.current.to]).toEqual(["2026-11-07", "2026-11-20"]);
    const expected = countWindow(Date.parse("2026-11-20T23:00:01Z"), 7, 0, "channels");
    expect(answer.current.visitors).toBe(expected.visitors);
  });

  it("reads again after midnight even if there were no visits", async () => {
    const { call } = connect((time, count) => {
      if (count === 1) time.now = Date.parse("2026-11-20T18:14:59Z");
      if (count === 3) time.now = Date.parse("2026-11-20T18:15:00Z");
    });
    const answer = await compare.compute(call, { site: "parked.example", days: 1, dimension: "pages" }, {});
    expect([answer.current.to, answer.as_of]).toEqual(["2026-11-20", "2026-11-21T00:00:00+05:45"]);
  });

  it("counts events that arrive between the calls as drift", async () => {
    const ask = { site: "example.com", days: 2, dimension: "events" } as const;
    const oneMore = (url: string, text: string) =>
      url.includes("/stats?") && url.endsWith("days=3")
        ? text.replace(/"events":(\d+)/, (_, events) => `"events":${Number(events) + 1}`)
        : text;
    for (const [edit, drift] of [
      [undefined, 0],
      [oneMore, 1],
    ] as const) {
      const { call } = connect(undefined, edit);
      const { dimensions } = await compare.compute(call, ask, {});
      expect(dimensions).toMatchObject([{ dimension: "events", drift }]);
    }
  });

  it.each([
    ["one dimension", { dimension: "events" }, 10],
    ["the main dimensions", {}, 4],
  ] as const)("shows of %s what moved, the most of it", async (_, chosen, most) => {
    const { call } = connect();
    const ask = { site: "example.com", days: 7, ...chosen };
    for (const { movers, cut_off } of (await compare.compute(call, ask, {})).dimensions) {
      expect(movers.length).toBeLessThanOrEqual(most);
      for (const { change } of movers) expect(change?.absolute).not.toBe(0);
      expect(cut_off).toBe(false);
    }
  });

  it.each([
    ["15", true],
    ["8", true],
    ["1", true],
    ["none", false],
  ])("reports that a list was cut off: the one over %s days", async (days, cutOff) => {
    const { call } = connect(undefined, (url, text) => {
      if (!url.includes("/breakdown") || !url.endsWith(`days=${days}`)) return text;
      const row = JSON.stringify({ label: "y", visitors: 0, pageviews: 0, percentage: 0 });
      const { rows, ...body } = JSON.parse(text);
      for (let index = rows.length; index < 1_000; index++)
        rows.push({ value: `/none-${index}`, ...JSON.parse(row) });
      return JSON.stringify({ ...body, rows, total_rows: 1_001, truncated: true });
    });
    const ask = { site: "example.com", days: 7, dimension: "pages" } as const;
    expect((await compare.compute(call, ask, {})).dimensions).toMatchObject([{ cut_off: cutOff }]);
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
      message: "The service's answers cover different days.",
      hint: "Nothing was compared. Try again; if it keeps happening, contact the service's operator.",
    });
  });

  it("says that there is nothing to compare, not that it may be due to chance", async () => {
    const { call } = connect();
    const answer = await compare.compute(call, { site: "parked.example", days: 7 }, {});
    expect(answer).toMatchObject({
      small_sample: false,
      change: { visitors: { absolute: null, percent: null } },
    });
    const notes = formatNotes(listNotes(compare.views(answer)), "models").join("\n");
    expect(notes).not.toContain("under 100 visitors");
    expect(notes).toContain("The site has no data yet, so there is nothing to compare.");
  });

  it("gives no percentage against days before the site had data", async () => {
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
      const notes = formatNotes(listNotes(views), "models").join("\n");
      expect(notes).toContain("The site's data begins on 2026-11-11");
    }
    // Windows after its first day are comparable.
    expect(await compare.compute(call, { ...ask, days: 2 }, {})).toMatchObject({ comparable: true });
  });
});

describe.each([
  ["compare", compare],
  ["overview", overview],
] as const)("%s", (_, { compute, views }) => {
  it("marks what visitors write, and nothing else", async () => {
    const answer = await compute(connect().call, { site: "example.com", days: 7 }, {});
    const marked = views(answer as never).flatMap(({ name, columns }) =>
      columns.flatMap(({ key, untrusted }) => (untrusted ? [`${key} of ${name}`] : [])),
    );
    expect(marked).toEqual(["label of pages", "label of referrers"]);
  });

  it("reports a small sample", async () => {
    const { call } = connect();
    const filters = [parseFilter(["countries=LU"]), undefined];
    const answers = filters.map((filter) =>
      compute(call, { site: "example.com", days: 7 }, filter ? { filter } : {}),
    );
    const small = (await Promise.all(answers)).map((answer) =>
      views(answer as never).some(({ notes }) => notes.includes(SMALL_SAMPLE_NOTE)),
    );
    expect(small).toEqual([true, false]);
  });
});

describe("overview, against a naive count of the raw visits", () => {
  it.each([1, 7, 30, 182])("of %d days", async (days) => {
    const { call } = connect(undefined, undefined, true);
    const answer = await overview.compute(call, { site: "example.com", days }, {});
    expect(answer).toMatchObject({ active_now: count.active(NOW), period: { days, partial: false } });
    expect(answer.trend.visitors).toHaveLength(days);
    expect(answer.trend.visitors.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(answer.visitors);
    if (days > 30) return;
    const { visits, bounces, visit_seconds, ...totals } = count.totals(NOW, count.completeDays(NOW, days));
    expect(answer).toMatchObject({ ...totals, visits });
    expect(answer.bounce_rate).toBeCloseTo((100 * bounces) / visits, 1);
    expect(answer.views_per_visit).toBeCloseTo(totals.pageviews / visits, 2);
    expect(answer.seconds_per_visit).toBeCloseTo(visit_seconds / visits, 0);
    expect(answer.today).toMatchObject({ visitors: count.totals(NOW, count.days(NOW, 1)).visitors });
    const current = countWindow(NOW, days, 0, "channels").visitors;
    const previous = countWindow(NOW, days, days, "channels").visitors;
    expect(answer.comparison).toMatchObject({
      previous: { visitors: previous },
      visitors: measureChange(current, previous),
    });
  });

  it("is the same from a service that answers only for days until today", async () => {
    const params = { site: "example.com", days: 30, period: "last_month" };
    const [direct, subtracted] = [connect(undefined, undefined, true), connect()];
    const answer = await overview.compute(direct.call, params, {});
    expect(answer.period).toMatchObject({ from: "2026-10-01", to: "2026-10-31" });
    expect(await overview.compute(subtracted.call, params, {})).toEqual(answer);
    expect([direct.requests(), subtracted.requests()]).toEqual([14, 25]);
  });

  it.each([
    ["this_week", "2026-11-16", "2026-11-20", true],
    ["this_month", "2026-11-01", "2026-11-20", true],
    ["last_week", "2026-11-09", "2026-11-15", false],
  ])(
    "of %s has its complete days, and a trend that ends with them or today",
    async (period, from, to, partial) => {
      const { call } = connect(undefined, undefined, true);
      const answer = await overview.compute(call, { site: "example.com", days: 30, period }, {});
      expect(answer.period).toMatchObject({ from, to, partial: false });
      expect(answer.comparison).not.toBe(null);
      expect(answer.trend).toMatchObject({ from, partial });
      expect(answer.trend.visitors).toHaveLength(answer.period.days + (partial ? 1 : 0));
      if (partial) expect(answer.trend.visitors.at(-1)).toBe(answer.today?.visitors);
    },
  );

  it("of a period without a complete day is what there is so far, with no change", async () => {
    const { call } = connect(undefined, undefined, true);
    const answer = await overview.compute(call, { site: "example.com", days: 30, period: "today" }, {});
    expect(answer).toMatchObject({
      comparison: null,
      period: { from: "2026-11-21", to: "2026-11-21", partial: true },
      visitors: answer.today?.visitors,
      trend: { partial: true, visitors: [answer.today?.visitors] },
    });
    const [totals] = overview.views(answer);
    expect(totals?.headline).toMatch(/, so far$/);
    expect(totals?.rows[0]).toMatchObject({ previous: null, change: null, percent: null });
  });
});
