import { describe, expect, it } from "vitest";
import { createApi } from "../../src/api/api.ts";
import { breakdown, crawlers, realtime, sites, stats, timeseries } from "../../src/operations/index.ts";
import { compare } from "../../src/reports/compare.ts";
import type { DataSource, SourceSite } from "../../src/sources/data-source.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { conformSource } from "../support/conform-source.ts";
import { createListSource, type ListedHit } from "../support/list-source.ts";

/** A Saturday, 05:05:10 in Berlin. */
const NOW = Date.parse("2026-11-21T04:05:10Z");
const DAY = 86_400_000;

const site: SourceSite = {
  id: "one",
  domain: "one.example",
  name: "One",
  timezone: "Europe/Berlin",
  createdAt: Date.parse("2026-10-01T00:00:00Z"),
  dataSince: "2026-10-02",
};

/** Two visitors a day who read two pages, one of whom downloads something. */
const hits: ListedHit[] = Array.from({ length: 50 }, (_, day) => {
  const at = NOW - day * DAY - 60_000;
  const hit = (visitor: string, path: string, event?: string) => ({
    site: "one",
    visitor,
    at,
    path,
    ...(event !== undefined && { event }),
  });
  return [hit("a", "/"), hit("a", "/more"), hit("b", "/"), hit("b", "/", "Download")];
}).flat();

const source = createListSource([site], hits);
const callTo = (one: DataSource) =>
  createLocalCall(
    async () => one,
    () => NOW,
  );
const call = callTo(source);

