import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../../src/operations/filter.ts";
import type { SourceSite, Span } from "../../../../src/sources/data-source.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import type { StoredEvent } from "./plausible-events.ts";
import type { PlausibleSite } from "./plausible-query.ts";
import { startPlausible } from "./plausible-server.ts";

let server: Awaited<ReturnType<typeof startPlausible>>;
beforeAll(async () => {
  server = await startPlausible([]);
});
beforeEach(() => {
  server.state.spoil = undefined;
  server.state.asked.length = 0;
});
afterAll(() => server.close());

const DAY = "2026-11-19";

const NOTHING = {
  "visit:referrer": "",
  "visit:channel": "Direct",
  "visit:country": "\0\0",
  "visit:country_name": "",
  "visit:region": "",
  "visit:region_name": "",
  "visit:city": 0,
  "visit:city_name": "",
  "visit:device": "",
  "event:hostname": "(none)",
};

/** Page views and events of a day, each of another visitor unless it names one. */
function store(
  events: readonly (Partial<StoredEvent> & { page?: string })[],
  goals: PlausibleSite["goals"] = {},
) {
  server.state.sites = [
    {
      domain: "example.com",
      timezone: "UTC",
      goals,
      events: events.map(({ page = "/", values, ...event }, index) => ({
        name: "pageview",
        user: `user ${index}`,
        session: `session ${event.user ?? index}`,
        at: Date.parse(`${DAY}T12:00:00Z`),
        day: DAY,
        ...event,
        values: {
          ...NOTHING,
          "event:page": page,
          "visit:entry_page": page,
          "visit:exit_page": page,
          ...values,
        },
      })),
    },
  ];
}

const site: SourceSite = {
  id: "site_example",
  domain: "example.com",
  name: "example.com",
  timezone: "UTC",
  createdAt: 0,
  dataSince: "2026-01-01",
};
const span: Span = { site, from: DAY, to: DAY, now: LOG_NOW };

async function rank(dimension: Dimension, filter: readonly string[] = [], limit = 10) {
  const source = await server.open({ siteTimezones: { "example.com": "UTC" } });
  const ranking = await source.breakdown({ ...span, filter: parseFilter(filter) }, dimension, limit);
  return {
    rows: ranking.rows.map(({ value, label, visitors, hits }) => [value, label, visitors, hits]),
    total: ranking.totalRows,
    warnings: (ranking.warnings ?? []).map(({ code, detail }) => `${code}: ${detail}`),
  };
}

it("has null where Plausible has nothing, a code or a text for it", async () => {
  store([
    {},
    { values: { "visit:country": "ZZ", "visit:city": 0, "event:hostname": "", "visit:device": "" } },
    {
      values: {
        "visit:country": "DE",
        "visit:country_name": "Germany",
        "visit:region": "DE-BE",
        "visit:region_name": "Land Berlin",
        "visit:city": 2_950_159,
        "visit:city_name": "Berlin",
        "visit:device": "Ultra-wide",
      },
    },
  ]);
  expect((await rank("countries")).rows).toEqual([
    [null, "(unknown)", 2, 2],
    ["DE", "Germany", 1, 1],
  ]);
  expect((await rank("regions")).rows).toEqual([
    [null, "(unknown)", 2, 2],
    ["DE-BE", "Land Berlin", 1, 1],
  ]);
  expect((await rank("cities")).rows).toEqual([
    [null, "(unknown)", 2, 2],
    ["2950159", "Berlin", 1, 1],
  ]);
  expect((await rank("hostnames")).rows).toEqual([[null, "(none)", 3, 3]]);
  expect((await rank("devices")).rows).toEqual([
    [null, "(none)", 2, 2],
    ["ultra-wide", "ultra-wide", 1, 1],
  ]);
  expect((await rank("channels")).rows).toEqual([["Direct", "Direct", 3, 3]]);
  expect((await rank("countries", ["countries="])).rows).toEqual([[null, "(unknown)", 2, 2]]);
});

