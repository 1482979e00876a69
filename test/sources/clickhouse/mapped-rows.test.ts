import { readFileSync } from "node:fs";
import { isbot } from "isbot";
import { describe, expect, it } from "vitest";
import { BOT_PATTERN, NO_PAGE_PATTERN } from "../../../src/sources/clickhouse/mapped-rows.ts";
import { crawlers } from "../../../src/sources/crawler-list.ts";
import { classifyPath } from "../../../src/sources/measure/path-kinds.ts";

// `(?i)` is RE2's way to write the flag.
const bots = new RegExp(BOT_PATTERN.slice(4), "i");
const files = new RegExp(NO_PAGE_PATTERN.slice(4), "i");

describe("the pattern of bots for RE2", () => {
  it("has no lookarounds, which RE2 cannot compile", () => {
    expect(BOT_PATTERN.startsWith("(?i)")).toBe(true);
    expect(BOT_PATTERN.slice(4)).not.toMatch(/\(\?[=!<]/);
  });

  it("finds what isbot finds", () => {
    const agents = [
      ...crawlers.map(({ value }) => `Mozilla/5.0 (compatible; ${value}/1.0)`),
      ...(readFileSync("test/sources/logs/labelled/access.log", "utf8").match(/"[^"]*"(?=\s*(?:#.*)?$)/gm) ??
        []),
      "Cubot",
      "CUBOT X18",
      "bot",
      "robots",
      "my_bot_1",
      "x bot/1",
      "ubot",
      "cubot",
      " cubot",
      "newssapphire",
      "gnews",
      "news",
      "NewsBlur",
      "Google-News",
      "news s",
      "newssa",
      "camscanner",
      "scan",
      "Netscan",
      "camscan scan",
      "libhttp",
      "http",
      "axios http",
      "okhttp/4",
      "java",
      "Java/17",
      "java;",
      "x google",
      "com.google.android",
      "Google Pixel 9",
      "google/google",
      "channel/google",
      "Googlebot",
      "googleapp",
      "Google wv",
      "googlewv",
      "GoogleOther",
    ];
    expect(agents.length).toBeGreaterThan(150);
    expect(agents.filter((agent) => bots.test(agent) !== isbot(agent))).toEqual([]);
  });
});

it("the pattern of paths that are no pages agrees with the rules of logs", () => {
  const paths = [
    "/",
    "/a.css",
    "/a.pdf",
    "/feed/",
    "/blog/feed",
    "/index.xml",
    "/_next/data/x",
    "/a.html",
    "/a.css/b",
  ];
  expect(paths.filter((path) => files.test(path) !== (classifyPath(path, "") !== "page"))).toEqual([]);
});
