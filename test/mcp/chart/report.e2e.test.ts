import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { http } from "msw";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { cleanText } from "../../../src/render/clean-text.ts";
import { CHROMIUM, launch } from "../../support/browser.ts";
import { spawnSync } from "../../support/child-process.js";
import { HOSTILE, spoilNames } from "../../support/hostile-names.ts";
import { BASE, fakeNetwork, service } from "../../support/network.ts";
import { pick } from "../../support/seed.ts";
import { runShell } from "../../support/shell.ts";

const { network, api } = fakeNetwork();

const folder = mkdtempSync(join(tmpdir(), "report-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(CHROMIUM === undefined)("a report in Chromium (CHROMIUM)", () => {
  let browser: Browser;
  let page: Page;
  /** What the page did besides drawing: console, errors, dialogs, requests, breaches of its policy. */
  const faults: string[] = [];
  beforeAll(async () => {
    browser = await launch();
    page = await browser.newPage({ locale: "en-US" });
    page.on("console", (message) => faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
    });
  });
  afterAll(() => browser.close());
  // A page that asks for something late does so before the next test.
  afterEach(async () => {
    await page.goto("about:blank");
    faults.length = 0;
  });

  async function open(
    args: string[],
    colorScheme: "light" | "dark" = "light",
    change = (html: string) => html,
  ) {
    const file = join(folder, "a.html");
    const { code, stderr } = await runShell(["report", "-o", file, ...args], { environment: service });
    expect([code, stderr]).toEqual([0, ""]);
    writeFileSync(file, change(readFileSync(file, "utf8")));
    await page.emulateMedia({ colorScheme, media: null });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(pathToFileURL(file).href);
    await page.locator("footer").waitFor();
  }

  it.each<[string, string[]]>([
    ["a month", ["example.com", "--period", "2026-10"]],
    ["a week until today", ["example.com", "--period", "this-week"]],
    ["one day", ["example.com", "--period", "yesterday"]],
    ["today", ["example.com", "--period", "today"]],
  ])("draws %s in any width, without a word on the console", async (_, args) => {
    await open(args);
    for (const width of [320, 390, 800, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      // The drawing follows the width in the next frame.
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
    expect(await page.locator(".lists section").count()).toBe(9);
    const isDay = args.includes("yesterday") || args.includes("today");
    expect((await page.locator("main > header").textContent())?.includes("added up")).toBe(!isDay);
    expect(faults).toEqual([]);
  });

  it("has a sentence in place of an empty site's zeros, with what to know", async () => {
    await open(["parked.example"]);
    expect(await page.locator("main [role=status]").textContent()).toBe(
      "parked.example has no data yet: nothing was ever recorded.",
    );
    expect(await page.locator("footer").textContent()).toContain("Source: ");
    expect(await page.locator(".lists, .tiles").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("shows names from visitors as text, and they have no other effect", async () => {
    network.use(http.all(`${BASE}/*`, async ({ request }) => spoilNames(request, await api(request))));
    await open(["example.com"]);
    const labels = await page.locator(".lists section").first().locator(".label").allTextContents();
    expect(labels.slice(0, HOSTILE.length)).toEqual(HOSTILE.map((name) => cleanText(name)));
    const links = await page.locator(".links tbody tr").first().locator(".label").allTextContents();
    expect(links).toEqual([HOSTILE[0], HOSTILE[0]]);
    expect(await page.locator("a, img, iframe, main script, [onerror]").count()).toBe(0);
    await page.waitForTimeout(200);
    expect(faults).toEqual([]);
  });

  it("has a policy that blocks any other script", async () => {
    await open(["example.com"], "light", (html) =>
      html.replace("<main", "<script>alert(1)</script><img src=https://evil.example/x.png><main"),
    );
    expect(faults.filter((fault) => /^(dialog|error):/.test(fault))).toEqual([]);
    expect(faults.join("\n")).toMatch(/script-src[\s\S]*img-src/);
  });

  it("follows the system's theme, and is light on paper with nothing cut off", async () => {
    const long = `/${"a-very-long-path-".repeat(8)}`;
    network.use(
      http.all(`${BASE}/*`, async ({ request }) => {
        const answer = await api(request);
        if (!request.url.includes("dimension=pages")) return answer;
        const { rows, ...body } = (await answer.json()) as { rows: object[] };
        return Response.json({ ...body, rows: [{ ...rows[0], value: long, label: long }, ...rows.slice(1)] });
      }),
    );
    await open(["example.com"], "dark");
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(await paper()).not.toBe("rgb(255, 255, 255)");
    await page.locator("figure summary").click();
    await page.emulateMedia({ media: "print" });
    // A4 without its margins.
    await page.setViewportSize({ width: 688, height: 970 });
    expect(await paper()).toBe("rgb(255, 255, 255)");
    expect(await page.locator(".switch").isVisible()).toBe(false);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll("main *")]
        .filter((element) => !element.closest(".hidden, .tip, svg"))
        .filter(
          (element) =>
            element.getBoundingClientRect().right > innerWidth + 0.5 ||
            (getComputedStyle(element).overflow !== "visible" &&
              element.scrollHeight > element.clientHeight + 1),
        )
        .map((element) => element.outerHTML.slice(0, 80)),
    );
    expect(cut).toEqual([]);
    expect((await page.pdf({ format: "A4" })).byteLength).toBeGreaterThan(10_000);
    expect(faults).toEqual([]);
  });

  /** The printed pages as lines of words, with columns apart. */
  async function print(): Promise<string[][]> {
    const file = join(folder, "a.pdf");
    await page.pdf({ format: "A4", path: file });
    const { stdout } = spawnSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" });
    const pages = stdout.replace(/\f$/, "").split("\f");
    return pages.map((text) => text.split("\n").filter((line) => line.trim() !== ""));
  }

  it.each([["2026-10"], ["last-90-days"]])(
    "prints the labels of %s's axes whole, from a window of 1280 px",
    async (period) => {
      await open(["example.com", "--period", period]);
      const labels = await page.locator(".paper .tick").allTextContents();
      expect(labels.length).toBeGreaterThan(6);
      const words = new Set((await print()).flat().flatMap((line) => line.trim().split(/\s{2,}/)));
      expect(labels.filter((label) => !words.has(label))).toEqual([]);
    },
  );

  it("prints a day on one page", async () => {
    await open(["example.com", "--period", "yesterday"]);
    const pages = await print();
    expect(pages).toHaveLength(1);
    expect(pages[0]?.join("\n")).toMatch(/Not found[\s\S]*Made with analytics-mcp/);
  });

  it("cuts no table between its head and its first rows, wherever a page ends", async () => {
    await open(["example.com", "--period", "2026-10"]);
    await page.locator("figure summary").click();
    const heads = new Set(await page.locator("h2, h3, thead th").allTextContents());
    const heights = Array.from({ length: 15 }, (_, index) => index * 70);
    for (const height of pick(heights, 6)) {
      await page.evaluate((pixels) => {
        document.body.style.paddingTop = `${pixels}px`;
      }, height);
      const pages = await print();
      expect(pages.length).toBeGreaterThan(1);
      const ends = pages.map(
        (lines) =>
          lines
            .at(-1)
            ?.trim()
            .split(/\s{2,}/) ?? [],
      );
      expect(
        ends.filter((words) => words.every((word) => heads.has(word))),
        `${height} px`,
      ).toEqual([]);
    }
  });
});
