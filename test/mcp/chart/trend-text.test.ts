import { expect, it } from "vitest";
import { createFormat } from "../../../src/mcp/chart/format.ts";
import { printMarkup } from "../../../src/mcp/chart/markup.ts";
import { readPoints } from "../../../src/mcp/chart/trend-days.ts";
import { describeMost, summarize } from "../../../src/mcp/chart/trend-text.ts";

it("names no week of which some days have no data as the one with the most or the fewest visitors", () => {
  const format = createFormat("en-US");
  // 130 days, of which the first 55 are before the data: the first week with data has five days, and the highest mean.
  const visitors = Array.from({ length: 130 }, (_, day) => (day < 55 ? null : day < 60 ? 90 : 10 + day / 10));
  const days = readPoints({ from: "2026-01-01", visitors, pageviews: [], partial: false }, "visitors");
  const [highest] = [...days].sort((a, b) => b.count - a.count);
  expect(highest).toMatchObject({ count: 90, part: true });
  const most = describeMost(days, "visitors", format)
    .map((part) => (typeof part === "string" ? part : printMarkup(part)))
    .join("");
  expect(most).toContain("23");
  expect(most).not.toContain("90");
  expect(summarize(days, "visitors", format)).toMatch(/^Visitors per day, week by week, .*Most 23 on /);
});
