import type { Page } from "playwright-core";

/** Text with less contrast to its background than `least`, and controls whose edges have less than 3. */
export const findFaint = (page: Page, least = 4.5) =>
  page.evaluate((least) => {
    const read = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = read(color).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one: string, other: string) => {
      const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };
    const isClear = (color: string) => read(color)[3] === 0;
    const behind = (element: Element | null): string => {
      if (!element) return "rgb(255, 255, 255)";
      const { backgroundColor } = getComputedStyle(element);
      return isClear(backgroundColor) ? behind(element.parentElement) : backgroundColor;
    };
    const faint: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!element || !walker.currentNode.textContent?.trim()) continue;
      const ratio = contrast(getComputedStyle(element).color, behind(element));
      if (!(ratio >= least)) faint.push(`${element.textContent}: ${ratio.toFixed(2)}`);
    }
    for (const control of document.querySelectorAll("input:not([type=hidden]), button")) {
      const style = getComputedStyle(control);
      const text = contrast(style.color, behind(control));
      const around = behind(control.parentElement);
      const edge = isClear(style.borderColor) ? style.backgroundColor : style.borderColor;
      if (!(text >= least && contrast(edge, around) >= 3)) faint.push(control.outerHTML);
    }
    return faint;
  }, least);

/** The number of characters in the longest line of running text. */
export const measureLines = (page: Page) =>
  page.evaluate(() => {
    const range = document.createRange();
    const lengths: number[] = [];
    for (const block of document.querySelectorAll("p, dt, label")) {
      const lines = new Map<number, number>();
      const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { length = 0 } = walker.currentNode.textContent ?? "";
        for (let at = 0; at < length; at++) {
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + 1);
          const line = Math.round(range.getBoundingClientRect().bottom / 10);
          lines.set(line, (lines.get(line) ?? 0) + 1);
        }
      }
      lengths.push(...lines.values());
    }
    return Math.max(...lengths);
  });

/** Problems of a page's structure. */
export const findFaults = (page: Page) =>
  page.evaluate(() => {
    const faults: string[] = [];
    const expectCount = (selector: string, expected: number) => {
      const { length } = document.querySelectorAll(selector);
      if (length !== expected) faults.push(`${length} of ${selector}`);
    };
    expectCount("html[lang=en]", 1);
    expectCount("h1", 1);
    expectCount("body > main", 1);
    expectCount("body > header", 1);
    expectCount("main h1", 1);
    expectCount("body > :not(header, main)", 0);
    expectCount("iframe, [style], [tabindex], [onclick]", 0);
    // The button that copies has one.
    expectCount("script", document.querySelectorAll("#copy").length);
    expectCount("svg:not([aria-hidden] svg)", 0);
    if (!document.title.trim()) faults.push("no title");
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(({ tagName }) => Number(tagName[1]));
    levels.forEach((level, index) => {
      if (level > (levels[index - 1] ?? 0) + 1) faults.push(`a heading of level ${level}`);
    });
    for (const list of document.querySelectorAll("dl > div")) {
      const names = [...list.children].map(({ tagName }) => tagName).join();
      if (names !== "DT,DD") faults.push(`a list of ${names}`);
    }
    return faults;
  });

/** Problems of the controls on a page: labels, descriptions, names and sizes. */
export const findControlFaults = (page: Page) =>
  page.evaluate(() => {
    const faults: string[] = [];
    const isBlank = (element: Element | null | undefined) => !element?.textContent?.trim();
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    if (new Set(ids).size < ids.length) faults.push(`ids ${ids}`);
    for (const field of document.querySelectorAll<HTMLInputElement>("input:not([type=hidden])")) {
      if (isBlank(field.labels?.[0])) faults.push(`no label: ${field.outerHTML}`);
      for (const id of (field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)) {
        if (isBlank(document.getElementById(id))) faults.push(`no description ${id}`);
      }
    }
    const nameless = [...document.querySelectorAll("a, button")].filter(isBlank);
    const small = [...document.querySelectorAll("button, input:not([type=hidden])")].filter(
      (control) => control.getBoundingClientRect().height < 44,
    );
    faults.push(...nameless.map(({ outerHTML }) => `no name: ${outerHTML}`));
    faults.push(...small.map(({ outerHTML }) => `small: ${outerHTML}`));
    return faults;
  });

/** The elements that Tab reaches, from the top of the page until it leaves the page. */
export async function followTab(page: Page): Promise<string[]> {
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const focused = document.activeElement;
      if (!focused || focused === document.body) return undefined;
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      const seen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
      return `${focused.textContent?.trim() || focused.id}${seen ? "" : " (unseen)"}`;
    });
    if (stop === undefined || stops.includes(stop)) return stops;
    stops.push(stop);
  }
}
