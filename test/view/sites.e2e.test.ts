import { setTimeout as pause } from "node:timers/promises";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { serveView } from "../../src/view/view-server.ts";
import { CHROMIUM, launch } from "../support/browser.ts";
import { HOSTILE } from "../support/hostile-names.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../support/logs.ts";
import { pick } from "../support/seed.ts";

const DAY = 86_400_000;

/** The lines of a site with so many visitors a day, on the days before now that `days` lists. */
function writeDays(days: readonly number[], visitors: number, pages: (index: number) => string) {
  return days.flatMap((day) =>
    Array.from({ length: visitors }, (_, index) =>
      combined({
        at: LOG_NOW - day * DAY - index * 1000,
        address: `10.${index >> 8}.${index & 255}.1`,
        target: pages(index),
        referrer: index % 4 === 0 ? "https://www.google.com/" : "-",
      }),
    ),
  );
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const few = (index: number) => `/page-${index % 3}`;
const encoded = HOSTILE.map((name) => `/${encodeURIComponent(name)}`);

const kinds: Readonly<Record<string, string[]>> = {
  "a small site": writeDays(range(0, 60), 3, few),
  "a large site": writeDays([1, 2], 6_000, (index) => `/page-${index % 3_000}`),
  "a site with a gap": writeDays([...range(0, 5), ...range(15, 40)], 20, few),
  "a site one day old": writeDays([0], 20, few),
  "a site with hostile names": writeDays(
    range(0, 30),
    encoded.length,
    (index) => encoded[index % encoded.length] ?? "",
  ),
  "a site without visitors": [combined({ agent: "curl/8.5.0", at: LOG_NOW - DAY })],
};

describe.skipIf(CHROMIUM === undefined)("view of each kind of site, in Chromium (CHROMIUM)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  const check = async (page: Page) => {
    // The page's policy allows no other script, so axe is not added as an element.
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      return (await axe.run()).violations.map(({ id, nodes }) => [id, nodes[0]?.html.slice(0, 200)]);
    });
    expect(violations).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  };

  it.each(pick(Object.entries(kinds), 3))("%s", { timeout: 120_000 }, async (kind, lines) => {
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const { source } = openTestLogs({ logs: [path("access.log")] });
    const clock = () => LOG_NOW;
    const server = await serveView({
      call: createLocalCall(async () => source, clock),
      source: [],
      screen: { width: 80, height: 40, color: false, pictures: false, locale: "en-US" },
      format: async (_, format) => format,
      port: 0,
      clock,
      pause: 10_000,
      wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => {}),
    });
    const faults: string[] = [];
    const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
    try {
      page.on("console", (message) => faults.push(message.text()));
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("dialog", (dialog) => faults.push(dialog.message()));
      page.on("request", (request) => {
        const isOwn = request.url().startsWith(new URL(server.address).origin);
        if (!isOwn && !request.url().startsWith("data:")) faults.push(request.url());
      });
      for (const address of ["", "example.com/pages", "example.com/timeseries", "example.com/when"]) {
        await page.goto(`${server.address}${address}`);
        await page.locator("footer").waitFor();
        await check(page);
      }
      await page.setViewportSize({ width: 390, height: 800 });
      await page.emulateMedia({ colorScheme: "dark" });
      await page.goto(server.address);
      await page.locator("footer").waitFor();
      await check(page);
      const text = (await page.locator("main").textContent()) ?? "";
      if (kind === "a site with a gap") {
        await page.goto(`${server.address}example.com/timeseries`);
        // The ten days without lines, and none of the others.
        const rows = await page.locator("table.full tbody tr", { hasText: "–" }).count();
        expect(rows).toBe(9);
      }
      if (kind === "a site one day old") {
        await page.getByText("Show as table").click();
        // The hours before the log begins are not known.
        const rows = page.locator("figure tbody tr");
        expect(await rows.count()).toBe(5);
        expect(await rows.filter({ hasText: "–" }).count()).toBe(4);
      }
      if (kind === "a site without visitors") expect(text).toMatch(/no visitors|no data|nothing/i);
      if (kind === "a site with hostile names") {
        await page.goto(`${server.address}example.com/pages`);
        const links = page.locator("table.full a");
        expect(await links.count()).toBeGreaterThan(4);
        await links.first().click();
        await page.locator("footer").waitFor();
        expect(await page.locator(".tile .value").first().textContent()).not.toBe("0");
      }
      expect(faults).toEqual([]);
    } finally {
      await page.close();
      await server.close();
    }
  });
});