it("keeps direct visits from before Plausible had channels", async () => {
  store([{}, { values: { "visit:channel": "" } }, { values: { "visit:channel": "AI Assistants" } }]);
  const rows = [["Direct", "Direct", 2, 2]];
  expect((await rank("channels", ["channels=Direct"])).rows).toEqual(rows);
  expect((await rank("channels", ["channels!=AI assistants"])).rows).toEqual(rows);
  expect((await rank("channels", ["channels=AI*"])).rows).toEqual([["AI assistants", "AI assistants", 1, 1]]);
  expect((await rank("channels", ["channels="])).rows).toEqual([]);
});

it("folds laptops into desktops", async () => {
  store([
    { values: { "visit:device": "Desktop" } },
    { values: { "visit:device": "Laptop" } },
    { values: { "visit:device": "Mobile" } },
  ]);
  expect((await rank("devices")).rows).toEqual([
    ["desktop", "desktop", 2, 2],
    ["mobile", "mobile", 1, 1],
  ]);
  expect((await rank("devices", ["devices!=desktop"])).rows).toEqual([["mobile", "mobile", 1, 1]]);
});

const from = (referrer: string, event: Partial<StoredEvent> = {}) => ({
  ...event,
  values: { "visit:referrer": referrer },
});

it("ranks referrers by host, and says so if a visitor may count twice", async () => {
  store([
    from("news.example/a"),
    from("news.example?b"),
    from("android-app://com.example.reader"),
    from("news.example.org"),
    from(""),
  ]);
  const { rows, warnings } = await rank("referrers");
  expect(rows).toEqual([
    ["news.example", "news.example", 2, 2],
    ["android-app://com.example.reader", "android-app://com.example.reader", 1, 1],
    ["news.example.org", "news.example.org", 1, 1],
    [null, "(direct or none)", 1, 1],
  ]);
  expect(warnings).toEqual([expect.stringMatching(/^near: .* whole address of a referrer/)]);
  const kept = await rank("referrers", ["referrers=news.example|android-app://*"]);
  expect(kept.rows.map(([value, , visitors]) => [value, visitors])).toEqual([
    ["news.example", 2],
    ["android-app://com.example.reader", 1],
  ]);
  expect((await rank("referrers", ["referrers=news.*|", "referrers!=*.org"])).rows).toHaveLength(2);
  store([from("news.example/a"), from("other.example/a")]);
  expect((await rank("referrers")).warnings).toEqual([]);
});

it("lists the goals that are events", async () => {
  const events = [
    {},
    { page: "/thanks" },
    { name: "signup", user: "a" },
    { name: "signup", user: "a" },
    { name: "signup", user: "b" },
    { name: "download" },
  ];
  const goals: PlausibleSite["goals"] = {
    signup: { event: "signup" },
    "Visit /thanks": { page: "/thanks" },
    "Scroll / to the end": { scroll: "/" },
  };
  store(events, goals);
  expect(await rank("events")).toEqual({
    rows: [["signup", "signup", 2, 3]],
    total: 1,
    warnings: ["near: Plausible names only events that are goals: 1 of 4 events are in no row."],
  });
  store(events, { ...goals, download: { event: "download" } });
  expect((await rank("events")).warnings).toEqual([]);
  store(events, { ...goals, download: { event: "download" }, Registered: { event: "signup" } });
  expect(await rank("events")).toMatchObject({
    rows: [
      ["Registered", "Registered", 2, 3],
      ["signup", "signup", 2, 3],
      ["download", "download", 1, 1],
    ],
    warnings: ["near: Some goals in Plausible are part of others: their events are in several rows."],
  });
});

