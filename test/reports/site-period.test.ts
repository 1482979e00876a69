import { describe, expect, it, vi } from "vitest";
import { dimensions } from "../../src/operations/dimensions.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { withoutVisits } from "../../src/operations/visit-rates.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { reportQuery } from "../../src/reports/site-report.ts";
import type { SourceSite, Span } from "../../src/sources/data-source.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createTestApi } from "../support/api.ts";
import { readLoggableFixtures } from "../support/demo-logs.ts";
import { createListSource } from "../support/list-source.ts";
import { type Connection, connect, serve } from "../support/period-service.ts";
import { createWideSource } from "../support/wide-source.ts";

interface Row {
  value: string | null;
  label: string;
  visitors: number;
  visitors_at_most?: number;
}

const ask = async ({ call }: Connection, name: string, params: Record<string, unknown>) =>
  (await findQuery(name).ask(call, { site: "example.com", ...params }, {})).result;

const periods = ["yesterday", "last_week", "2026-10", "last_30_days", "2026-11-02/2026-11-05"];

describe("a period at a service that answers only for days until today", () => {
  const { api } = createTestApi();
  const [whole, limited] = [connect(api, true), connect(api, false)];

  it.each(periods.flatMap((period) => ["stats", "timeseries"].map((name) => [name, period])))(
    "%s of %s is as one that is answered directly",
    async (name = "", period = "") => {
      expect(await ask(limited, name, { period })).toEqual(await ask(whole, name, { period }));
    },
  );

  it.each(dimensions)("%s of last_week are as those that are answered directly", async (dimension) => {
    const params = { period: "last_week", dimension, limit: 1000 };
    const direct = await ask(whole, "breakdown", params);
    // Rows have no visits there.
    const expected = { ...direct, rows: (direct.rows as Row[]).map(withoutVisits) };
    expect(expected.rows.length).toBeGreaterThan(0);
    expect(await ask(limited, "breakdown", params)).toEqual(expected);
  });

  it.each([
    ["none", new Response("{}", { status: 404 })],
    ["one that is a page", new Response("<p>", { headers: { "content-type": "text/html" } })],
  ])("needs no description of the service: %s", async (_, description) => {
    const bare = connect(
      async (request) => (request.url.endsWith("/openapi.json") ? description.clone() : api(request)),
      false,
    );
    const params = { period: "last_week" };
    expect(await ask(bare, "stats", params)).toEqual(await ask(whole, "stats", params));
  });

  it("is asked directly where the service can", async () => {
    const own = connect(api, true);
    await ask(own, "stats", { period: "2026-10" });
    expect(own.asked).toEqual([
      "/realtime?site=example.com",
      "/openapi.json",
      "/stats?site=example.com&from=2026-10-01&to=2026-10-31",
    ]);
  });

  it("that ends today is asked by its days", async () => {
    const own = connect(api, false);
    await ask(own, "stats", { period: "this_month" });
    expect(own.asked).toEqual(["/realtime?site=example.com", "/stats?site=example.com&days=21"]);
  });

  it("before the last 365 days is refused", async () => {
    await expect(ask(limited, "stats", { period: "2025-10" })).rejects.toMatchObject({
      code: "invalid_parameter",
      message: "period must not begin before 2025-11-22: this service reaches back no further.",
      next: [{ params: { period: "all" } }],
    });
  });

  it("partly before them is refused with those that there are, unless it is a list", async () => {
    const reached = { params: { period: "2025-11-22/2025-11-30" } };
    const all = { params: { period: "all" } };
    for (const name of ["stats", "timeseries"])
      await expect(ask(limited, name, { period: "2025-11" })).rejects.toMatchObject({ next: [reached, all] });
    const list = ask(limited, "breakdown", { period: "2025-11", dimension: "pages" });
    await expect(list).rejects.toMatchObject({ next: [all] });
  });

  it("before what a source keeps is refused", async () => {
    await expect(ask(whole, "stats", { period: "2020" })).rejects.toMatchObject({
      code: "invalid_parameter",
      message: expect.stringMatching(/^period must not be before 2024-\d\d-\d\d: nothing earlier is kept\.$/),
      parameters: [{ parameter: "period", detail: expect.any(String) }],
    });
  });

  it("of an unknown site is refused with the sites that there are", async () => {
    await expect(ask(limited, "stats", { period: "yesterday", site: "nope.example" })).rejects.toMatchObject({
      code: "site_not_found",
      hint: expect.stringContaining("example.com"),
    });
  });
});

