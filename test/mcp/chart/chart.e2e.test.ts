import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { formatDuration } from "../../../src/render/duration.ts";
import type { Bounds } from "../../../src/reports/bounds.ts";
import type { Comparison } from "../../../src/reports/compare.ts";
import type { Mover } from "../../../src/reports/movers.ts";
import type { Overview } from "../../../src/reports/overview.ts";
import { createTestApi } from "../../support/api.ts";
import { CHROMIUM } from "../../support/browser.ts";
import { connectInProcess, type ToolResult } from "../../support/clients.ts";
import { count, known, overviewOf, useCharts, type WithNotes, words } from "./chart-stage.ts";

const percent = (value: number | undefined) => `${known(value).toFixed(1)}%`;
const sign = (value: number) => (value > 0 ? "+" : value < 0 ? "−" : "");
const signed = (value: number) => `${sign(value)}${count(Math.abs(value))}`;
const signedPercent = (value: number) => `${sign(value)}${percent(Math.abs(value))}`;

const ratio = (value: number) => value.toFixed(2);

const moved = (by: number, show: (size: number) => string = count) =>
  by === 0 ? "no change" : `${by > 0 ? "up ▲" : "down ▼"} ${show(Math.abs(by))}`;
const movedBy = (
  { absolute, percent: share }: { absolute: number | null; percent: number | null },
  show: (size: number) => string = count,
) => (absolute === 0 ? "no change" : `${moved(absolute ?? 0, show)} ${signedPercent(share ?? 0)}`);
const movedPoints = (points: number) => `${moved(points)}${points === 0 ? "" : " points"}`;