it("keeps events, and no page views that are goals", async () => {
  store([{}, { name: "signup" }, { page: "/thanks" }], {
    signup: { event: "signup" },
    thanks: { page: "/thanks" },
  });
  const source = await server.open({ siteTimezones: { "example.com": "UTC" } });
  const filter = parseFilter(["events=sign*up|signup"]).slice(0, 1);
  await expect(source.days({ ...span, filter })).rejects.toThrow("parts of names");
  const signups = parseFilter(["events=signup"]);
  expect(await source.days({ ...span, filter: signups })).toEqual([
    { date: DAY, visitors: 1, pageviews: 0, events: 1 },
  ]);
  const pages = { ...span, filter: parseFilter(["events=thanks"]) };
  await expect(source.days(pages)).rejects.toThrow("goal of page views");
  await expect(source.hours?.(pages)).rejects.toThrow("goal of page views");
  const noon = Date.parse(`${DAY}T12:00:00Z`);
  expect(await source.active(site, noon, undefined, signups)).toBe(1);
  await expect(source.active(site, noon, undefined, pages.filter)).rejects.toThrow("goal of page views");
  const unknown = { ...span, filter: parseFilter(["visit:events=nobody"]) };
  await expect(source.days(unknown)).rejects.toMatchObject({
    code: "invalid_parameter",
    parameters: [{ parameter: "filter", detail: "names an event that is no goal of this site in Plausible" }],
  });
});

it.each([
  ["events!=signup", "cannot leave out single events"],
  ["events=", "whose events are goals"],
  ["events=*", "whose events are goals"],
  ["events=sign*", "whose events are goals"],
  ["visit:events=*up", "whose events are goals"],
  ["hostnames=example.com|*.example.com", "in one condition, not both"],
  ["hostnames!=*n*", "also matches (none)"],
  ["cities=29*", "cannot have a pattern of cities"],
])("refuses %s with the reason, before it asks", async (text, reason) => {
  const source = await server.open();
  const asked = source.days({ ...span, filter: parseFilter([text]) });
  await expect(asked).rejects.toMatchObject({ code: "invalid_parameter" });
  await expect(asked).rejects.toThrow(reason);
  expect(server.state.asked).toEqual([]);
});

it("says where Plausible also looks at the host of the first page", async () => {
  store([{ values: { "event:hostname": "example.com" } }]);
  for (const dimension of ["referrers", "utm_sources"] as const) {
    const values = { "event:hostname": "example.com", "visit:utm_source": "" };
    store([{ values }]);
    expect((await rank(dimension, ["hostnames=example.com"])).warnings).toEqual([
      expect.stringMatching(/^near: .* also began on such a host/),
    ]);
  }
  expect((await rank("pages", ["hostnames=example.com"])).warnings).toEqual([]);
  expect((await rank("referrers", ["visit:hostnames=example.com"])).warnings).toEqual([]);
});

it("ranks no page by events alone", async () => {
  store([{ page: "/a" }, { page: "/b", name: "signup" }]);
  expect(await rank("pages")).toMatchObject({ rows: [["/a", "/a", 1, 1]], total: 1 });
});

it("asks for the page views of entry pages one by one, and for no more than fifty", async () => {
  const visits = Array.from({ length: 60 }, (_, index) => ({ page: `/${index}` }));
  store([...visits.slice(0, 40), { page: "/7" }, { page: "/8", user: "user 8" }]);
  const { rows, total } = await rank("entry_pages", [], 3);
  expect(rows).toEqual([
    ["/7", "/7", 2, 2],
    ["/8", "/8", 1, 2],
    ["/0", "/0", 1, 1],
  ]);
  expect(total).toBe(40);
  // One for the days, one for the list, one for each page that may be among the first three.
  expect(server.state.asked.length).toBe(42);
  store(visits);
  await expect(rank("exit_pages", [], 51)).rejects.toMatchObject({
    code: "invalid_parameter",
    message:
      "dimension is exit_pages, whose page views Plausible gives for one value at a time, and there are 60.",
    hint: "Ask for at most 50 rows, or for some by a filter, such as exit_pages=/blog/*.",
  });
  expect((await rank("exit_pages", ["exit_pages=/1*"], 1_000)).rows).toHaveLength(11);
});

it("follows the pages of an answer to its end, in an order that leaves nothing open", async () => {
  store(Array.from({ length: 20_005 }, (_, index) => ({ page: `/${index}` })));
  const { rows, total } = await rank("pages", [], 1_000);
  expect([rows.length, total]).toEqual([1_000, 20_005]);
  const asked = server.state.asked.filter(({ dimensions }) => JSON.stringify(dimensions).includes("page"));
  expect(asked.map(({ pagination }) => pagination)).toEqual([
    { limit: 10_000, offset: 0 },
    { limit: 10_000, offset: 10_000 },
    { limit: 10_000, offset: 20_000 },
  ]);
  for (const { dimensions, order_by } of asked)
    expect(order_by).toEqual((dimensions as string[]).map((name) => [name, "asc"]));
});

