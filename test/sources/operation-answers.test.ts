import { describe, expect, it } from "vitest";
import { parseFilter } from "../../src/operations/filter.ts";
import { hours } from "../../src/operations/hours.ts";
import { breakdown, realtime, stats, timeseries } from "../../src/operations/index.ts";
import { createCheck } from "../../src/reports/check.ts";
import { findQuery } from "../../src/reports/queries.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { createListSource } from "../support/list-source.ts";

const demo = await openDemoSource({ clock: () => NOW });
const callTo = (source: DataSource) =>
  createLocalCall(
    async () => source,
    () => NOW,
  );
const call = callTo(demo);
const about = { site: "example.com", days: 7 };
const only = (...texts: string[]) => ({ filter: parseFilter(texts) });

describe("an answer about some hits", () => {
  it("names the conditions in their canonical form", async () => {
    const options = only("pages=/pricing|/", "countries=DE");
    const filter = ["countries=DE", "pages=/|/pricing"];
    expect(await call(stats, about, options)).toMatchObject({ filter });
    expect(await call(timeseries, about, options)).toMatchObject({ filter });
    expect(await call(breakdown, { ...about, dimension: "pages", limit: 5 }, options)).toMatchObject({
      filter,
    });
    expect(await call(realtime, { site: "example.com" }, options)).toMatchObject({ filter });
  });

  it("about everything names none", async () => {
    for (const options of [{}, { filter: [] }]) {
      expect(await call(stats, about, options)).not.toHaveProperty("filter");
      expect(await call(realtime, { site: "example.com" }, options)).not.toHaveProperty("filter");
    }
  });

  it("has fewer of everything, and shares of what is left", async () => {
    const all = await call(stats, about);
    const some = await call(stats, about, only("countries=DE"));
    for (const name of ["visitors", "pageviews", "events", "visits", "bounces", "visit_seconds"] as const) {
      expect(some[name]).toBeGreaterThan(0);
      expect(some[name]).toBeLessThan(all[name] ?? 0);
    }
    const { rows, totals } = await call(
      breakdown,
      { ...about, dimension: "countries", limit: 10 },
      only("countries=DE"),
    );
    const { events: _, site: __, period: ___, filter: ____, ...counts } = some;
    expect(totals).toEqual(counts);
    expect(rows).toMatchObject([{ value: "DE", percentage: 100 }]);
  });
});

describe("an answer with nothing in it", () => {
  const warn = async (...texts: string[]) =>
    ((await call(stats, about, only(...texts))).warnings ?? []).map(({ code, values }) => [code, values]);

  it("says which value nobody had", async () => {
    const expected = [["no_such_value", { filter: "pages=/nowhere" }]];
    expect(await warn("pages=/nowhere")).toEqual(expected);
    expect(await warn("pages=/nowhere", "countries=DE")).toEqual(expected);
    expect(await warn("pages=/nowhere/*")).toEqual([["no_such_value", { filter: "pages=/nowhere/*" }]]);
    expect(await warn("visit:events=Nothing")).toEqual([
      ["no_such_value", { filter: "visit:events=Nothing" }],
    ]);
    for (const operation of [timeseries, breakdown]) {
      const asked = { ...about, dimension: "pages", limit: 5 } as const;
      const { warnings } = await call(operation, asked, only("pages=/nowhere"));
      expect(warnings?.map(({ code }) => code)).toEqual(["no_such_value"]);
    }
  });

  it("names all of them, by the name a row would have", async () => {
    const { warnings } = await call(stats, about, only("pages=/a\\|b|/nowhere"));
    expect(warnings?.[0]?.detail).toContain("has pages=/a\\|b or pages=/nowhere:");
  });

  it("does not, if somebody had each value, or if no value may be meant, too", async () => {
    expect(await warn("pages=/", "events=*", "pages!=/")).toEqual([]);
    expect(await warn("pages=/nowhere|")).toEqual([]);
    expect(await warn("events!=*|")).toEqual([]);
  });

  it("refuses events that the source cannot know, and says so of a list without any", async () => {
    const callOnly = callTo({ ...demo, onlyEvents: ["File Download"] });
    const refused = 'but this source records no event other than "File Download".';
    for (const condition of ["events=signup|Down*", "visit:events!=signup"])
      await expect(callOnly(stats, about, only(condition))).rejects.toThrow(refused);
    const steps = {
      site: "example.com",
      from: "2026-11-19",
      to: "2026-11-20",
      steps: parseFilter(["pages=/"]),
    };
    const signup = { ...steps, steps: [...steps.steps, ...parseFilter(["events=signup"])] };
    await expect(callOnly.countSteps?.(signup, {})).rejects.toThrow(`steps is "events=signup", ${refused}`);
    for (const condition of ["events=File*", "events=signup|File Download", "events!="])
      await expect(callOnly(stats, about, only(condition))).resolves.toBeDefined();
    const list = { ...about, dimension: "events", limit: 5 } as const;
    const { warnings } = await callOnly(breakdown, list, only("pages=/nowhere"));
    expect(warnings?.map(({ code }) => code)).toContain("only_events");
    expect((await callOnly(breakdown, list)).warnings ?? []).toEqual([]);
  });

  it("and one with something has no such warning", async () => {
    expect(await warn("pages=/nowhere|/")).toEqual([]);
  });

  it("looks for ten values at most", async () => {
    let asked = 0;
    const counting = callTo({
      ...demo,
      days: (span, signal) => {
        asked++;
        return demo.days(span, signal);
      },
    });
    const many = Array.from({ length: 40 }, (_, index) => `/nowhere/${index}`).join("|");
    await counting(stats, about, only(`pages=${many}`));
    expect(asked).toBe(11);
  });
});

