import { isDeepStrictEqual } from "node:util";
import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chartPage } from "../../../src/mcp/chart-pages.ts";
import { CHROMIUM } from "../../support/browser.ts";
import type { OpenedView } from "./browser.ts";
import { count, known, overviewOf, useCharts, words } from "./chart-stage.ts";

describe.skipIf(CHROMIUM === undefined)("the chart and its host in Chromium (CHROMIUM)", () => {
  const { ask, open, send, show, change, newPage } = useCharts();
  const paper = (main: Locator) =>
    main.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

  describe("fits its host", () => {
    it("in theme, at once when it changes, and with the system's if the host names none", async () => {
      const view = await open({ context: {}, media: { colorScheme: "dark" } });
      const dark = await paper(view.main);
      await change(view, { theme: "light" });
      const light = await paper(view.main);
      expect(light).toBe("rgb(255, 255, 255)");
      expect(dark).not.toBe(light);
      await change(view, { theme: "dark" });
      expect(await paper(view.main)).toBe(dark);
    });

    it("in colours and font, but never with only one of the two colours", async () => {
      const view = await open();
      const variables = (given: Record<string, string>) =>
        change(view, { theme: "light", styles: { variables: given as never } });
      await variables({ "--color-background-primary": "rgb(1, 2, 3)" });
      expect(await paper(view.main)).toBe("rgb(255, 255, 255)");
      await variables({ "--color-background-primary": "rgb(1, 2, 3)", "--color-text-primary": "nonsense" });
      expect(await paper(view.main)).toBe("rgb(255, 255, 255)");
      await variables({
        "--color-background-primary": "light-dark(rgb(1, 2, 3), red)",
        "--color-text-primary": "rgb(250, 251, 252)",
        "--font-sans": "Host Sans, serif",
      });
      expect(await paper(view.main)).toBe("rgb(1, 2, 3)");
      expect(
        await view.main.evaluate((main) => [getComputedStyle(main).color, getComputedStyle(main).fontFamily]),
      ).toEqual(["rgb(250, 251, 252)", '"Host Sans", serif']);
    });

    it("in the language of numbers and days, also when it changes, and if its locale is invalid", async () => {
      const result = await ask("get_overview", { site: "example.com" });
      const visitors = overviewOf(result).visitors ?? 0;
      const view = await show(result, { context: { theme: "light", locale: "de-DE" } });
      const value = view.main.locator(".value").first();
      expect(await words(value)).toBe(new Intl.NumberFormat("de-DE").format(visitors));
      await change(view, { locale: "en-US" });
      expect(await words(value)).toBe(count(visitors));
      await change(view, { locale: "not a locale" });
      expect(await words(value)).toBe(count(visitors));
      await change(view, { locale: "ar-EG" });
      expect((await words(value)).replace(/[\u200e\u200f\u061c]/g, "")).toBe(
        new Intl.NumberFormat("ar-EG").format(visitors),
      );
    });

    it("in 280 to 1200 pixels, without a horizontal scroll bar and with labels apart", async () => {
      const results = [
        await ask("get_overview", { site: "example.com" }),
        await ask("compare_periods", { site: "shop.example.net", days: 1 }),
      ];
      const view = await open();
      for (const width of [280, 320, 640, 1024, 1200]) {
        await view.page.setViewportSize({ width, height: 900 });
        for (const result of results) {
          await send(view, result);
          const least = Math.min(width, 1120) - 70;
          // The frame is redrawn at its new width only when the browser gets to it.
          const measureLeast = () =>
            view.main.evaluate((element) =>
              Math.min(...[...element.querySelectorAll(".plot svg")].map((svg) => svg.clientWidth)),
            );
          await expect.poll(measureLeast).toBeGreaterThan(least);
          const found = await view.main.evaluate((element) => ({
            width: innerWidth,
            beyond: [...element.querySelectorAll("*")]
              .filter((child) => !child.matches(".hidden, .scroll *"))
              .filter((child) => child.getBoundingClientRect().right > innerWidth + 0.5)
              .map((child) => child.outerHTML.slice(0, 80)),
            scroll: document.documentElement.scrollWidth - innerWidth,
            pictures: [...element.querySelectorAll(".plot svg")].map((svg) => svg.clientWidth),
            labels: [...element.querySelectorAll(".plot text:not([dy])")]
              .map((label) => label.getBoundingClientRect())
              .map(({ left, right }) => ({ left, right })),
          }));
          expect(found).toMatchObject({ width, beyond: [], scroll: 0 });
          for (const picture of found.pictures) expect(picture).toBeGreaterThan(least);
          for (let index = 1; index < found.labels.length; index++)
            expect((found.labels[index]?.left ?? 0) - (found.labels[index - 1]?.right ?? 0)).toBeGreaterThan(
              8,
            );
        }
      }
    });

    it("in a conversation in at most 900 pixels of height at a width of 700", async () => {
      const view = await open({ width: 700, height: 900 });
      const measureHeight = () => view.main.evaluate((element) => element.getBoundingClientRect().height);
      for (const tool of ["get_overview", "compare_periods"]) {
        await send(view, await ask(tool, { site: "example.com" }), false);
        expect(await measureHeight()).toBeLessThanOrEqual(900);
        // What must be known is there at once, the rest after a click.
        expect(await words(view.main.locator("footer").last())).toBe("Made-up data (--demo).");
        expect(await view.main.locator("details.more .rows").first().isVisible()).toBe(false);
        await view.main.locator("details.more > summary").click();
        expect(await view.main.locator("details.more .rows").first().isVisible()).toBe(true);
        expect(await measureHeight()).toBeGreaterThan(1000);
      }
    });

    it("with the first and the last of seven days on the axis at 360 pixels", async () => {
      const view = await open({ width: 360, height: 900 });
      await send(view, await ask("get_overview", { site: "example.com", days: 7 }));
      const labels = await view.main.locator(".plot text:not([dy])").allTextContents();
      expect([labels[0], labels.at(-1)]).toEqual(["Nov 14", "Nov 20"]);
    });

    it("at a new width, with the selected day still selected", async () => {
      const { main, page } = await show(await ask("get_overview", { site: "example.com", days: 7 }), {
        width: 1024,
      });
      await main.locator(".plot").focus();
      await page.keyboard.press("Home");
      await page.setViewportSize({ width: 320, height: 900 });
      await expect.poll(() => main.locator(".plot svg").evaluate((svg) => svg.clientWidth)).toBe(320 - 32);
      expect(await words(main.locator("output"))).toContain("Sat, Nov 14");
      expect(await main.locator(".plot .cursor").getAttribute("visibility")).toBe("visible");
    });

    it("even if the host shows it only after the result", async () => {
      const view = await open();
      const display = (value: string) =>
        view.page.evaluate((to) => {
          for (const frame of document.querySelectorAll("iframe")) frame.style.display = to;
        }, value);
      await display("none");
      await expect.poll(() => view.main.evaluate((main) => main.clientWidth)).toBe(0);
      await send(view, await ask("get_overview", { site: "example.com" }));
      expect(await view.main.locator(".plot svg").count()).toBe(0);
      await display("block");
      await expect.poll(() => view.main.locator(".plot svg").count()).toBe(1);
      await expect
        .poll(() => view.page.evaluate(() => window.host.sizes.at(-1)?.height))
        .toBeGreaterThan(800);
      expect(await view.page.evaluate(() => window.host.sizes.map((size) => size.height))).not.toContain(0);
    });

    it("within the safe area", async () => {
      const view = await open();
      const before = await view.main.evaluate((main) => parseFloat(getComputedStyle(main).paddingTop));
      await change(view, { safeAreaInsets: { top: 30, right: 0, bottom: 0, left: 0 } });
      expect(await view.main.evaluate((main) => parseFloat(getComputedStyle(main).paddingTop))).toBe(
        before + 30,
      );
    });
  });

  describe("is for everyone", () => {
    it("the trend can be read day by day with keyboard and pointer", async () => {
      const result = await ask("get_overview", { site: "example.com", period: "2026-11-15/2026-11-21" });
      const { visitors, previous } = overviewOf(result).trend;
      const { main, page } = await show(result, {});
      const readout = main.locator("output");
      const days = [
        "Sun, Nov 15",
        "Mon, Nov 16",
        "Tue, Nov 17",
        "Wed, Nov 18",
        "Thu, Nov 19",
        "Fri, Nov 20",
        "Sat, Nov 21",
      ];
      const daysBefore = [
        "Sun, Nov 8",
        "Mon, Nov 9",
        "Tue, Nov 10",
        "Wed, Nov 11",
        "Thu, Nov 12",
        "Fri, Nov 13",
      ];
      const said = (index: number) => {
        const before = previous?.visitors[index];
        return [
          `${days[index]}${before === undefined ? ", so far" : ""}`,
          `${count(visitors[index] ?? 0)} visitors`,
          ...(before === undefined ? [] : [`${count(before)} on ${daysBefore[index]}`]),
        ].join(", ");
      };
      const most = visitors.indexOf(Math.max(...visitors.map(known)));
      expect(await words(main.locator(".most"))).toBe(`Most: ${count(visitors[most] ?? 0)} on ${days[most]}`);
      const idle = "";
      expect(await words(readout)).toBe(idle);
      expect(await readout.getAttribute("aria-live")).toBe("polite");
      await main.locator(".switch input").first().focus();
      await page.keyboard.press("Tab");
      expect(await words(readout)).toBe(said(6));
      expect(await words(main.locator(".tip"))).toBe(said(6).replace("far, ", "far "));
      const outline = await main.locator(".plot").evaluate((plot) => getComputedStyle(plot).outlineStyle);
      expect(outline).toBe("solid");
      for (const [key, index] of [
        ["ArrowLeft", 5],
        ["ArrowLeft", 4],
        ["Home", 0],
        ["ArrowLeft", 0],
        ["ArrowRight", 1],
        ["End", 6],
        ["ArrowRight", 6],
        ["PageUp", 0],
        ["PageDown", 6],
      ] as [string, number][]) {
        await page.keyboard.press(key);
        expect([key, await words(readout)]).toEqual([key, said(index)]);
      }
      expect(await main.locator(".plot .cursor").getAttribute("visibility")).toBe("visible");
      await page.keyboard.press("Escape");
      expect(await words(readout)).toBe(idle);
      await page.keyboard.press("Tab");
      const box = await main.locator(".plot svg").boundingBox();
      if (!box) throw new Error("no picture");
      const middle = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width - 10, middle);
      expect(await words(readout)).toBe(said(6));
      await page.mouse.move(box.x + 45, middle);
      expect(await words(readout)).toBe(said(0));
      const point = await main.locator(".plot .point:not(.before)").boundingBox();
      expect(Math.abs((point?.x ?? 0) - (box.x + 45))).toBeLessThan(40);
      await page.mouse.move(box.x, box.y - 60);
      expect(await words(readout)).toBe(idle);
    });

    it("text has a contrast of 4.5, and shapes one of 3, in both themes and in a host's colours", async () => {
      const view = await open();
      const themes: McpUiHostContext[] = [
        { theme: "light" },
        { theme: "dark" },
        {
          theme: "light",
          styles: {
            variables: {
              "--color-background-primary": "#f4ecd8",
              "--color-text-primary": "#2d2415",
            } as never,
          },
        },
      ];
      const results = [
        await ask("get_overview", { site: "parked.example", days: 7 }),
        await ask("get_overview", { site: "example.com" }),
        await ask("compare_periods", { site: "shop.example.net", days: 1 }),
      ];
      const grounds = new Set<string>();
      for (const [context, result] of themes.flatMap((each) => results.map((one) => [each, one] as const))) {
        await change(view, context);
        await send(view, result);
        grounds.add(await paper(view.main));
        const found = await view.main.evaluate((element) => {
          const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          if (!canvas) throw new Error("no canvas");
          const luminance = (color: string) => {
            canvas.fillStyle = "#000";
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
              const share = byte / 255;
              return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const under = luminance(getComputedStyle(document.documentElement).backgroundColor);
          const contrast = (color: string) => {
            const [dark = 0, bright = 0] = [luminance(color), under].sort((a, b) => a - b);
            return (bright + 0.05) / (dark + 0.05);
          };
          const contrastWith = (color: string, ground: string) => {
            const [dark = 0, bright = 0] = [luminance(color), luminance(ground)].sort((a, b) => a - b);
            return (bright + 0.05) / (dark + 0.05);
          };
          const holdsText = (child: Element) =>
            [...child.childNodes].some(
              (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
            );
          const all = [...element.querySelectorAll("*")];
          const texts = all.filter(holdsText).map((child) => ({
            what: child.textContent ?? "",
            is: contrast(
              child instanceof SVGElement ? getComputedStyle(child).fill : getComputedStyle(child).color,
            ),
          }));
          const shapes = [
            ...[...element.querySelectorAll(".bar:not(.range, .filled .bar), .zero")].map((bar) => ({
              what: bar.outerHTML.slice(0, 30),
              is: contrast(getComputedStyle(bar).fill),
            })),
            ...[...element.querySelectorAll(".plot :is(.stroke, .base, .day.open)")].map((line) => ({
              what: line.outerHTML.slice(0, 30),
              is: contrast(getComputedStyle(line).stroke),
            })),
          ];
          // The text of a row lies over its bar.
          const overBars = [...element.querySelectorAll(".filled")].flatMap((row) => {
            const bar = row.querySelector(".bar");
            if (!bar) return [];
            const ground = getComputedStyle(bar).fill;
            return [...row.querySelectorAll(".label, .number")].map((text) => ({
              what: text.textContent ?? "",
              is: contrastWith(getComputedStyle(text).color, ground),
            }));
          });
          return { texts: [...texts, ...overBars], shapes };
        });
        expect(found.texts.length).toBeGreaterThan(20);
        // A site without data has an axis alone.
        expect(found.shapes.length).toBeGreaterThan(0);
        expect(found.texts.filter(({ is }) => is < 4.5)).toEqual([]);
        expect(found.shapes.filter(({ is }) => is < 3)).toEqual([]);
      }
      expect(grounds.size).toBe(themes.length);
    });

    it("forced colours keep its bars and lines visible", async () => {
      const { main } = await show(await ask("get_overview", { site: "example.com", days: 7 }), {
        media: { forcedColors: "active" },
      });
      const colors = await main.evaluate((element) => {
        const of = (selector: string, property: "backgroundColor" | "fill" | "stroke") => {
          const found = element.querySelector(selector);
          return found ? getComputedStyle(found)[property] : "none";
        };
        const probe = document.createElement("i");
        element.append(probe);
        probe.style.cssText =
          "forced-color-adjust: none; color: Highlight; background-color: Canvas; border: 1px solid GrayText";
        const { color, backgroundColor, borderTopColor } = getComputedStyle(probe);
        return {
          highlight: color,
          canvas: backgroundColor,
          past: borderTopColor,
          track: of(".track", "backgroundColor"),
          bar: of(".bar", "fill"),
          line: of(".plot .stroke:not(.before)", "stroke"),
        };
      });
      expect(colors.highlight).not.toBe(colors.canvas);
      expect([colors.bar, colors.line]).toEqual([colors.highlight, colors.highlight]);
      expect(colors.track).not.toBe(colors.past);
    });

    it("nothing moves by itself", async () => {
      const { main } = await show(await ask("get_overview", { site: "example.com", days: 7 }));
      await main.locator(".plot").hover();
      expect(await main.evaluate(() => document.getAnimations().length)).toBe(0);
      const styles = await main.evaluate(
        (element) =>
          [...element.querySelectorAll("*")]
            .map((child) => getComputedStyle(child))
            .filter((style) => style.transitionDuration !== "0s" || style.animationName !== "none").length,
      );
      expect(styles).toBe(0);
    });
  });

  describe("speaks the protocol", () => {
    const sizesOf = ({ page }: OpenedView) => page.evaluate(() => window.host.sizes);
    const heightOf = ({ main }: OpenedView) =>
      main.evaluate((element) => Math.ceil(element.getBoundingClientRect().height));

    it("introduces itself and sends nothing else", async () => {
      const view = await show(await ask("get_overview", { site: "example.com", days: 7 }));
      const sent = await view.page.evaluate(() => window.host.fromView);
      expect(sent.find((message) => message.method === "ui/initialize")?.params).toEqual({
        protocolVersion: "2026-01-26",
        appInfo: expect.objectContaining({ name: "analytics-mcp" }),
        appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      });
      expect([...new Set(sent.flatMap((message) => message.method ?? []))].sort()).toEqual([
        "ui/initialize",
        "ui/notifications/initialized",
        "ui/notifications/sandbox-proxy-ready",
        "ui/notifications/size-changed",
      ]);
    });

    it("shows that a host refused it, and accepts only one answer", async () => {
      const page = await newPage();
      await page.setContent("<iframe></iframe>");
      await page.evaluate((html) => {
        const frame = document.querySelector("iframe");
        addEventListener("message", ({ data }) => {
          if (data.method !== "ui/initialize") return;
          const answer = { jsonrpc: "2.0", id: data.id };
          frame?.contentWindow?.postMessage({ ...answer, error: { code: -32602, message: "Too new." } }, "*");
          frame?.contentWindow?.postMessage({ ...answer, result: { hostContext: { theme: "dark" } } }, "*");
        });
        if (frame) frame.srcdoc = html;
      }, chartPage);
      const main = page.frameLocator("iframe").locator("main");
      await expect.poll(() => words(main)).toBe("The host rejected this view. Too new.");
      expect(await main.evaluate(() => document.documentElement.dataset.theme)).toBeUndefined();
      await page.close();
    });

    it("reports its height only when it changes", async () => {
      const view = await open();
      await view.page.evaluate(() => window.host.input({}));
      await send(view, await ask("get_overview", { site: "example.com" }), false);
      const settled = async () => {
        // Its height may still change while it is waited for.
        await expect
          .poll(async () => isDeepStrictEqual((await sizesOf(view)).at(-1), { height: await heightOf(view) }))
          .toBe(true);
        await view.page.waitForTimeout(150);
        expect((await sizesOf(view)).at(-1)).toEqual({ height: await heightOf(view) });
        return (await sizesOf(view)).length;
      };
      // Once while it waits and once when everything is drawn.
      expect(await settled()).toBe(2);
      const drawn = await heightOf(view);
      await view.main.locator("figure summary").click();
      expect(await settled()).toBe(3);
      expect(await heightOf(view)).toBeGreaterThan(drawn + 100);
      await view.page.setViewportSize({ width: 320, height: 900 });
      await expect.poll(() => heightOf(view)).toBeGreaterThan(1_200);
      expect(await settled()).toBeLessThanOrEqual(6);
    });

    it("asks for a width only if the host does not set it", async () => {
      const view = await open({ context: { theme: "light", containerDimensions: { maxWidth: 5_000 } } });
      await view.page.evaluate(() => window.host.settle());
      expect((await sizesOf(view)).at(-1)?.width).toBe(1_120);
      await change(view, { theme: "light", containerDimensions: { maxWidth: 700 } });
      expect((await sizesOf(view)).at(-1)?.width).toBe(700);
      await change(view, { theme: "light", containerDimensions: { width: 500, maxWidth: 900 } });
      expect(Object.keys((await sizesOf(view)).at(-1) ?? {})).toEqual(["height"]);
    });

    it("answers teardown and then stays silent", async () => {
      const view = await show(await ask("get_overview", { site: "example.com" }), {});
      expect(await view.page.evaluate(() => window.host.teardown())).toEqual({});
      const before = (await sizesOf(view)).length;
      await view.main.locator("figure summary").click();
      await send(view, { isError: true, content: [] });
      await view.page.waitForTimeout(150);
      expect(await sizesOf(view)).toHaveLength(before);
    });

    it("refuses unknown requests, and ignores messages that are not for it", async () => {
      const view = await show(await ask("get_overview", { site: "example.com", days: 7 }));
      const before = await words(view.main);
      const answer = await view.page.evaluate(async () => {
        window.host.raw({ jsonrpc: "2.0", id: 77, method: "tools/list" });
        for (const message of [
          null,
          "text",
          [],
          { method: "ui/notifications/tool-cancelled" },
          { jsonrpc: "1.0", method: "ui/notifications/tool-cancelled" },
          { jsonrpc: "2.0", method: "ui/notifications/unheard-of" },
          { jsonrpc: "2.0", id: 99, result: {} },
        ])
          if (message !== null) window.host.raw(message);
        await window.host.settle();
        return window.host.fromView.find((message) => message.id === 77)?.error;
      });
      expect(answer).toMatchObject({ code: -32601 });
      expect(await words(view.main)).toBe(before);
    });

    it("listens only to the window that embeds it", async () => {
      const view = await show(await ask("get_overview", { site: "example.com", days: 7 }));
      const forged = {
        jsonrpc: "2.0",
        method: "ui/notifications/tool-cancelled",
        params: { reason: "forged" },
      };
      const before = await words(view.main);
      await view.page.evaluate(async (message) => {
        window.host.forge(message);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await window.host.settle();
      }, forged);
      expect(await words(view.main)).toBe(before);
      // The same message from the right window has its effect.
      await view.page.evaluate(async (message) => {
        window.host.raw(message);
        await window.host.settle();
      }, forged);
      expect(await words(view.main)).toBe("The call was cancelled: forged");
    });
  });
});
