import { describe, expect, it } from "vitest";
import { findQuery } from "../../src/reports/queries.ts";
import type { SiteList } from "../../src/reports/site-list.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createTestApi, NOW } from "../support/api.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { createListSource } from "../support/list-source.ts";
import { type Connection, connect, serve } from "../support/period-service.ts";
import { share } from "../support/seed.ts";
import { runShell } from "../support/shell.ts";

const { api } = createTestApi();
const local = createLocalCall(
  () => demo.open({ clock: () => NOW, environment: {}, flags: {} }),
  () => NOW,
);

const list = async (call: Connection["call"], period: string) =>
  (await findQuery("sites").ask(call, { period }, {})).result as SiteList;

const periods = [
  "last_week",
  "yesterday",
  "this_month",
  "2026-10",
  "monday",
  "last_90_days",
  "2026-11-02/2026-11-05",
];

describe("the list of sites with a period", () => {
  it.each(periods)("has for %s what a comparison of each site has", async (period) => {
    const { sites } = await list(local, period);
    expect(sites.length).toBe(5);
    for (const { domain, ...site } of sites) {
      const { result } = await findQuery("compare").ask(local, { site: domain, period, days: 7 }, {});
      const { current, previous, change, per_day } = result as Record<string, Record<string, unknown>>;
      expect([site.period, site.visitors, site.pageviews]).toMatchObject([
        { from: current?.from, to: current?.to, days: current?.days, partial: false },
        current?.visitors,
        current?.pageviews,
      ]);
      const { from, to, visitors, pageviews } = previous ?? {};
      expect(site.comparison).toMatchObject({
        previous: { from, to, visitors, pageviews },
        visitors: change?.visitors,
        pageviews: change?.pageviews,
        ...(per_day && { per_day: { visitors: per_day.visitors, pageviews: per_day.pageviews } }),
      });
    }
  });

  it("says nothing of days that do not add up where they do", async () => {
    const warning = { code: "period_visitors", detail: "Each day counts its own visitors." };
    const call = Object.assign(async (...[operation, ...asked]: Parameters<typeof local>) => {
      const answer: object = await local(operation, ...asked);
      return operation.name === "timeseries" ? { ...answer, warnings: [warning] } : answer;
    }, local) as typeof local;
    const { sites } = await list(call, "last_week");
    expect(JSON.stringify(sites)).not.toContain(warning.detail);
    const apart = await list(Object.assign(call, { addsUp: async () => false }), "last_week");
    expect(JSON.stringify(apart.sites)).not.toContain(warning.detail);
    expect(JSON.stringify(apart.sites)).toContain("Visitors are missing: this service seems to count");
  });

  it.each(share([...periods, "today", "all", "this_year", "last_400_days", "2025-12"], 3, 0))(
    "is the same from a service for %s",
    async (period) => {
      const service = connect(api, true);
      expect(await list(service.call, period)).toEqual(await list(local, period));
    },
  );

  it.each(share([...periods, "today"], 3, 1))(
    "takes one series a site of any service, for %s",
    async (period) => {
      const service = connect(api, false);
      expect((await list(service.call, period)).sites).toEqual((await list(local, period)).sites);
      const paths = service.asked.map((url) => url.replace(/\?.*/, "")).sort();
      expect(paths).toEqual(["/sites", ...Array(5).fill("/timeseries")]);
    },
  );

  it.each([
    ["last_week", "year_before"],
    ["2026-10", "year_before"],
    ["yesterday", "2026-11-12"],
    ["2026-11-02/2026-11-05", "2026-11-16/2026-11-19"],
  ])("compares %s against %s as a comparison of each site does", async (period, against) => {
    const ask = async (call: Connection["call"]) =>
      (await findQuery("sites").ask(call, { period, against }, {})).result as SiteList;
    const { sites } = await ask(local);
    for (const { domain, comparison } of sites) {
      const { result } = await findQuery("compare").ask(
        local,
        { site: domain, period, against, days: 7 },
        {},
      );
      const { previous, change } = result as Record<string, Record<string, unknown>>;
      const { from, to, visitors, pageviews } = previous ?? {};
      expect(comparison).toMatchObject({
        previous: { from, to, visitors, pageviews },
        visitors: change?.visitors,
      });
    }
    const service = connect(api, true);
    expect(await ask(service.call)).toEqual(await ask(local));
    const client = await connectInProcess({ call: local });
    const { structuredContent } = await client.callTool("list_sites", { period, against });
    expect(structuredContent?.sites).toEqual(sites);
    await client.close();
    const { stdout } = await runShell(
      ["sites", "--demo", "--period", period, "--against", against, "--json"],
      { clock: () => NOW },
    );
    expect(JSON.parse(stdout).sites).toEqual(sites);
  });

  it("says where a service does not reach back to what it is compared against", async () => {
    const params = { period: "last_week", against: "year_before" };
    const { result } = await findQuery("sites").ask(connect(api, false).call, params, {});
    const [first] = (result as SiteList).sites;
    expect(first?.comparison).toBeNull();
    expect(first?.warnings).toContainEqual({
      code: "not_compared",
      detail: "Not compared with 2025-11-10 to 2025-11-16: the source does not reach back so far.",
      values: { from: "2025-11-10", to: "2025-11-16" },
    });
  });

  it.each([
    [{ against: "year_before" }, "against needs period, such as period=last_week."],
    [{ period: "today", against: "yesterday" }, "period today has no complete day yet"],
    [{ period: "all", against: "year_before" }, "period cannot be all"],
  ])("refuses %j", async (params, message) => {
    const refused = findQuery("sites").ask(local, params, {});
    await expect(refused).rejects.toThrow(message);
  });

  it("has today so far where a period has no complete day, and compares nothing", async () => {
    const { sites } = await list(local, "today");
    // 05:05 in Berlin, still the day before in New York.
    const [docs, example] = sites;
    expect(docs?.period).toEqual({ from: "2026-11-20", to: "2026-11-20", days: 1, partial: true });
    expect(example?.period).toEqual({ from: "2026-11-21", to: "2026-11-21", days: 1, partial: true });
    expect(sites.map(({ comparison }) => comparison)).toEqual(Array(5).fill(null));
  });

  it("has no comparison where a service does not reach back so far", async () => {
    const bare = connect(api, false);
    const { sites } = await list(bare.call, "last_300_days");
    expect(sites.map(({ comparison }) => comparison)).toEqual(Array(5).fill(null));
    const known = (await list(local, "last_300_days")).sites;
    expect(sites.map(({ visitors }) => visitors)).toEqual(known.map(({ visitors }) => visitors));
  });

  it("says at which sites data begins too late for a comparison", async () => {
    const { stderr } = await runShell(["sites", "--demo", "--period", "last-week"], { clock: () => NOW });
    expect(stderr).toContain("news.example.org: ");
    expect(stderr).not.toContain("example.com: ");
  });

  it("refuses a period that is none, once", async () => {
    await expect(list(local, "sometime")).rejects.toMatchObject({ code: "invalid_parameter" });
    await expect(list(connect(api, true).call, "2027-01")).rejects.toMatchObject({
      code: "invalid_parameter",
    });
  });

  it("without a period is what the service lists", async () => {
    const { call, asked } = connect(api, true);
    const { result } = await findQuery("sites").ask(call, {}, {});
    expect([result, asked]).toEqual([(await findQuery("sites").ask(local, {}, {})).result, ["/sites"]]);
  });
});