describe("a period at a source in this process", () => {
  const site: SourceSite = {
    id: "one",
    domain: "one.example",
    name: "One",
    timezone: "Pacific/Honolulu",
    createdAt: 0,
    dataSince: "2026-01-01",
  };
  function open() {
    const source = createListSource([site], []);
    const active = vi.fn(source.active);
    const call = createLocalCall(
      async () => ({ ...source, active }),
      () => Date.parse("2026-11-22T09:59:59Z"),
      { site: "one.example" },
    );
    return {
      active,
      ask: async (name: string, params: object) =>
        (await findQuery(name).ask(call, { days: 30, ...params }, {})).result,
    };
  }

  it.each([
    ["stats", {}],
    ["timeseries", {}],
    ["breakdown", { dimension: "pages", limit: 10 }],
  ])("is that of the source's clock, which %s asks for no active visitors", async (name, params) => {
    const { active, ask } = open();
    const { period } = await ask(name, { ...params, period: "today" });
    expect(period).toMatchObject({ from: "2026-11-21", to: "2026-11-21", partial: true });
    expect(active).not.toHaveBeenCalled();
  });

  it("is compared without counting active visitors", async () => {
    const { active, ask } = open();
    expect(await ask("compare", { period: "yesterday" })).toMatchObject({ current: { from: "2026-11-20" } });
    expect(active).not.toHaveBeenCalled();
  });

  it("has its active visitors counted once in an overview, which shows them", async () => {
    const { active, ask } = open();
    expect(await ask("overview", { period: "yesterday" })).toMatchObject({ active_now: 0 });
    expect(active).toHaveBeenCalledTimes(1);
  });
});

it("is resolved again if midnight at the site passes meanwhile", async () => {
  const { api, time } = createTestApi({ start: Date.parse("2026-11-21T22:59:59Z") });
  let requests = 0;
  const connection = connect(api, true, () => {
    if (++requests === 3) time.now += 2_000;
  });
  const { period } = await ask(connection, "stats", { period: "yesterday" });
  expect(period).toMatchObject({ from: "2026-11-21", to: "2026-11-21", partial: false });
});

describe("rows that cannot be exact are ranges that have the truth in them", () => {
  it("if visits arrive while they are read", async () => {
    const { api, time } = createTestApi({ start: Date.parse("2026-11-21T12:00:00Z") });
    const busy = connect(api, false, () => {
      time.now += 120_000;
    });
    const params = { period: "yesterday", dimension: "pages", limit: 1000 };
    const { rows, warnings } = await ask(busy, "breakdown", params);
    const truth = (await ask(connect(api, true), "breakdown", params)).rows as Row[];
    const expected = new Map(truth.map(({ value, visitors }) => [value, visitors]));
    expect((rows as Row[]).some((row) => row.visitors_at_most !== undefined)).toBe(true);
    for (const { value, visitors, visitors_at_most } of rows as Row[]) {
      expect(expected.get(value)).toBeGreaterThanOrEqual(visitors);
      expect(expected.get(value)).toBeLessThanOrEqual(visitors_at_most ?? visitors);
    }
    expect(warnings).toContainEqual(expect.objectContaining({ code: "subtracted" }));
    const { views } = await findQuery("breakdown").ask(busy.call, { site: "example.com", ...params }, {});
    expect(views[0]?.rows.map((row) => row.visitors)).toContainEqual(expect.stringMatching(/^\d+–\d+$/));
  });

  it("if the service cuts its lists", async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      value: `/${index}`,
      visitors: [3 + ((index * 7) % 50), (index * 13) % 400, 0] as const,
    }));
    const source = createWideSource(rows);
    const answer = serve(source);
    const params = { site: "wide.test", period: "yesterday", dimension: "pages", limit: 1000 };
    const result = await ask(connect(answer, false), "breakdown", params);
    const shown = result.rows as Row[];
    expect(shown.some((row) => row.visitors_at_most !== undefined)).toBe(true);
    for (const { value, visitors, visitors_at_most } of shown) {
      const [, truth] = rows[Number(value?.slice(1))]?.visitors ?? [];
      expect(truth).toBeGreaterThanOrEqual(visitors);
      expect(truth).toBeLessThanOrEqual(visitors_at_most ?? visitors);
    }
    expect(JSON.stringify(result.warnings)).toContain("did not list all rows");
    const overview = await findQuery("overview").ask(
      connect(answer, false).call,
      { site: "wide.test", period: "yesterday", days: 30 },
      {},
    );
    const said = formatNotes(listNotes(overview.views), "people").join("\n");
    expect(said).toMatch(/Some rows are known only as a range, .* ranked by their least value\./);
  });

  it("and an overview without ranges does not explain them", async () => {
    const { views } = await findQuery("overview").ask(
      connect(createTestApi().api, true).call,
      { site: "example.com", period: "yesterday", days: 30 },
      {},
    );
    expect(formatNotes(listNotes(views), "people").join()).not.toContain("range");
  });
});

