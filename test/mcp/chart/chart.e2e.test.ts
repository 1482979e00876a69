import { isDeepStrictEqual } from "node:util";
import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { Browser, BrowserContext, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chartPage } from "../../../src/mcp/chart-pages.ts";
import { formatDuration } from "../../../src/render/duration.ts";
import type { Bounds } from "../../../src/reports/bounds.ts";
import type { Comparison } from "../../../src/reports/compare.ts";
import type { Mover } from "../../../src/reports/movers.ts";
import type { Overview } from "../../../src/reports/overview.ts";
import { createTestApi } from "../../support/api.ts";
import { CHROMIUM, launch } from "../../support/browser.ts";
import { connectInProcess, type ToolResult } from "../../support/clients.ts";
import { bundleHost, type OpenedView, openStage, type ViewOptions } from "./browser.ts";

/** The demo has every number: one that is missing is not a number here, and no page shows it. */
const known = (value: number | null | undefined) => value ?? Number.NaN;
const count = (value: number | null | undefined) => new Intl.NumberFormat("en-US").format(known(value));
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

const client = await connectInProcess({ demo: true });
afterAll(() => client.close());

describe.skipIf(CHROMIUM === undefined)("the chart in Chromium (CHROMIUM)", () => {
  let browser: Browser;
  let context: BrowserContext;
  let openView: Awaited<ReturnType<typeof openStage>>;
  /** What tests may show one result after the other in, until one opens a view of its own. */
  let standing: OpenedView | undefined;
  let opened: OpenedView[] = [];

  beforeAll(async () => {
    const [launched, hostPage] = await Promise.all([launch(), bundleHost()]);
    browser = launched;
    context = await browser.newContext();
    openView = await openStage(context, hostPage);
  });
  afterAll(() => browser.close());
  afterEach(() => {
    const views = [...opened, ...(standing ? [standing] : [])];
    opened = [];
    // No test may make the page leave its sandbox, break the host's policy or throw.
    expect(views.flatMap((view) => view.faults)).toEqual([]);
  });

  async function open(options: ViewOptions = {}): Promise<OpenedView> {
    if (standing) opened.push(standing);
    standing = undefined;
    const view = await openView(chartPage, options);
    opened.push(view);
    return view;
  }

  /** Sends a result, and shows all of it unless it is to stay as a conversation has it at first. */
  async function send({ page, main }: OpenedView, result: unknown, isOpen = true): Promise<void> {
    await page.evaluate(async (sent) => {
      await window.host.result(sent as never);
      await window.host.settle();
    }, result);
    if (!isOpen) return;
    await main.evaluate((element) => {
      for (const more of element.querySelectorAll<HTMLDetailsElement>("details.more")) more.open = true;
    });
  }

  /** Shows a result in a new view if a test needs special settings, otherwise in one that the tests share. */
  async function show(result: unknown, options?: ViewOptions): Promise<OpenedView> {
    if (!options && standing === undefined) standing = await open();
    const view = options ? await open(options) : (standing as OpenedView);
    await view.page.evaluate(() => window.host.input({}));
    await send(view, result);
    return view;
  }

  async function change({ page }: OpenedView, context: McpUiHostContext): Promise<void> {
    await page.evaluate(async (changed) => {
      window.host.context(changed as never);
      await window.host.settle();
    }, context as unknown);
  }

  const paper = (main: Locator) =>
    main.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const ask = (tool: string, args: Record<string, unknown>) => client.callTool(tool, args);
  /** What a model gets, and what only the chart gets. */
  const overviewOf = ({ structuredContent, _meta }: ToolResult) =>
    ({
      ...structuredContent,
      ...(_meta?.["analytics-mcp/chart"] as object),
    }) as unknown as Overview & WithNotes;
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
  interface WithNotes {
    notes: string[];
  }

  const words = async (locator: Locator) => (await locator.innerText()).replace(/\s+/g, " ").trim();
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
    standing = undefined;
    const view = await openView(chartPage);
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
      const page = await context.newPage();
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