it("no events are said to be no count where the source records none", async () => {
  const dimensions: DataSource["dimensions"] = async () => ["pages"];
  const days: DataSource["days"] = async (span) =>
    (await demo.days(span)).map((day) => ({ ...day, events: 0 }));
  const codesOf = async (source: DataSource) =>
    (await callTo(source)(stats, about)).warnings?.map(({ code }) => code);
  const none: DataSource = { ...demo, dimensions, days };
  expect(await codesOf(none)).toEqual(["no_events"]);
  const asked = { site: about.site, metric: "events" };
  await expect(createCheck({ below: 1 }).ask(callTo(none), asked, {})).rejects.toMatchObject({
    message: "--metric cannot be events: this source does not know events.",
    hint: "It can be visitors, pageviews.",
  });
  expect(await codesOf({ ...demo, days })).toBeUndefined();
  expect(await codesOf({ ...demo, dimensions })).toBeUndefined();
});

it("no events are not shown as 0 where a source records only some, or none", async () => {
  const days: DataSource["days"] = async (span) =>
    (await demo.days(span)).map((day) => ({ ...day, events: 0 }));
  const source: DataSource = { ...demo, days, onlyEvents: ["Download"] };
  const { warnings: _, ...answer } = await callTo(source)(stats, about);
  expect(answer.events).toBe(0);
  const known = await callTo(source)(stats, about);
  expect(known.warnings).toEqual([
    {
      code: "only_events",
      detail: 'There are no events: this source records no event other than "Download".',
    },
  ]);
  expect(stats.view(known, about).rows).toEqual([expect.objectContaining({ events: null })]);
  expect(stats.view(answer, about).rows).toEqual([expect.objectContaining({ events: 0 })]);
  const { result, views } = await findQuery("overview").ask(callTo(source), about, {});
  expect(result).not.toHaveProperty("events");
  expect(views[0]?.rows.map(({ label }) => label)).not.toContain("events");
});

it("by hour is refused by a source that only has days", async () => {
  const { hours: _, ...daily } = demo;
  await expect(callTo(daily)(hours, { ...about, days: 1, interval: "hour" })).rejects.toMatchObject({
    code: "unknown_parameter",
    message: "interval cannot be hour: this source only has days.",
  });
});

describe("conditions are refused", () => {
  it("by a source without filters", async () => {
    const ask = callTo(createListSource(await demo.sites(), []));
    const refusal = { code: "unknown_parameter", status: 400, parameters: [{ parameter: "filter" }] };
    await expect(ask(stats, about, only("pages=/"))).rejects.toMatchObject(refusal);
    await expect(ask(realtime, { site: "example.com" }, only("pages=/"))).rejects.toMatchObject(refusal);
    expect(await ask(stats, about, { filter: [] })).not.toHaveProperty("filter");
  });

  it("on a dimension that the source does not record, with those it has", async () => {
    const ask = callTo({
      ...demo,
      dimensions: async () => ["pages", "channels"],
      missingOption: (dimension) => (dimension === "countries" ? "--geo" : undefined),
    });
    const detail = "is countries, which this source does not record without --geo; it has pages, channels";
    await expect(ask(stats, about, only("pages=/", "countries=DE"))).rejects.toMatchObject({
      code: "invalid_parameter",
      message: `filter ${detail}.`,
      parameters: [{ parameter: "filter", detail, allowed: ["pages", "channels"] }],
    });
    expect((await ask(stats, about, only("channels=Direct"))).visitors).toBeGreaterThan(0);
  });

  it("on a value that no row can have, unless the source may have other values than the contract", async () => {
    const options = only("countries=Germany");
    await expect(call(stats, about, options)).rejects.toMatchObject({ code: "invalid_parameter" });
    const { warnings } = await callTo({ ...demo, filters: "any-values" })(stats, about, options);
    expect(warnings?.map(({ code }) => code)).toEqual(["no_such_value"]);
  });

  it("before the site is looked for", async () => {
    const unknown = { site: "unknown.example", days: 7 };
    await expect(call(stats, unknown, only("pages=/"))).rejects.toMatchObject({ code: "site_not_found" });
    await expect(call(stats, unknown, only("countries=Germany"))).rejects.toMatchObject({
      code: "invalid_parameter",
    });
  });
});
