import type { Browser, Page } from "playwright-core";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chartPage } from "../../../src/mcp/chart-pages.ts";
import { CHROMIUM, launch } from "../../support/browser.ts";
import { runShell } from "../../support/shell.ts";

let browser: Browser;
let page: Page;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  browser = await launch();
  page = await browser.newPage();
});
afterAll(() => browser?.close());

async function writePage(period: string): Promise<string> {
  const words = ["report", "--demo", "--period", period, "--mail", "you@example.com"];
  const { html = "" } = await PostalMime.parse((await runShell(words)).stdout);
  return html;
}

type Theme = "light" | "dark";

async function open(html: string, width: number, colorScheme: Theme) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 400 });
  await page.setContent(html);
}

const NAMES = ["paper", "ink", "soft", "accent", "hair", "wash"] as const;
type Colors = Record<(typeof NAMES)[number], number[]>;

/** The colours of a page as it paints them, each part from 0 to 255: of its variables, or of a mail's elements. */
const readColors = (kind: "variables" | "mail"): Colors => {
  const read = (color: string) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    if (context === null) throw new Error("There is no canvas.");
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const probe = document.body.appendChild(document.createElement("i"));
  const find = (name: string, selector: string, property: string) => {
    if (kind === "variables") probe.style.color = `var(--${name})`;
    const element = kind === "variables" ? probe : document.querySelector(selector);
    if (element === null) throw new Error(`There is no ${selector}.`);
    return read(getComputedStyle(element).getPropertyValue(kind === "variables" ? "color" : property));
  };
  return {
    paper: find("paper", "body", "background-color"),
    ink: find("ink", "body", "color"),
    soft: find("soft", ".s", "color"),
    accent: find("accent", ".b", "background-color"),
    hair: find("hair", "td", "border-bottom-color"),
    wash: find("wash", ".o", "background-color"),
  };
};

describe.skipIf(CHROMIUM === undefined)("a report as a mail, in a browser", () => {
  it.each(["last-week", "last-month", "last-180-days"])(
    "of %s is at most 1,200 px high at 600 px, nothing overflows at 375 px, and it loads and runs nothing",
    async (period) => {
      const html = await writePage(period);
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      for (const width of [600, 375]) {
        await open(html, width, "light");
        const [height, across] = await page.evaluate(() => {
          const { scrollHeight, scrollWidth } = document.documentElement;
          return [scrollHeight, scrollWidth];
        });
        expect(across).toBe(width);
        expect(height).toBeGreaterThan(600);
        if (width === 600) expect(height).toBeLessThanOrEqual(1200);
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll("td, th, p, code")]
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
            .map(({ textContent }) => textContent),
        );
        expect(cut).toEqual([]);
        const { bars, active } = await page.evaluate(() => ({
          bars: [...document.querySelectorAll(".c div")].map((bar) => bar.getBoundingClientRect().height),
          active: document.querySelectorAll("a[href], script, img, iframe").length,
        }));
        // The highest day has the full height.
        if (period === "last-week") expect([bars.length, Math.max(...bars)]).toEqual([7, 90]);
        expect([active, requests]).toEqual([0, []]);
      }
    },
  );

  it.each<Theme>(["light", "dark"])("has the colours of the chart, %s", async (theme) => {
    // Of a week in progress, whose last day is incomplete.
    await open(await writePage("this-week"), 600, theme);
    const shown = await page.evaluate(readColors, "mail" as const);
    await open(chartPage, 600, theme);
    const wanted = await page.evaluate(readColors, "variables" as const);
    for (const name of NAMES) {
      const off = wanted[name].map((part, index) => Math.abs(part - (shown[name][index] ?? 0)));
      expect(Math.max(...off), `${name}: ${wanted[name]}`).toBeLessThanOrEqual(1);
    }
  });
});