const site = (index: number) => ({
  id: `site_${index}`,
  domain: `${String(index).padStart(3, "0")}.example`,
  name: "",
  timezone: "UTC",
  createdAt: Date.parse("2025-01-01T00:00:00Z"),
  dataSince: "2025-01-01",
});
const visitOf = (index: number) => ({
  site: `site_${index}`,
  visitor: "a",
  at: NOW - 86_400_000,
  path: "/",
});

describe("many sites", () => {
  const numbers = Array.from({ length: 53 }, (_, index) => index);
  const source = createListSource(numbers.map(site), numbers.map(visitOf));

  it("have numbers up to the fiftieth; the others are named", async () => {
    const { call, asked } = connect(serve(source), true);
    const { sites, warnings } = await list(call, "yesterday");
    expect(asked.length).toBe(51);
    expect(sites.map(({ visitors }) => visitors)).toEqual([
      ...Array(50).fill(1),
      ...Array(3).fill(undefined),
    ]);
    expect(warnings).toEqual([
      {
        code: "not_counted",
        detail:
          "Only the first 50 sites have numbers. Ask about the others one at a time: 050.example, 051.example, 052.example.",
        values: { sites: 3 },
      },
    ]);
  });

  it("fit into a tool's answer, which says what it left out", async () => {
    const client = await connectInProcess({
      call: createLocalCall(
        async () => source,
        () => NOW,
      ),
    });
    const result = await client.callTool("list_sites", { period: "yesterday" });
    expect(textOf(result)).toMatch(/Only the first \d+ of 53 sites are shown/);
    expect(textOf(result)).toContain("Only the first 50 sites have numbers.");
    await client.close();
  });
});

describe("a site whose series fails", () => {
  const failing = (isFailing: (url: string) => boolean, status = 404) => {
    const answer = async (request: Request) =>
      isFailing(request.url)
        ? Response.json({ status, code: "site_not_found", title: "Gone", detail: "Gone." }, { status })
        : serve(createListSource([site(1), site(2)], [visitOf(1), visitOf(2)]))(request);
    return connect(answer, true).call;
  };

  it("is named, and the others have their numbers", async () => {
    const { sites, warnings } = await list(
      failing((url) => url.includes("site_2")),
      "yesterday",
    );
    expect(sites.map(({ visitors }) => visitors)).toEqual([1, undefined]);
    expect(warnings).toMatchObject([{ code: "not_counted", values: { sites: 1 } }]);
    expect(warnings?.[0]?.detail).toContain("There are no numbers for 002.example: ");
  });

  it("fails the query if all do", async () => {
    await expect(
      list(
        failing((url) => url.includes("timeseries")),
        "yesterday",
      ),
    ).rejects.toMatchObject({
      code: "site_not_found",
    });
  });

  it("fails the query if the key is refused", async () => {
    const refused = failing((url) => url.includes("site_2"), 401);
    await expect(list(refused, "yesterday")).rejects.toMatchObject({ code: "invalid_api_key" });
  });
});

describe("an overview that names no site", () => {
  it("says which site it is about, and which others there are", async () => {
    const client = await connectInProcess({
      call: Object.assign((...asked: Parameters<typeof local>) => local(...asked), local, {
        readSite: async () => "example.com",
      }),
    });
    const told =
      "No site was named: this is example.com. Others: docs.example.com, news.example.org, parked.example, shop.example.net.";
    expect(textOf(await client.callTool("get_overview", {}))).toContain(told);
    expect(textOf(await client.callTool("get_stats", {}))).toContain(told);
    expect(textOf(await client.callTool("get_overview", { site: "example.com" }))).not.toContain(
      "No site was named",
    );
    await client.close();
  });
});
