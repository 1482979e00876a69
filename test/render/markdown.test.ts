import { expect, it } from "vitest";
import type { View } from "../../src/operations/view.ts";
import { formatMarkdown } from "../../src/render/markdown.ts";

const screen = { width: 20, height: 40, color: true, pictures: true, locale: "de-DE" };
const columns: View["columns"] = [
  { key: "value", label: "value", kind: "text", machine: true },
  { key: "label", label: "pages", kind: "text", untrusted: true },
  { key: "visitors", label: "visitors", kind: "count" },
  { key: "percent", label: "percent", kind: "percent_change" },
];

const format = (value: string | null, label: string, more: Partial<View> = {}) =>
  formatMarkdown(
    [{ headline: "", columns, rows: [{ value, label, visitors: 12345, percent: -4.5 }], notes: [], ...more }],
    screen,
  );

it("a view is a table with local numbers, as wide as it needs to be", () => {
  expect(format("/", "/", { headline: "pages of a_b.test" })).toBe(
    [
      "**pages of a\\_b.test**",
      "",
      "| pages | visitors | percent |",
      "| --- | ---: | ---: |",
      "| `/` | 12.345 | ▼ -4,5 % |",
    ].join("\n"),
  );
});

it.each([
  ["/a|b", "`/a\\|b`"],
  ["a`b``c", "```a`b``c```"],
  ["`a`", "`` `a` ``"],
  // A backslash before a pipe would escape the backslash of `\|`, and the pipe would end the cell.
  ["a\\|[b](https://x)", "a\\\\\\|\\[b\\](https\\://x)"],
  ["a\\|@all", "a\\\\\\|@\u200ball"],
  ["<img src=x> **b** [a](javascript:1) @all", "`<img src=x> **b** [a](javascript:1) @all`"],
  ["a\nb\u202ec", "`abc`"],
])("text of visitors is only text: %j", (text, cell) => {
  expect(format(text, text)).toContain(`| ${cell} | 12.345 |`);
});

it("our own words are not formatted as code", () => {
  expect(format(null, "(none)")).toContain("| (none) | 12.345 |");
});

it.each([
  ["a|b", "a\\|b"],
  ["<b>*c*</b> & ~d~ `e`", "\\<b\\>\\*c\\*\\</b\\> \\& \\~d\\~ \\`e\\`"],
  ["@all @channel", "@\u200ball @\u200bchannel"],
  ["see https://x.test or www.x.test", "see https\\://x.test or www\\.x.test"],
])("other text is escaped: %j", (text, cell) => {
  const trusted = columns.map(({ untrusted: _, ...column }) => column);
  expect(format("x", text, { columns: trusted })).toContain(`| ${cell} | 12.345 |`);
});

it("a series is a line, and an empty list is left out", () => {
  const series = { label: "visitors a day", from: "2026-11-01", values: [1, 2, 3, 4], partial: false };
  const views: View[] = [
    { headline: "Visitors a day: 1 2 3 4", columns: [], rows: [], notes: [], series },
    { headline: "", name: "pages", columns, rows: [], notes: [], beside: true },
  ];
  expect(formatMarkdown(views, screen)).toBe("▂▄▆█  visitors a day, 2026-11-01 to 2026-11-04; highest: 4");
  expect(formatMarkdown(views, { ...screen, pictures: false })).toBe(
    "visitors a day from 2026-11-01: 1 2 3 4",
  );
});