describe("any data source answers every operation", () => {
  it("sites, totals, days, rows and who is active", async () => {
    expect((await call(sites, {})).sites).toMatchObject([{ id: "one", data_since: "2026-10-02" }]);
    expect(await call(stats, { site: "one.example", days: 7 })).toMatchObject({
      period: {
        from: "2026-11-15",
        to: "2026-11-21",
        days: 7,
        partial: true,
        complete_through: "2026-11-20",
      },
      visitors: 14,
      pageviews: 21,
      events: 7,
    });
    const { points } = await call(timeseries, { site: "one", days: 2 });
    expect(points).toEqual([
      { date: "2026-11-20", visitors: 2, pageviews: 3 },
      { date: "2026-11-21", visitors: 2, pageviews: 3, partial: true },
    ]);
    expect(await call(breakdown, { site: "one", dimension: "pages", days: 1, limit: 1 })).toMatchObject({
      rows: [{ value: "/", visitors: 2, pageviews: 2, percentage: 100 }],
      total_rows: 2,
      truncated: true,
      totals: { visitors: 2, pageviews: 3 },
    });
    expect(await call(realtime, { site: "one" })).toMatchObject({ visitors: 2, window_minutes: 5 });
  });

  it("and every report", async () => {
    const { change } = await compare.compute(call, { site: "one", days: 7 }, {});
    expect(change.visitors).toEqual({ absolute: 0, percent: 0 });
  });

  it("keeps every rule of the contract", async () => {
    const report = await conformSource(source, { now: NOW });
    expect(report.rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    expect(report.rules.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(120);
    for (const name of ["crawlers", "not-found"]) {
      const own = report.rules.filter(({ id }) => id.includes(name));
      expect(new Set(own.map(({ detail }) => detail))).toEqual(
        new Set([`the service does not offer /${name}, which is optional`]),
      );
    }
  });
});

describe("a source that cannot do everything", () => {
  it("refuses a dimension it does not record, with those it has", async () => {
    const ask = callTo({ ...source, dimensions: async () => ["pages", "channels"] });
    await expect(
      ask(breakdown, { site: "one", dimension: "cities", limit: 10, days: 30 }),
    ).rejects.toMatchObject({
      code: "invalid_parameter",
      parameters: [{ parameter: "dimension", allowed: ["pages", "channels"] }],
    });
    expect(
      (await ask(breakdown, { site: "one", dimension: "channels", limit: 10, days: 30 })).total_rows,
    ).toBe(1);
  });

  it("offers no crawlers if it cannot know them", async () => {
    const asked = { site: "one", limit: 10, days: 7 };
    await expect(call(crawlers, asked)).rejects.toMatchObject({ code: "not_found", status: 404 });
    const row = { value: "GPTBot", label: "GPTBot", operator: "OpenAI", purpose: "training" } as const;
    const ask = callTo({
      ...source,
      crawlers: async () => ({
        rows: [{ ...row, requests: 8, pages: 3, errors: 1, lastSeen: NOW - DAY }],
        totalRows: 12,
        totalRequests: 20,
      }),
    });
    expect(await ask(crawlers, { ...asked, limit: 1 })).toMatchObject({
      rows: [{ ...row, error_percentage: 12.5, last_seen: "2026-11-20T05:05:10+01:00" }],
      limit: 1,
      total_rows: 12,
      truncated: true,
      totals: { requests: 20 },
    });
  });

  it("adds its warnings to the contract's own", async () => {
    const warning = { code: "provisional", detail: "Yesterday may still grow." };
    const ask = callTo({ ...source, warnings: async () => [warning] });
    expect((await ask(stats, { site: "one", days: 7 })).warnings).toEqual([warning]);
    const codes = (await ask(stats, { site: "one", days: 90 })).warnings?.map(({ code }) => code);
    expect(codes).toEqual(["before_data_since", "provisional"]);
  });

  it("gets the abort when nobody waits any more", async () => {
    const reason = new Error("left");
    const signal = AbortSignal.abort(reason);
    await expect(call(stats, { site: "one", days: 30 }, { signal })).rejects.toBe(reason);
    const seen: (AbortSignal | undefined)[] = [];
    const ask = callTo({
      ...source,
      days: (span, given) => {
        seen.push(given);
        return source.days(span);
      },
    });
    const controller = new AbortController();
    await ask(stats, { site: "one", days: 30 }, { signal: controller.signal });
    expect(seen).toEqual([controller.signal]);
  });

  it("is opened once, at the first call, and again after a failure", async () => {
    let opened = 0;
    const ask = createLocalCall(
      async () => {
        opened++;
        if (opened === 1) throw new Error("not yet");
        return source;
      },
      () => NOW,
    );
    await expect(ask(sites, {})).rejects.toThrow("not yet");
    await ask(sites, {});
    await ask(sites, {});
    expect(opened).toBe(2);
  });
});

describe("from and to", () => {
  const api = createApi({ keyring: () => ({ keyId: "any", source }), clock: () => NOW });
  const ask = async (dates: Record<string, string>) => {
    const query = new URLSearchParams({ site: "one", ...dates });
    const url = `http://localhost/api/v1/stats?${query}`;
    const { body } = await api({ method: "GET", url, headers: new Headers({ Authorization: "Bearer any" }) });
    return JSON.parse(body ?? "");
  };

  it("give complete days, and today so far", async () => {
    expect(await ask({ from: "2026-11-19", to: "2026-11-20" })).toMatchObject({
      period: {
        from: "2026-11-19",
        to: "2026-11-20",
        days: 2,
        partial: false,
        complete_through: "2026-11-20",
      },
      visitors: 4,
    });
    expect((await ask({ from: "2026-11-21", to: "2026-11-21" })).period).toMatchObject({
      days: 1,
      partial: true,
      complete_through: "2026-11-20",
    });
  });

  it.each([
    [{ from: "2026-11-20" }, "missing_parameter", "to is required if from is given."],
    [{ to: "2026-11-20" }, "missing_parameter", "from is required if to is given."],
    [{ from: "2026-11-20", to: "2026-11-19" }, "invalid_parameter", /from must not be after to/],
    [
      { from: "2026-11-20", to: "2026-11-22" },
      "invalid_parameter",
      /future: today at the site is 2026-11-21/,
    ],
    [{ from: "2025-10-17", to: "2026-11-01" }, "invalid_parameter", /not be before 2025-10-18/],
    [
      { from: "2026-11-20", to: "2026-11-20", days: "1" },
      "invalid_parameter",
      /cannot be combined with from or to/,
    ],
    [{ from: "2026-02-30", to: "2026-11-20" }, "invalid_parameter", /a date such as/],
  ])("%j is refused", async (dates, code, message) => {
    expect(await ask(dates)).toMatchObject({ code, detail: expect.stringMatching(message) });
  });
});
