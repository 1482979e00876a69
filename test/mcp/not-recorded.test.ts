import { afterAll, describe, expect, it } from "vitest";
import { connectInProcess, textOf } from "../support/clients.ts";

const client = await connectInProcess();
afterAll(() => client.close());

const REVENUE =
  "Revenue is not recorded: events have no amounts. Ask who bought: get_conversions with a goal such as events=purchase, by channels and so on.";
const COHORTS = "There are no cohorts: nobody is recognized on another day.";
const RETURNING = "New and returning visitors are not told apart: nobody is recognized on another day";
const SPEED = "Page speed is not measured.";

async function refuse(tool: string, args: object) {
  const result = await client.callTool(tool, { site: "example.com", ...args });
  expect(result.isError).toBe(true);
  return textOf(result);
}

describe("who asks for what is not recorded is told why, and what to ask instead", () => {
  it.each<[string, object, string]>([
    ["get_breakdown", { dimension: "revenue" }, REVENUE],
    ["get_breakdown", { dimension: "pages", metric: "revenue" }, REVENUE],
    ["get_stats", { metrics: ["visitors", "averageOrderValue"] }, REVENUE],
    ["get_conversions", { goal: "revenue" }, REVENUE],
    ["get_conversions", { goal: "events=purchase", by: "revenue" }, REVENUE],
    ["get_conversions", { goal: "events=purchase", value: "sum(order value)" }, REVENUE],
    ["get_timeseries", { cohort: "2026-10" }, COHORTS],
    ["get_breakdown", { dimension: "weekly retention" }, COHORTS],
    ["get_breakdown", { dimension: "new_vs_returning" }, RETURNING],
    ["get_stats", { filter: ["visitor_type=returning"] }, RETURNING],
    ["get_stats", { newVisitors: true }, RETURNING],
    ["compare_periods", { dimension: "user-type" }, RETURNING],
    ["get_breakdown", { dimension: "page_speed" }, SPEED],
    ["get_stats", { metric: "LCP" }, SPEED],
    ["get_breakdown", { dimension: "pages", metrics: "load time" }, SPEED],
    ["get_breakdown", { dimension: "next_page" }, "The order of pages is not recorded."],
    ["get_stats", { metric: "user flow" }, "The order of pages is not recorded."],
    ["get_breakdown", { dimension: "pages", metric: "timeOnPage" }, "Time on a page is not measured"],
    ["get_breakdown", { dimension: "os_version" }, "Versions, models and screens are not recorded"],
    ["get_breakdown", { dimension: "site search terms" }, "What people search for is not recorded."],
    ["get_timeseries", { forecast: 30 }, "There are no forecasts."],
    ["get_breakdown", { dimension: "unread_pages" }, "Only what somebody viewed is listed"],
    ["get_stats", { metric: "unique people across sites" }, "Visitors are counted for each site by itself"],
    ["get_realtime", { dimension: "pages" }, "What active visitors look at is not listed"],
  ])("%s %j", async (tool, args, reason) => {
    expect(await refuse(tool, args)).toContain(`\n${reason}`);
  });

  it.each<[string, object, string]>([
    // What has such a name is asked like anything else.
    ["get_stats", { filter: ["countries=XX", "pages=/revenue"] }, "countries"],
    ["get_conversions", { goal: "pages=/speed/", by: "pages" }, "by must be one of"],
    ["get_breakdown", { dimension: "news" }, "dimension must be one of"],
    ["get_breakdown", { dimension: "sessions" }, "dimension must be one of"],
    ["get_breakdown", { dimension: "x".repeat(100_000) }, "dimension must be one of"],
  ])("but not of %s %j", async (tool, args, message) => {
    const text = await refuse(tool, args);
    expect(text).toContain(message);
    expect(text).not.toMatch(/not recorded|not measured|not told apart|no cohorts/);
  });

  it("and each tool that counts visitors says what it does not know", async () => {
    const { tools } = await client.listTools();
    const stats = tools.find(({ name }) => name === "get_stats");
    for (const word of [
      ...["revenue", "cohorts", "returning visitors", "page speed"],
      ...["next page", "time on a page", "site search", "forecasts"],
    ]) {
      expect(stats?.description).toContain(word);
      expect(client.instructions()).toContain(word);
    }
  });
});

it.each<[string, object, string]>([
  [
    "get_conversions",
    {},
    "It is an event or a page, such as events=signup or pages=/thanks*; steps has several, in order.",
  ],
  ["get_conversions", { event: "signup" }, 'Use goal: "events=signup".'],
  ["get_conversions", { page: "/a|b" }, 'Use goal: "pages=/a\\\\|b".'],
  ["get_conversions", { goal: "events=signup", dimension: "channels" }, "Use by, such as by=channels."],
  ["get_conversions", { goal: "events=signup", filter: "pages=/" }, 'must be "visit:pages=/", not'],
  ["get_stats", { event: "signup" }, 'Use filter: ["events=signup"].'],
  ["get_stats", { goal: "signup" }, "get_conversions has goals"],
  ["get_stats", { metric: "uptime" }, "nothing else is measured"],
  ["get_timeseries", { metric: "errors" }, "get_not_found with status=5xx"],
  ["get_not_found", { path: "/old" }, "the list has all dead links"],
  ["get_crawlers", { page: "/old" }, "the list has all crawlers"],
  ["get_stats", { group_by: "country" }, "get_breakdown ranks by a dimension"],
])("a slip about goals is answered with the right argument: %s %j", async (tool, args, advice) => {
  expect(await refuse(tool, args)).toContain(advice);
});
