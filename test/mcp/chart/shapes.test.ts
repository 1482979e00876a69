import { describe, expect, it } from "vitest";
import { isComparison, isOverview } from "../../../src/mcp/chart/shapes.ts";
import { connectInProcess } from "../../support/clients.ts";

const ask = async (tool: string, args: Record<string, unknown>) => {
  const client = await connectInProcess();
  const { structuredContent } = await client.callTool(tool, { site: "example.com", ...args });
  await client.close();
  return structuredContent;
};

// Today is the 21st of November; news.example.org has data since the 11th, parked.example has none.
describe("the chart draws", () => {
  it.each([
    ["periods of one length", {}],
    ["periods of different lengths", { period: "2026-10" }],
    ["a single dimension of them", { period: "2026-10", dimension: "pages" }],
    [
      "days without data",
      { site: "news.example.org", period: "this_month", against: "2026-11-01/2026-11-13" },
    ],
    ["nothing to compare", { site: "news.example.org", period: "this_month", against: "2026-10" }],
    ["a site without data", { site: "parked.example" }],
  ])("a comparison of %s", async (_, args) => {
    expect(isComparison(await ask("compare_periods", args))).toBe(true);
  });

  it.each([
    ["the default days", {}],
    ["a period longer than that before", { period: "2026-10" }],
    ["days without data", { site: "news.example.org", period: "this_month" }],
    ["today alone", { period: "today" }],
    ["a site without data", { site: "parked.example" }],
  ])("an overview of %s", async (_, args) => {
    expect(isOverview(await ask("get_overview", args))).toBe(true);
  });
});