describe.skipIf(CHROMIUM === undefined)("the chart in Chromium (CHROMIUM)", () => {
  const { ask, open, send, show, change, openUnwatched } = useCharts();
  const comparisonIn = ({ comparison }: Overview) => {
    if (comparison === null) throw new Error("There is no comparison.");
    return comparison;
  };
  const comparisonOf = ({ structuredContent, _meta }: ToolResult) => {
    const comparison = structuredContent as unknown as Comparison;
    // A label that is equal to its value is left out.
    for (const { movers } of comparison.dimensions)
      for (const mover of movers) mover.label ??= `${mover.value}`;
    const { notes } = (_meta?.["analytics-mcp/chart"] ?? {}) as WithNotes;
    return { ...comparison, notes };
  };
  const allWords = async (locator: Locator) =>
    (await locator.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
  /** Each bar's start and end as shares of its track, and the track's length. */
  const measureBars = (tracks: Locator) =>
    tracks.evaluateAll((found) =>
      found.map((track) => {
        const box = track.getBoundingClientRect();
        const bar = track.querySelector(".bar")?.getBoundingClientRect() ?? box;
        const zero = track.querySelector(".zero")?.getBoundingClientRect() ?? box;
        const share = (x: number) => (x - box.left) / box.width;
        return { start: share(bar.left), end: share(bar.right), zero: share(zero.left), length: box.width };
      }),
    );

  describe("draws an overview", () => {
    it("with exactly its numbers", async () => {
      const result = await ask("get_overview", { site: "example.com" });
      const overview = overviewOf(result);
      const { main } = await show(result);
      const { previous, visitors, pageviews, visits, ...changes } = comparisonIn(overview);
      if (!visits || !changes.bounce_rate || !changes.views_per_visit || !changes.seconds_per_visit)
        throw new Error("There are no visits.");
      expect(await words(main.locator("header"))).toBe(
        "example.com Oct 24 – Nov 20, 2026 · 28 days · Europe/Berlin",
      );
      expect(await allWords(main.locator(".tile"))).toEqual([
        `Visitors ${count(overview.visitors)} up ▲ ${count(visitors.absolute ?? 0)} ${signedPercent(visitors.percent ?? 0)} before: ${count(previous.visitors)}`,
        `Page views ${count(overview.pageviews)} up ▲ ${count(pageviews.absolute ?? 0)} ${signedPercent(pageviews.percent ?? 0)} before: ${count(previous.pageviews)}`,
        `Visits ${count(overview.visits ?? 0)} ${movedBy(visits)} before: ${count(previous.visits ?? 0)}`,
        `Bounce rate ${percent(overview.bounce_rate ?? 0)} ${movedPoints(changes.bounce_rate.points ?? 0)} before: ${percent(previous.bounce_rate ?? 0)}`,
        `Views per visit ${ratio(overview.views_per_visit ?? 0)} ${movedBy(changes.views_per_visit, ratio)} before: ${ratio(previous.views_per_visit ?? 0)}`,
        `Time per visit ${formatDuration(overview.seconds_per_visit ?? 0)} ${movedBy(changes.seconds_per_visit, formatDuration)} before: ${formatDuration(previous.seconds_per_visit ?? 0)}`,
        `Events ${count(overview.events)} not compared`,
        `Today so far ${count(overview.today?.visitors)} visitors ${count(overview.today?.hours?.pageviews_until_then ?? 0)} page views until 5:00 AM yesterday: ${count(overview.today?.hours?.yesterday_until_then ?? 0)}`,
        `Active now ${count(overview.active_now)} at 5:05 AM`,
      ]);
      expect(await words(main)).toContain("Compared with Sep 26 – Oct 23, 2026");
      expect(await allWords(main.locator(".lists h3"))).toEqual([
        "Pages",
        "Referrers",
        "Channels",
        "Countries",
        "Devices",
      ]);
      await main.evaluate((element) => {
        for (const list of element.querySelectorAll("details")) list.open = true;
      });
      const rows = overview.top.flatMap((list) => list.rows);
      expect(overview.top.map((list) => list.rows.length)).toEqual([10, 10, 10, 10, 3]);
      expect(await allWords(main.locator(".lists li"))).toEqual(
        rows.map((row) => `${row.label} ${count(row.visitors)} ${percent(row.percentage)}`),
      );
      const bars = await measureBars(main.locator(".lists .track"));
      bars.forEach((bar, index) => {
        expect(bar.end - bar.start).toBeCloseTo((rows[index]?.percentage ?? 0) / 100, 2);
        expect(bar.length).toBeCloseTo(bars[0]?.length ?? 0, 1);
      });
      expect(await words(main)).toContain("rows may not add up");
      expect(overview.notes[0]).toBe("Made-up data (--demo).");
      const [first, ...others] = overview.notes;
      expect(await allWords(main.locator("footer li"))).toEqual([...others, first]);
    });

    it("with a trend that starts at zero, has every point at its number and leaves the last one open", async () => {
      const result = await ask("get_overview", { site: "example.com", period: "2026-10-23/2026-11-21" });
      const { trend } = overviewOf(result);
      const { main } = await show(result, { width: 1024 });
      const scale = await main.locator(".plot svg").evaluate((svg) => {
        const read = (element: Element, name: string) => Number(element.getAttribute(name));
        const ticks = [...svg.querySelectorAll("text")].filter((text) => text.hasAttribute("dy"));
        const lines = [...svg.querySelectorAll(".base, .grid")].map((line) => read(line, "y1"));
        const points = [...svg.querySelectorAll(".stroke:not(.before)")].map((path) =>
          (path.getAttribute("d") ?? "")
            .slice(1)
            .split("L")
            .map((pair) => pair.split(" ").map(Number)),
        );
        const days = [...svg.querySelectorAll(".day")].map((day) => [read(day, "cx"), read(day, "cy")]);
        return {
          ticks: ticks.map((tick) => ({
            value: Number(tick.textContent?.replaceAll(",", "")),
            y: read(tick, "y"),
          })),
          lines,
          points,
          days,
          dashes: [...svg.querySelectorAll(".stroke:not(.before)")].map(
            (path) => getComputedStyle(path).strokeDasharray,
          ),
          hollow: [...svg.querySelectorAll(".day")].map(
            (day) =>
              getComputedStyle(day).fill === getComputedStyle(document.documentElement).backgroundColor,
          ),
        };
      });
      const [bottom, top] = [scale.ticks[0], scale.ticks.at(-1)];
      if (!bottom || !top) throw new Error("no ticks");
      expect(bottom.value).toBe(0);
      expect(top.value).toBeGreaterThanOrEqual(Math.max(...trend.visitors.map(known)));
      expect(scale.ticks.map((tick) => tick.y)).toEqual(scale.lines);
      const toNumber = (y: number) => (top.value * (bottom.y - y)) / (bottom.y - top.y);
      for (const tick of scale.ticks) expect(toNumber(tick.y)).toBeCloseTo(tick.value, 6);
      const [complete = [], open = []] = scale.points;
      const drawn = [...complete, ...open.slice(1)].map(([, y]) => Math.round(toNumber(y ?? 0)));
      expect(drawn).toEqual(trend.visitors);
      const steps = [...complete, ...open.slice(1)].map(([x]) => x ?? 0);
      const step = (steps.at(-1) ?? 0) - (steps.at(-2) ?? 0);
      for (let index = 1; index < steps.length; index++)
        expect((steps[index] ?? 0) - (steps[index - 1] ?? 0)).toBeCloseTo(step, 6);
      expect(complete).toHaveLength(29);
      expect(open[0]).toEqual(complete.at(-1));
      expect(scale.days).toEqual([open[1]]);
      expect([scale.dashes, scale.hollow]).toEqual([["none", expect.not.stringMatching("none")], [true]]);
      expect(await main.locator(".plot text:not([dy])").allTextContents()).toEqual(
        expect.arrayContaining(["Oct 24", "Nov 14", "Nov 21"]),
      );
    });

    it("over the span before, day by day, with a legend", async () => {
      const result = await ask("get_overview", { site: "shop.example.net", period: "2026-10" });
      const { previous } = overviewOf(result).trend;
      const { main } = await show(result, { width: 1024 });
      expect(await allWords(main.locator(".legend li"))).toEqual(["Oct 1 – 31", "Sep 1 – 30"]);
      const places = (selector: string) =>
        main.locator(selector).evaluate((path) =>
          (path.getAttribute("d") ?? "")
            .slice(1)
            .split("L")
            .map((pair) => pair.split(" ").map(Number)),
        );
      const [line, before] = [
        await places(".plot .stroke:not(.before)"),
        await places(".plot .stroke.before"),
      ];
      expect([line.length, before.length, previous?.visitors.length]).toEqual([31, 30, 30]);
      expect(before.map(([x]) => x)).toEqual(line.slice(0, 30).map(([x]) => x));
      const [base = 0, top = 0] = await main
        .locator(".plot line.base, .plot line.grid")
        .evaluateAll((lines) => [lines[0], lines.at(-1)].map((line) => Number(line?.getAttribute("y1"))));
      const most = Number(await main.locator(".plot text[dy]").last().textContent());
      expect(before.map(([, y = 0]) => Math.round((most * (base - y)) / (base - top)))).toEqual(
        previous?.visitors,
      );
    });

    it("without a line for days on which the site had no data", async () => {
      const result = await ask("get_overview", { site: "news.example.org", days: 14 });
      const { comparison } = overviewOf(result);
      expect(comparison?.comparable).toBe(false);
      const { main } = await show(result);
      expect(await main.locator(".plot .stroke:not(.before)").count()).toBe(1);
      expect(await main.locator(".plot .stroke.before").count()).toBe(0);
    });

    it("switched between visitors, page views and visits, and remembers nothing", async () => {
      const result = await ask("get_overview", { site: "example.com", days: 7 });
      const { pageviews = [], visits = [], previous } = overviewOf(result).trend;
      const { main, page, view } = await show(result, {});
      const read = async () => [await words(main.locator("h2").first()), await words(main.locator(".most"))];
      const [title, most] = await read();
      expect(title).toBe("Visitors per day");
      await main.locator(".switch input").first().focus();
      await page.keyboard.press("ArrowRight");
      expect(await view.getByRole("radio", { name: "Page views" }).isChecked()).toBe(true);
      expect(await read()).toEqual([
        "Page views per day",
        expect.stringContaining(`Most: ${count(Math.max(...pageviews.map(known)))} on `),
      ]);
      expect(await main.locator(".plot").getAttribute("aria-label")).toMatch(/^Page views per day\./);
      await main.locator(".plot").focus();
      expect(await words(main.locator(".tip"))).toBe(
        `Fri, Nov 20 ${count(pageviews[6] ?? 0)} page views ${count(previous?.pageviews[6] ?? 0)} on Fri, Nov 13`,
      );
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("ArrowRight");
      expect(await read()).toEqual([
        "Visits per day",
        expect.stringContaining(`Most: ${count(Math.max(...visits.map(known)))} on `),
      ]);
      await main.locator(".plot").focus();
      expect(await words(main.locator(".tip"))).toBe(
        `Fri, Nov 20 ${count(visits[6] ?? 0)} visits ${count(previous?.visits?.[6] ?? 0)} on Fri, Nov 13`,
      );
      await main.locator(".switch label").first().click();
      expect(await read()).toEqual([title, most]);
      await page.evaluate((sent) => window.host.result(sent as never), result as unknown);
      await expect.poll(read).toEqual([title, most]);
    });

    it("of a part of the hits with what it is of, as text alone", async () => {
      const filter = ["countries=DE", "pages!=<b>x</b>"];
      const result = await ask("get_overview", { site: "example.com", days: 7, filter });
      const { main } = await show(result);
      expect(await words(main.locator("header"))).toBe(
        "example.com Only countries=DE and pages!=<b>x</b> Nov 14 – 20, 2026 · 7 days · Europe/Berlin",
      );
      expect(await main.locator("b").count()).toBe(0);
      expect(await words(main)).toContain("share of these visitors");
      const all = overviewOf(await ask("get_overview", { site: "example.com", days: 7 }));
      expect(overviewOf(result).visitors).toBeLessThan(all.visitors ?? 0);
      const compared = await ask("compare_periods", { site: "example.com", days: 7, filter });
      expect(await words((await show(compared)).main.locator("header"))).toMatch(
        /^example\.com Only countries=DE and pages!=<b>x<\/b> Nov 14 – 20, 2026 compared with /,
      );
    });

    it("without visits if the source does not know them", async () => {
      const result = await ask("get_overview", { site: "example.com", days: 7 });
      const { structuredContent, _meta } = JSON.parse(JSON.stringify(result), (name, value) =>
        /visit\b|^visits$|^bounce/.test(name) ? undefined : value,
      );
      const { main } = await show({ ...result, structuredContent, _meta });
      expect((await allWords(main.locator(".tile"))).map((tile) => tile.split(/ [\d–]/)[0])).toEqual([
        "Visitors",
        "Page views",
        "Events",
        "Today so far",
        "Active now",
      ]);
      expect(await allWords(main.locator(".switch label"))).toEqual(["Visitors", "Page views"]);
    });

    it("from the structured content alone, if the host passes on nothing else", async () => {
      const { _meta, ...result } = await ask("get_overview", { site: "example.com", days: 7 });
      const { main } = await show(result);
      expect(await allWords(main.locator(".lists h3"))).toEqual(["Pages", "Referrers", "Countries"]);
      expect(await main.locator(".plot .stroke.before, .switch").count()).toBe(0);
    });

    it("with the range of a count that is not known", async () => {
      const result = await ask("get_overview", { site: "example.com", days: 7 });
      const { structuredContent } = result;
      const rows = [{ label: "/", visitors: 12, visitors_at_most: 15, percentage: 1.2 }];
      const top = [{ dimension: "pages", rows }];
      const { main } = await show({ ...result, _meta: {}, structuredContent: { ...structuredContent, top } });
      expect(await allWords(main.locator(".lists li"))).toEqual(["/ 12–15 1.2%"]);
    });

    it("closed if the last day is complete", async () => {
      const { main } = await show(await ask("get_overview", { site: "example.com", days: 7 }));
      expect(await main.locator(".open").count()).toBe(0);
      for (const line of await main.locator(".plot .stroke").all())
        expect((await line.getAttribute("d"))?.split("L")).toHaveLength(7);
      expect(await main.locator(".plot .stroke").count()).toBe(2);
      expect(await words(main.locator("figure"))).not.toContain("so far");
    });

    it("with its numbers as a table, and described for people who cannot see it", async () => {
      const result = await ask("get_overview", { site: "example.com", period: "this_week" });
      const { trend } = overviewOf(result);
      const { main, view } = await show(result);
      await main.locator("figure summary").click();
      const expected = trend.visitors.map(count);
      const column = (index: number) => allWords(main.locator(`tbody td:nth-of-type(${index})`));
      const earlier = (counts: readonly (number | null)[] = []) => [...counts.slice(0, 5).map(count), "–"];
      expect(await allWords(main.locator("thead th"))).toEqual([
        "Day",
        "Visitors",
        "before",
        "Page views",
        "before",
        "Visits",
        "before",
      ]);
      expect(await column(1)).toEqual([...expected.slice(0, -1), `${expected.at(-1)} so far`]);
      expect(await column(2)).toEqual(earlier(trend.previous?.visitors));
      expect(await column(3)).toEqual([
        ...(trend.pageviews ?? []).slice(0, -1).map(count),
        `${count(trend.pageviews?.at(-1) ?? 0)} so far`,
      ]);
      expect(await column(4)).toEqual(earlier(trend.previous?.pageviews));
      expect((await column(5)).slice(0, -1)).toEqual((trend.visits ?? []).slice(0, -1).map(count));
      expect(await column(6)).toEqual(earlier(trend.previous?.visits));
      expect((await allWords(main.locator("tbody th"))).at(-1)).toBe("Sat, Nov 21");
      const picture = view.getByRole("img", { name: "Visitors per day, Nov 16 – 21, 2026." });
      const spoken = await picture.getAttribute("aria-label");
      const complete = trend.visitors.slice(0, -1);
      expect(spoken).toContain(`Most ${count(Math.max(...complete.map(known)))} on `);
      expect(spoken).toContain(`fewest ${count(Math.min(...complete.map(known)))} on `);
      expect(spoken).toContain(`Sat, Nov 21 is incomplete: ${expected.at(-1)} so far.`);
    });

    it("that marks a small sample, a missing percentage, no change and no rows", async () => {
      const { main } = await show(await ask("get_overview", { site: "parked.example", days: 7 }));
      expect(await allWords(main.locator(".tile"))).toEqual([
        "Visitors – no comparison",
        "Page views – no comparison",
        "Visits – no comparison",
        "Bounce rate – no comparison",
        "Views per visit – no comparison",
        "Time per visit – no comparison",
        "Today so far 0 visitors",
        "Active now 0 at 9:50 AM",
      ]);
      expect(await main.locator(".lists, .heading:has(.remark)").count()).toBe(0);
      expect(await words(main.locator(".legend"))).toBe("No visitors");
      expect(await main.locator(".plot .stroke.before").count()).toBe(0);
    });

    it("of a site that lost visitors, and of one day by hour", async () => {
      const result = await ask("get_overview", { site: "example.com", days: 1 });
      const { visitors } = comparisonIn(overviewOf(result));
      expect(visitors.absolute).toBeLessThan(0);
      const { main } = await show(result);
      expect(await words(main.locator(".tile").first())).toContain(
        `down ▼ ${count(-(visitors.absolute ?? 0))} ${signedPercent(visitors.percent ?? 0)}`,
      );
      const { hours } = overviewOf(result).trend;
      if (hours === undefined) throw new Error("There are no hours.");
      expect(await words(main.locator("figcaption h2"))).toBe("Visitors per hour");
      const most = Math.max(...hours.visitors.map((count) => count ?? 0));
      const clock = `${((hours.visitors.indexOf(most) + 11) % 12) + 1}:00 ${hours.visitors.indexOf(most) < 12 ? "AM" : "PM"}`;
      expect(await words(main.locator(".most"))).toBe(`Most: ${count(most)} on Fri, Nov 20, ${clock}`);
      await main.locator("figure summary").click();
      const cells = await allWords(main.locator("tbody tr"));
      expect(await words(main.locator("thead"))).toBe("Hour Visitors Page views Visits");
      expect(cells).toHaveLength(24);
      expect(cells[13]).toBe(
        `Fri, Nov 20, 1:00 PM ${[hours.visitors, hours.pageviews, hours.visits].map((counts) => count(counts?.[13] ?? -1)).join(" ")}`,
      );
      expect(await main.locator(".plot text").allTextContents()).toEqual(
        expect.arrayContaining(["12:00 AM", "12:00 PM"]),
      );
    });

    it("of one day without its hours, if the host passes on nothing else", async () => {
      const { _meta, ...result } = await ask("get_overview", { site: "example.com", days: 1 });
      const { main } = await show(result);
      expect(await main.locator("figure").count()).toBe(0);
      expect(await main.locator(".tile").count()).toBeGreaterThan(5);
    });
  });

  describe("draws a comparison", () => {
    it("with exactly its numbers", async () => {
      const result = await ask("compare_periods", { site: "shop.example.net", days: 1 });
      const comparison = comparisonOf(result);
      const { current, previous } = comparison;
      const { main } = await show(result);
      expect(await words(main.locator("header"))).toBe(
        "shop.example.net Nov 20, 2026 compared with Nov 19, 2026 · complete days · Asia/Tokyo",
      );
      const formats: Record<string, (value: number) => string> = {
        views_per_visit: ratio,
        seconds_per_visit: formatDuration,
      };
      const measures = [
        { title: "Visitors", key: "visitors" },
        { title: "Page views", key: "pageviews" },
        { title: "Visits", key: "visits" },
        { title: "Bounce rate", key: "bounce_rate" },
        { title: "Views per visit", key: "views_per_visit" },
        { title: "Time per visit", key: "seconds_per_visit" },
      ] as const;
      const { change } = comparison;
      expect(await allWords(main.locator(".measures section"))).toEqual(
        measures.map(({ title, key }) => {
          const isRate = key === "bounce_rate";
          const shown = isRate ? percent : (formats[key] ?? count);
          const changed = isRate
            ? movedPoints(change.bounce_rate?.points ?? 0)
            : movedBy(change[key] ?? { absolute: null, percent: null }, shown);
          return `${title} ${changed} Nov 20 ${shown(current[key] ?? 0)} Nov 19 ${shown(previous[key] ?? 0)}`;
        }),
      );
      const windows = await measureBars(main.locator(".windows .track"));
      expect(windows.map((bar) => bar.start)).toEqual(measures.flatMap(() => [0, 0]));
      for (const [index, { key }] of measures.entries()) {
        const [later, earlier] = windows.slice(2 * index);
        const share = (previous[key] ?? 0) / (current[key] ?? 0);
        expect((earlier?.end ?? 0) / (later?.end ?? 0)).toBeCloseTo(share, 2);
      }
      const movers = comparison.dimensions.flatMap((group) => group.movers);
      const changes = movers.map((mover) => mover.change?.absolute ?? 0);
      expect([Math.min(...changes) < 0, Math.max(...changes) > 0]).toEqual([true, true]);
      expect(await allWords(main.locator(".lists li"))).toEqual(
        movers.map(
          ({ label, current, previous, change }) =>
            `${label} ${signed(change?.absolute ?? 0)} ${signedPercent(change?.percent ?? 0)} ${count(previous ?? 0)} → ${count(current ?? 0)}`,
        ),
      );
      const bars = await measureBars(main.locator(".lists .track"));
      const reach = Math.max(...changes) - Math.min(...changes);
      bars.forEach((bar, index) => {
        const change = changes[index] ?? 0;
        expect(bar.zero).toBeCloseTo(-Math.min(...changes) / reach, 1);
        expect(bar.end - bar.start).toBeCloseTo(Math.abs(change) / reach, 2);
        expect(change < 0 ? bar.end : bar.start).toBeCloseTo(bar.zero, 1);
        expect(bar.length).toBeCloseTo(bars[0]?.length ?? 0, 1);
      });
      const [first, ...others] = comparison.notes;
      expect(await allWords(main.locator("footer li"))).toEqual([...others, first]);
    });

    it("with ranges for unknown numbers, and the reason", async () => {
      const { api } = createTestApi();
      const client = await connectInProcess({ fetch: async (url, init) => api(new Request(url, init)) });
      const result = await client.callTool("compare_periods", {
        site: "shop.example.net",
        days: 3,
        dimension: "pages",
      });
      await client.close();
      const [pages] = comparisonOf(result).dimensions;
      if (!pages) throw new Error("Nothing was compared.");
      const { movers } = pages;
      pages.cut_off = true;
      const leaveOpen = (mover: Mover, previous: Bounds, current: Bounds, change: Bounds): Mover => ({
        ...mover,
        change: null,
        bounds: { previous, current, change },
        previous: previous.least === previous.most ? previous.most : null,
        current: current.least === current.most ? current.most : null,
      });
      const [known, first, second] = movers.splice(0) as [Mover, Mover, Mover];
      const rise = { least: 19, most: 31 };
      movers.push(known, leaveOpen(first, { least: 0, most: 12 }, { least: 31, most: 31 }, rise));
      const fall = { least: -19, most: -3 };
      movers.push(leaveOpen(second, { least: 10, most: 19 }, { least: 0, most: 7 }, fall));
      pages.more = { count: 1_234, most: 56 };
      const [group] = comparisonOf(result).dimensions;
      const open = group?.movers.filter((mover) => mover.change === null) ?? [];
      expect(open.length).toBeGreaterThan(1);
      const { main } = await show(result);
      const lines = await allWords(main.locator(".lists li"));
      const bars = await measureBars(main.locator(".lists .track"));
      for (const mover of open) {
        const { label, bounds } = mover;
        const [before, after] = [bounds?.previous, bounds?.current].map((range) =>
          range?.least === range?.most
            ? count(range?.least ?? 0)
            : `${count(range?.least ?? 0)}–${count(range?.most ?? 0)}`,
        );
        const index = group?.movers.indexOf(mover) ?? -1;
        const change = bounds?.change === rise ? "+19 to +31" : "−3 to −19";
        expect(lines[index]).toBe(`${label} ${change} ${before} → ${after}`);
        const bar = bars[index];
        const { least, most } = bounds?.change ?? { least: 0, most: 0 };
        expect(((bar?.end ?? 0) - (bar?.zero ?? 0)) / ((bar?.end ?? 0) - (bar?.start ?? 1))).toBeCloseTo(
          most / (most - least),
          1,
        );
      }
      expect(await main.locator(".bar.range").count()).toBe(open.length);
      const said = await words(main.locator(".lists"));
      expect(said).toContain("The service cut off rows");
      expect(said).toContain("1,234 more may have changed, by at most 56 each.");
    });

    it("of months that differ in length, with sums and averages apart", async () => {
      const result = await ask("compare_periods", {
        site: "example.com",
        period: "2026-10",
        dimension: "pages",
      });
      const { current, previous, change, per_day, dimensions } = comparisonOf(result);
      if (!per_day) throw new Error("The months are compared by their sums.");
      expect(dimensions[0]?.movers.some((mover) => !Number.isInteger(mover.per_day?.change))).toBe(true);
      const { main } = await show(result);
      const [visitors] = await allWords(main.locator(".measures section"));
      const { visitors: average } = per_day;
      expect(visitors).toBe(
        `Visitors up ▲ ${count(change.visitors.absolute ?? 0)} ${count(average.current)} a day, before: ${count(average.previous)} up ▲ ${count(average.change)} a day ${signedPercent(average.percent ?? 0)} Oct 1 – 31 ${count(current.visitors)} Sep 1 – 30 ${count(previous.visitors)}`,
      );
      expect(await allWords(main.locator(".lists li"))).toEqual(
        dimensions.flatMap(({ movers }) =>
          movers.map(({ label, per_day: each }) => {
            const percent = each?.percent ?? null;
            const share = percent === null ? "no percentage" : signedPercent(percent);
            return `${label} ${signed(each?.change ?? 0)} ${share} ${count(each?.previous ?? 0)} → ${count(each?.current ?? 0)} a day`;
          }),
        ),
      );
      const [{ more } = { more: undefined }] = dimensions;
      expect(await words(main.locator(".lists"))).toContain(
        `${more?.count} more changed, by at most ${count(more?.most_per_day ?? 0)} a day each.`,
      );
    });

    it("of days without data, and of nothing that can be compared", async () => {
      const site = "news.example.org";
      const lacking = { site, period: "this_month", against: "2026-11-01/2026-11-13" };
      const { main } = await show(await ask("compare_periods", lacking));
      expect(await words(main.locator(".measures"))).toMatch(/^Visitors [\d.]+ a day, before: /);
      expect(await main.locator(".lists li").count()).toBeGreaterThan(0);
      const empty = await show(
        await ask("compare_periods", { site, period: "this_month", against: "2026-10" }),
      );
      const said = await words(empty.main);
      expect(said).toContain("Biggest changes not compared: days have no data");
      expect(said).not.toMatch(/No changes|no comparison/);
      // The days before have no numbers, so they have no row.
      const windows = empty.main.locator(".measures section").first().locator(".window");
      expect(await windows.count()).toBe(1);
    });

    it("that shows drift, a missing percentage and no movers", async () => {
      const result = await ask("compare_periods", { site: "example.com" });
      const comparison = comparisonOf(result);
      const [first, second] = comparison.dimensions;
      const dimensions = [
        {
          ...first,
          drift: 4,
          movers: [{ label: "new", current: 7, previous: 0, change: { absolute: 7, percent: null } }],
        },
        { ...second, movers: [], more: { count: 0, most: 0 } },
      ];
      const { main } = await show({ ...result, structuredContent: { ...comparison, dimensions } });
      expect(await allWords(main.locator(".lists li"))).toEqual(["new +7 no percentage 0 → 7"]);
      expect(await allWords(main.locator(".lists section"))).toEqual([
        expect.stringContaining("Each count may be off by 4."),
        "Referrers No changes.",
      ]);
    });
  });

  describe("draws only complete answers", () => {
    const nothing = "This answer has no chart. The conversation has the answer as text.";

    it("an error is shown in its own words", async () => {
      const result = await ask("get_overview", { site: "nope" });
      expect(result.isError).toBe(true);
      const { main } = await show(result);
      expect(await main.innerText()).toBe(result.content[0]?.text);
    });

    it.each([
      ["no structured content", () => undefined],
      ["another tool's", () => ({ site: { id: "1", domain: "example.com" }, visitors: 5 })],
      ["a list", () => [1]],
      ["an overview without a number", (overview: Overview) => ({ ...overview, pageviews: undefined })],
      ["an overview with a number as text", (overview: Overview) => ({ ...overview, visitors: "5" })],
      [
        "an overview with a broken trend",
        (overview: Overview) => ({ ...overview, trend: { from: "2026-11-01", visitors: [1, -2] } }),
      ],
      [
        "an overview with an invalid day",
        (overview: Overview) => ({ ...overview, trend: { ...overview.trend, from: "2026-13-01" } }),
      ],
    ])("%s", async (_, spoil) => {
      const result = await ask("get_overview", { site: "example.com", days: 7 });
      const { main } = await show({ ...result, structuredContent: spoil(overviewOf(result)) });
      expect(await words(main)).toBe(nothing);
      await show(result);
      expect(await words(main)).not.toBe(nothing);
    });

    it("before, between and after results it shows its state", async () => {
      const [first, second] = await Promise.all([
        ask("get_overview", { site: "example.com", days: 7 }),
        ask("compare_periods", { site: "shop.example.net", days: 1 }),
      ]);
      const view = await open();
      const { main, page } = view;
      expect(await words(main)).toBe("Waiting for the numbers…");
      const input = (site?: string) =>
        page.evaluate(async (domain) => {
          await window.host.input(domain === undefined ? {} : { site: domain });
          await window.host.settle();
        }, site);
      await input();
      expect(await words(main)).toBe("Loading the numbers…");
      await send(view, first);
      expect(await words(main.locator("h1"))).toBe("example.com");
      await page.setViewportSize({ width: 400, height: 900 });
      await send(view, second);
      expect(await words(main.locator("h1"))).toBe("shop.example.net");
      expect(await main.locator("figure").count()).toBe(0);
      await input("shop.example.net");
      expect(await words(main)).toBe("Loading the numbers of shop.example.net…");
      await change(view, { locale: "de-DE" });
      expect(await words(main)).toBe("Loading the numbers of shop.example.net…");
      await page.evaluate(async () => {
        await window.host.cancel("user action");
        await window.host.settle();
      });
      await change(view, { locale: "fr-FR" });
      expect(await words(main)).toBe("The call was cancelled: user action");
      await send(view, first);
      expect(await words(main.locator("h1"))).toBe("example.com");
      await page.evaluate(async () => {
        await window.host.cancel();
        await window.host.settle();
      });
      await change(view, { locale: "en-US" });
      expect(await words(main)).toBe("The call was cancelled.");
    });
  });

  it("text from visitors stays text everywhere", async () => {
    const hostile = [
      `<img src=x onerror="document.title='owned'">`,
      `"><script>document.title='owned'</script>`,
      "\u202egnirts desrever \u2067 isolates",
      `/${"very-long-".repeat(60)}`,
      "👩‍👩‍👧‍👦 🇩🇪 {{7*7}} ${7*7}",
    ];
    const overview = await ask("get_overview", { site: "example.com", days: 7 });
    const comparison = await ask("compare_periods", { site: "example.com" });
    const rows = hostile.map((label) => ({ label, visitors: 1, percentage: 0.1 }));
    const movers = hostile.map((label) => ({
      label,
      current: 2,
      previous: 1,
      change: { absolute: 1, percent: 100 },
    }));
    const [evil = ""] = hostile;
    const site = { id: "s", domain: evil };
    const receipt = { notes: hostile, command: evil };
    const view = await open({ width: 320 });
    const { main, page } = view;
    for (const structuredContent of [
      { ...overviewOf(overview), site, notes: hostile, top: [{ dimension: evil, rows }] },
      {
        ...comparisonOf(comparison),
        site,
        // Of a host that does not pass on the chart's own data.
        notes: undefined,
        receipt,
        timezone: evil,
        dimensions: [{ dimension: evil, drift: 0, cut_off: false, movers, more: { count: 0, most: 0 } }],
      },
    ]) {
      await send(view, { ...overview, structuredContent, _meta: {} });
      expect(
        await main.locator(".lists .label").evaluateAll((all) => all.map((label) => label.textContent)),
      ).toEqual(hostile);
      expect(
        await main
          .locator(".lists .label")
          .evaluateAll((all) => all.map((label) => label.getAttribute("title"))),
      ).toEqual(hostile);
      expect(await main.locator("img, script, iframe, a, [onerror]").count()).toBe(0);
      expect(await main.evaluate((element) => element.ownerDocument.title)).toBe("Web analytics");
      expect(
        await main
          .locator(".lists .label, footer bdi")
          .evaluateAll((all) => all.every((text) => getComputedStyle(text).unicodeBidi === "isolate")),
      ).toBe(true);
      expect(
        await main.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(page.frames()).toHaveLength(3);
    }
    await send(view, { isError: true, content: [{ type: "text", text: evil }] });
    expect(await main.innerText()).toBe(evil);
    expect(await main.locator("img").count()).toBe(0);
  });

  it("the host of these tests notices a request, a breach of its policy and an error", async () => {
    const view = await openUnwatched();
    await view.main.evaluate(async () => {
      await fetch("http://elsewhere.test/").catch(() => {});
      document.body.append(Object.assign(new Image(), { src: "http://elsewhere.test/pixel.png" }));
      setTimeout(() => {
        throw new Error("on purpose");
      });
    });
    await expect.poll(() => view.faults.join("\n")).toContain("on purpose");
    await expect.poll(() => view.faults.join("\n")).toContain("policy: img-src");
    expect(view.faults.join("\n")).toContain("policy: connect-src");
    await view.page.evaluate(() => void fetch("http://elsewhere.test/").catch(() => {}));
    await expect.poll(() => view.faults.join("\n")).toContain("request: http://elsewhere.test/");
  });
});