it("shows no rows if the limit is reached, or rows are missing, in the middle", async () => {
  store(Array.from({ length: 10_005 }, (_, index) => ({ page: `/${index}` })));
  const spoilSecond = (status: number, body: object) => {
    server.state.spoil = ({ pagination }, respond) => {
      if ((pagination as { offset: number }).offset === 0) return false;
      respond(status, JSON.stringify(body));
      return true;
    };
  };
  spoilSecond(429, { error: "Too many API requests." });
  await expect(rank("pages")).rejects.toMatchObject({ code: "rate_limited" });
  const days = [`${DAY}T00:00:00+00:00`, `${DAY}T23:59:59+00:00`];
  spoilSecond(200, { results: [], meta: { total_rows: 10_005 }, query: { date_range: days } });
  await expect(rank("pages")).rejects.toThrow("fewer than it says");
});

it("bounds a row that Plausible has estimated by all visitors", async () => {
  store([]);
  const days = [`${DAY}T00:00:00+00:00`, `${DAY}T23:59:59+00:00`];
  let estimate = 100_900;
  server.state.spoil = ({ dimensions }, respond) => {
    const isRow = (dimensions as string[]).length > 1;
    const result = isRow
      ? { dimensions: [DAY, "Chrome"], metrics: [estimate, 150_000] }
      : { dimensions: [DAY], metrics: [100_000, 150_000, 150_000] };
    respond(200, JSON.stringify({ results: [result], query: { date_range: days } }));
    return true;
  };
  expect((await rank("browsers")).rows).toEqual([["Chrome", "Chrome", 100_000, 150_000]]);
  // No estimate is that far off: this is shown as it is, and refused where shares are computed.
  estimate = 120_000;
  expect((await rank("browsers")).rows).toEqual([["Chrome", "Chrome", 120_000, 150_000]]);
});

it("tells the two hours that the clocks show alike", async () => {
  const at = (time: string) => ({ at: Date.parse(time), day: "2026-10-25" });
  store([at("2026-10-25T00:30:00Z"), at("2026-10-25T01:10:00Z"), at("2026-10-25T01:59:59Z")]);
  for (const each of server.state.sites) each.timezone = "Europe/Berlin";
  const source = await server.open({ siteTimezones: { "example.com": "Europe/Berlin" } });
  const hours = await source.hours?.({
    site: { ...site, timezone: "Europe/Berlin" },
    from: "2026-10-25",
    to: "2026-10-25",
    now: LOG_NOW,
  });
  expect(hours).toHaveLength(25);
  expect(hours?.slice(1, 5).map(({ visitors }) => visitors)).toEqual([0, 1, 2, 0]);
});

it("asks about today again after a minute, and about days that are over after an hour", async () => {
  store([{}]);
  const clock = { now: Date.parse("2026-11-20T00:30:00Z") };
  const source = await server.open({ siteTimezones: { "example.com": "UTC" }, clock: () => clock.now });
  const count = async (to: string) => {
    const before = server.state.asked.length;
    await source.days({ ...span, to, now: clock.now });
    return server.state.asked.length - before;
  };
  expect([await count("2026-11-18"), await count(DAY), await count("2026-11-20")]).toEqual([1, 1, 1]);
  expect([await count("2026-11-18"), await count(DAY), await count("2026-11-20")]).toEqual([0, 0, 0]);
  // Yesterday is not long over: what was on its way may have arrived.
  clock.now += 61_000;
  expect([await count("2026-11-18"), await count(DAY), await count("2026-11-20")]).toEqual([0, 1, 1]);
  clock.now += 3_600_000;
  expect([await count("2026-11-18"), await count(DAY)]).toEqual([1, 1]);
  clock.now += 61_000;
  expect([await count("2026-11-18"), await count(DAY)]).toEqual([0, 0]);
});