describe("an overview of days before which the source does not reach", () => {
  // Of two years, few visitors are enough.
  const { api } = createTestApi({ fixtures: readLoggableFixtures({ mostVisitors: 20 }) });

  it.each([
    ["any days", true, "2025"],
    ["days until today", false, "last_300_days"],
  ])("of a service that answers for %s leaves the comparison out and says so", async (_, isFree, period) => {
    for (const query of [findQuery("overview"), reportQuery]) {
      const { result, views } = await query.ask(
        connect(api, isFree).call,
        { site: "example.com", period, days: 30 },
        {},
      );
      expect(result).toMatchObject({ comparison: null, visitors: expect.any(Number) });
      expect(result.trend).not.toHaveProperty("previous");
      const said = formatNotes(listNotes(views), "people");
      const reasons = said.filter((sentence) => sentence.startsWith("Not compared with 202"));
      expect(reasons).toEqual([
        expect.stringMatching(/ to 202\d-\d\d-\d\d: the source does not reach back so far\.$/),
      ]);
      expect(said.join()).not.toContain("no days before");
    }
  });

  it("still refuses days that it does not reach itself", async () => {
    const asked = ask(connect(api, true), "overview", { period: "2024", days: 30 });
    await expect(asked).rejects.toThrow("nothing earlier is kept");
  });
});

describe("warnings about days after a past span are not given for it", () => {
  const withGap = async (operation: string, params: object) => {
    const source = createWideSource([{ value: "/", visitors: [3, 2, 1] }]);
    const warned = {
      ...source,
      warnings: async ({ from, to }: Span) =>
        [
          { code: "provisional", detail: "It can grow.", values: { day: "2026-11-20" } },
          // Another service may say in words alone which day it is.
          { code: "provisional", detail: "2026-11-20 can still grow a little.", values: { lines: 2 } },
          { code: "gap", detail: "No line.", values: { days: 1, from: "2026-11-12", to: "2026-11-12" } },
        ].filter(
          ({ values: { day, from: first = day } }) => (first ?? from) >= from && (day ?? first ?? to) <= to,
        ),
    };
    return ask(connect(serve(warned), false), operation, { site: "wide.test", ...params });
  };

  it.each([
    ["stats", {}],
    ["timeseries", {}],
    ["breakdown", { dimension: "pages", limit: 10 }],
  ])("%s", async (operation, params) => {
    const past = await withGap(operation, { ...params, period: "2026-11-09/2026-11-15" });
    expect((past.warnings as { code: string }[]).map(({ code }) => code)).toEqual(["gap"]);
    const earlier = await withGap(operation, { ...params, period: "2026-11-01/2026-11-07" });
    expect(earlier).not.toHaveProperty("warnings");
  });
});

it("a computed row is refused if midnight at the site passes while it is read", async () => {
  const { api, time } = createTestApi({ start: Date.parse("2026-11-21T22:59:59Z") });
  let lists = 0;
  const connection = connect(async (request) => {
    if (request.url.includes("/breakdown") && ++lists === 2) time.now += 2_000;
    return api(request);
  }, false);
  await expect(
    ask(connection, "breakdown", { period: "yesterday", dimension: "pages", limit: 10 }),
  ).rejects.toMatchObject({ code: "bad_answer", hint: expect.stringContaining("Try again") });
});
