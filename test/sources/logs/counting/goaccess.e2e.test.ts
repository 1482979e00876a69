import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { execFileSync, spawnSync } from "../../../support/child-process.js";
import {
  CHROME,
  combined,
  createLogFolder,
  FIREFOX,
  joinLines,
  LOG_NOW,
  openTestLogs,
} from "../../../support/logs.ts";

/** Debian: apt-get install goaccess. */
const isInstalled = spawnSync("goaccess", ["--version"]).status === 0;
const DAY = 86_400_000;

/** Three days of visitors with one or two browsers, who view some pages and files. */
const lines = Array.from({ length: 3_000 }, (_, n) => {
  const visitor = (n * 7_919) % 211;
  const target = n % 3 === 0 ? `/page/${n % 17}` : ["/style.css", "/logo.png", "/", "/about"][n % 4];
  return combined({
    at: LOG_NOW - (3 - Math.floor(n / 1_000)) * DAY + (n % 1_000) * 20_000,
    address: `198.51.${visitor % 3}.${visitor}`,
    agent: n % 5 < 2 ? CHROME : FIREFOX,
    ...(target && { target }),
    referrer: n % 11 === 0 ? "https://google.com/" : "-",
  });
});

/** GoAccess counts visitors by any request, analytics-mcp by page views, so every visitor here views a page. */
const text = joinLines(...lines, ...lines.map((line) => line.replace(/"GET \S+/, '"GET /')));

describe.skipIf(!isInstalled)("GoAccess, an independent count of the same log", () => {
  it("finds as many requests, and on each day as many different addresses with a user agent", async () => {
    const { path } = createLogFolder({ "access.log": text });
    const out = path("report.json");
    const options = ["--log-format=COMBINED", "--no-progress", "--no-global-config", `--output=${out}`];
    execFileSync("goaccess", [path("access.log"), ...options], { stdio: "ignore" });
    const report = JSON.parse(readFileSync(out, "utf8"));
    const logs = openTestLogs({ logs: [path("access.log")] });
    const site = await logs.findSite();
    const days = await logs.source.days({ site, from: "2026-11-18", to: "2026-11-21", now: LOG_NOW });
    const found = days
      .filter(({ visitors }) => visitors > 0)
      .map(({ date, visitors }) => [date.replaceAll("-", ""), visitors]);
    const theirs = report.visitors.data.map((day: { data: string; visitors: { count: number } }) => [
      day.data,
      day.visitors.count,
    ]);
    expect(found).toEqual(theirs.sort());
    expect(found.length).toBe(3);
    expect(Object.values(logs.outcomes()).reduce<number>((sum, count) => sum + Number(count), 0)).toBe(
      report.general.valid_requests,
    );
    expect(report.general.total_requests).toBe(6_000);
  });
});
