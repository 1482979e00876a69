import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sections } from "../../src/conform/rules/sections.ts";

/** What people read who want numbers. The other pages are for those who write a service, or change this package. */
const USER_PAGES = [
  "README.md",
  ...[
    "logs",
    "log-rules",
    "log-history",
    "clickhouse",
    "services",
    "your-service",
    "clients",
    "command-line",
    "scheduled",
    "connector",
  ].map((name) => `docs/${name}.md`),
];
const ALL_PAGES = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith(".md"),
);

const FENCES = /^ *```[\s\S]*?^ *```$/gm;
const TABLE_ROWS = /^ *\|.*$/gm;

const countWords = (text: string) => text.match(/\S+/g)?.length ?? 0;
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Words outside code and tables. */
const countProse = (page: string) =>
  countWords(readFileSync(page, "utf8").replace(FENCES, "").replace(TABLE_ROWS, ""));

describe("words outside code and tables", () => {
  it("are counted", () => {
    expect(countWords("one two".replace(FENCES, ""))).toBe(2);
    for (const page of ALL_PAGES) expect(countProse(page), page).toBeGreaterThan(500);
  });

  it("of a user's pages are at most 17,000", () => {
    expect(sum(USER_PAGES.map(countProse))).toBeLessThanOrEqual(17_000);
  });

  it("of all pages are at most 26,000", () => {
    expect(sum(ALL_PAGES.map(countProse))).toBeLessThanOrEqual(26_000);
  });
});

it.each(USER_PAGES)("%s begins with an example", (page) => {
  const [start = ""] = readFileSync(page, "utf8").split(/^```/m);
  expect(countWords(start)).toBeLessThan(120);
});

it.each(USER_PAGES)("%s names no rules of conform", (page) => {
  const rules = sections.flatMap((section) => section.rules.map(({ id }) => `\`${id}\``));
  const text = readFileSync(page, "utf8");
  expect(rules.filter((rule) => text.includes(rule))).toEqual([]);
});
