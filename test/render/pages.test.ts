import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import type { Series, View } from "../../src/operations/view.ts";
import { drawBar, drawColumn, drawSparkline } from "../../src/render/block-graphics.ts";
import { formatCsv } from "../../src/render/csv.ts";
import { formatChart, formatSparkline } from "../../src/render/terminal-chart.ts";
import { formatPage } from "../../src/render/terminal-page.ts";
import { paint } from "../../src/render/terminal-screen.ts";
import { truncate, truncateStart, wrap } from "../../src/render/text-width.ts";
import { anyText } from "./any-text.ts";

const screen = { width: 80, height: 40, color: false, pictures: true, locale: "en-US" };
const series = { label: "visitors a day", from: "2026-11-01", values: [0, 1, 50, 100, 7], partial: true };

describe("a sparkline", () => {
  it.each([
    [[], ""],
    [[0, 0], "··"],
    [[1, 2, 3, 4, 5, 6, 7, 8], "▁▂▃▄▅▆▇█"],
    [[0, 1, 1000, 500], "·▁█▄"],
    // A spike of one or a few days does not flatten the others; a weekly pattern or growth is not a spike.
    [[90, 80, 100, 2000, 95, 60, 0], "█▇█↑█▅·"],
    [[8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 900, 100], "██████████↑↑"],
    [[1, 1, 1, 1, 1, 9, 9, 1, 1, 1, 1, 1, 9, 9], "▁▁▁▁▁██▁▁▁▁▁██"],
    [[1, 2, 4, 8, 16, 32, 64, 128], "▁▁▁▁▁▂▄█"],
    [[1, 9], "▁█"],
  ])("of %j is %s", (values, drawn) => expect(drawSparkline(values)).toBe(drawn));

  it("shows many days by weeks, and says so", () => {
    const long = { ...series, values: Array.from({ length: 365 }, (_, index) => index), from: "2025-01-01" };
    const [text, more, line = ""] = formatSparkline(long, screen);
    expect(`${text} ${more}`).toBe(
      "visitors a day, means of 7 days, 2025-01-01 to 2025-12-31, today so far; highest: 364",
    );
    // 52 weeks and today.
    expect(line).toHaveLength(53);
  });

  it("is on one line with its label if there is room", () => {
    const text = "visitors a day, 2026-11-01 to 2026-11-05, today so far; highest: 100";
    expect(formatSparkline(series, screen)).toEqual([`··▁▁▄▄██▁▁  ${text}`]);
  });
});

describe("bars and columns", () => {
  it.each([
    [100, 100, 10, "██████████"],
    [50, 100, 10, "█████"],
    [1, 1000, 10, "▏"],
    [0, 100, 10, ""],
    [0, 0, 10, ""],
  ])("%i of %i in %i columns", (value, most, width, drawn) =>
    expect(drawBar(value, most, width)).toBe(drawn),
  );

  it("a longer bar never has a smaller count, and none is wider than its room", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 60 }), (one, other, width) => {
        const most = Math.max(one, other);
        const [a, b] = [drawBar(one, most, width), drawBar(other, most, width)];
        expect(Math.max(a.length, b.length)).toBeLessThanOrEqual(width);
        if (one <= other) expect(a.length).toBeLessThanOrEqual(b.length);
      }),
    );
  });

  it("a column of a chart grows from the bottom", () => {
    expect(drawColumn(10, 16, 2)).toEqual(["▂", "█"]);
    expect(drawColumn(0, 16, 2)).toEqual([" ", " "]);
    expect(drawColumn(0.001, 16, 2)).toEqual([" ", "▁"]);
  });
});

describe("a chart", () => {
  it("has axes, days and today", () => {
    expect(formatChart(series, { ...screen, width: 50 }, 4)).toEqual([
      "visitors a day; the last bar is today so far",
      "100 ┤                  █████",
      "    │                  █████",
      " 50 ┤            █████ █████",
      "    │      ▁▁▁▁▁ █████ █████ ▂▂▂▂▂",
      "  0 └┬─────┬─────┬─────┬─────┬─────",
      "     Nov 1 Nov 2 Nov 3 Nov 4 Nov 5",
    ]);
  });

  it("shows more days than columns as means of several days, counted from the last complete day", () => {
    const values = [...Array.from({ length: 364 }, (_, index) => (index < 4 ? 40 : 14)), 3];
    const [first, second, ...lines] = formatChart(
      { ...series, from: "2025-01-01", values },
      { ...screen, width: 60 },
      4,
    );
    expect(`${first} ${second}`).toBe(
      "visitors a day, each bar the mean of 7 days; the last bar is today so far",
    );
    expect(lines[0]).toMatch(/^30 ┤▇$/);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    // 52 weeks and today.
    expect(lines.at(-2)?.replaceAll("┬", "─")).toBe(` 0 └${"─".repeat(53)}`);
    expect(lines.at(-1)).toMatch(/^ +Feb +Apr +Jun +Aug +Oct +Dec$/);
  });

  it("reads weeks where there would be room for the days, and hours as the clock has them", () => {
    const draw = (shown: Series, width: number) => formatChart(shown, { ...screen, width }, 4);
    const half = { ...series, partial: false, values: Array.from({ length: 182 }, () => 7) };
    expect(draw(half, 200)[0]).toBe("visitors a day, each bar the mean of 7 days");
    expect(draw(half, 200).at(-2)).toMatch(/^0 └[─┬]{156}$/);
    const starts = Array.from({ length: 60 }, (_, hour) =>
      new Date(Date.UTC(2026, 10, 20, hour)).toISOString().slice(0, 16).replace("T", " "),
    );
    const interval = { name: "hour", starts, to: starts.at(-1) ?? "" };
    const values = starts.map((start) => (/ 0[2-5]:/.test(start) ? 10 : 20));
    const hours = { ...series, partial: false, label: "visitors an hour", values, interval };
    expect(draw(hours, 40)).toEqual([
      "visitors an hour, each bar the mean of 2",
      "hours",
      "20 ┤█  ██████████  ██████████  ███",
      "   │█  ██████████  ██████████  ███",
      "10 ┤██████████████████████████████",
      "   │██████████████████████████████",
      " 0 └┬───────────┬───────────┬─────",
      "    Nov 20      Nov 21      Nov 22",
    ]);
  });

  it("has a gap where there is no data, also in its axis", () => {
    const lines = formatChart(
      { ...series, partial: false, values: [60, null, 0, 100] },
      { ...screen, width: 50 },
      2,
    );
    expect(lines.slice(1)).toEqual([
      "100 ┤▂▂▂▂▂             █████",
      "    │█████             █████",
      "  0 └┬─────┬     ┬─────┬─────",
      "     Nov 1 Nov 2 Nov 3 Nov 4",
    ]);
  });

  it("names months, as many as there is room for, and the year where it begins", () => {
    const starts = ["2026-10-05", "2026-11-01", "2026-12-01", "2027-01-01", "2027-02-01"];
    const interval = { name: "month", starts, to: "2027-02-20" };
    const months = { ...series, label: "visitors a month", from: "2026-10-05", interval };
    const dates = (width: number) =>
      formatChart(months, { ...screen, width }, 5)
        .at(-1)
        ?.trim();
    expect(dates(80)).toBe("Oct   Nov   Dec   2027  Feb");
    expect(dates(22)).toBe("Oct   Dec   Feb");
  });

  it("is not flattened by one spike, and says how high it was", () => {
    const lines = formatChart(
      { ...series, values: [90, 85, 20_412, 95, 60, 30] },
      { ...screen, width: 50 },
      4,
    );
    expect(lines).toEqual([
      "visitors a day; the last bar is today so far; ↑ is",
      "off the scale: 20,412",
      "100 ┤▅▅▅▅▅ ▃▃▃▃▃ ↑↑↑↑↑ ▆▆▆▆▆",
      "    │█████ █████ █████ █████ ▃▃▃▃▃",
      " 50 ┤█████ █████ █████ █████ █████ ▂▂▂▂▂",
      "    │█████ █████ █████ █████ █████ █████",
      "  0 └┬─────┬─────┬─────┬─────┬─────┬─────",
      "     Nov 1 Nov 2 Nov 3 Nov 4 Nov 5 Nov 6",
    ]);
  });

  it.each([60, 80, 120])("of a year fits %i columns", (columns) => {
    const values = Array.from({ length: 365 }, (_, index) => 1000 + (index % 7) * 100);
    for (const line of formatChart(
      { ...series, from: "2025-11-22", values },
      { ...screen, width: columns },
      9,
    )) {
      expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  });

  it("has its axis in one column, even if its top has more digits than any day", () => {
    const lines = formatChart({ ...series, values: [999, 500, 250, 0, 1] }, screen, 6).slice(1, -1);
    expect(new Set(lines.map((line) => line.search(/[┤│└]/)))).toEqual(new Set([6]));
  });

  it("fits every width, and its top is never less than the largest day", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 10_000_000 }), { minLength: 2, maxLength: 365 }),
        fc.integer({ min: 40, max: 200 }),
        fc.boolean(),
        (values, width, partial) => {
          const lines = formatChart({ ...series, values, partial }, { ...screen, width }, 8);
          for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
          const [highest = ""] = lines.filter((line) => line.includes("┤"));
          const top = Number(highest.split("┤")[0]?.replaceAll(",", ""));
          const text = lines.filter((line) => !/[┤│└]/.test(line)).join(" ");
          const isLower = /mean of|off the scale/.test(text);
          if (!isLower) expect(top).toBeGreaterThanOrEqual(Math.max(...values));
        },
      ),
    );
  });
});

const hostileCell = fc.oneof(
  anyText(60),
  fc.constantFrom("日本語".repeat(9), "🚀".repeat(30), "=1+1", "a\tb\nc", "\u001b[31mred", ""),
);

const anyView = fc.record({ labels: fc.array(hostileCell, { minLength: 1, maxLength: 12 }) }).map(
  ({ labels }): View => ({
    headline: "pages of example.com, 2026-11-15 to 2026-11-21 (7 days, Europe/Berlin)",
    columns: [
      { key: "value", label: "value", kind: "text", machine: true },
      { key: "label", label: "pages", kind: "text", untrusted: true },
      { key: "visitors", label: "visitors", kind: "count" },
      { key: "change", label: "change", kind: "change" },
      { key: "percent", label: "percent", kind: "percent_change", detail: true },
    ],
    rows: labels.map((label, index) => ({
      value: label,
      label,
      visitors: 10 ** index,
      change: -index,
      percent: index === 0 ? null : -1.5,
    })),
    notes: [],
    bars: "visitors",
  }),
);

describe("a page", () => {
  it("no text and no width makes a line too long or adds a row", () => {
    fc.assert(
      fc.property(anyView, fc.integer({ min: 50, max: 200 }), fc.boolean(), (view, width, color) => {
        const page = formatPage([view], { ...screen, width, color });
        const lines = stripVTControlCharacters(page).split("\n");
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        const table = lines.slice(lines.findIndex((line) => line.startsWith("pages  ")));
        expect(table).toHaveLength(view.rows.length + 1);
        if (!color) expect(page).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
      }),
    );
  });

  it.each([
    [60, ["referrers", "visitors", "page", "views", "share"]],
    [40, ["referrers", "visitors", "share"]],
  ])("in %i columns leaves out a column before it cuts every word", (width, header) => {
    const view: View = {
      headline: "",
      columns: [
        { key: "label", label: "referrers", kind: "text" },
        { key: "visitors", label: "visitors", kind: "count" },
        { key: "pageviews", label: "page views", kind: "count", spare: true },
        { key: "percentage", label: "share", kind: "percent" },
      ],
      rows: [{ label: "(direct or none)", visitors: 10_993, pageviews: 31_400, percentage: 37.5 }],
      notes: [],
    };
    const [head = "", row] = formatPage([view], { ...screen, width }).split("\n");
    expect(head.split(/\s+/)).toEqual(header);
    expect(row).toContain("(direct or none)");
  });

  it("has a line for each number of a single row that is too wide", () => {
    const view: View = {
      headline: "",
      columns: ["visitors", "page views", "bounce rate"].map((label) => ({
        key: label,
        label,
        kind: "count",
      })),
      rows: [{ visitors: 176, "page views": 1_625, "bounce rate": null }],
      notes: [],
    };
    const lines = (width: number) => formatPage([view], { ...screen, width }).split("\n");
    expect(lines(40)).toEqual(["visitors  page views  bounce rate", "     176       1,625            –"]);
    expect(lines(30)).toEqual(["visitors       176", "page views   1,625", "bounce rate      –"]);
  });

  it("breaks a text that may take several lines", () => {
    const view: View = {
      headline: "",
      columns: [
        { key: "check", label: "check", kind: "text" },
        { key: "detail", label: "detail", kind: "text", wraps: true },
      ],
      rows: [
        { check: "node", detail: "version 20.20.2; too old for a file" },
        { check: "source", detail: "made-up data" },
      ],
      notes: [],
    };
    expect(formatPage([view], { ...screen, width: 30 }).split("\n")).toEqual([
      "check   detail",
      "node    version 20.20.2; too",
      "        old for a file",
      "source  made-up data",
    ]);
    const [, ...lines] = formatPage(
      [{ ...view, rows: [{ check: "logs", detail: `in ${"/a/log".repeat(5)}: ${"w ".repeat(150)}end` }] }],
      { ...screen, width: 30 },
    ).split("\n");
    expect(lines.slice(0, 3)).toEqual(["logs   in", "       /a/log/a/log/a/log/a/lo", "       g/a/log:"]);
    expect(lines.at(-1)).toMatch(/end$/);
    expect(lines.join("")).not.toContain("…");
  });

  it("shows times as people read them", () => {
    const view: View = {
      headline: "",
      columns: [
        { key: "from", label: "month", kind: "month" },
        { key: "seen", label: "seen", kind: "time" },
      ],
      rows: [
        { from: "2026-05-28", seen: "2026-11-23T15:47:33-05:00" },
        { from: "2026-06-01", seen: "2026-11-23T15:47:33Z" },
        { from: "2026-07-01", seen: "▄▄██" },
      ],
      notes: [],
    };
    const times = ["2026-11-23 15:47", "2026-11-23 15:47", "▄▄██"];
    expect(
      formatPage([view], { ...screen, locale: "en-US" })
        .split("\n")
        .slice(1),
    ).toEqual(["May", "Jun", "Jul"].map((month, index) => `${month} 2026  ${times[index]}`));
  });

  it("has the same text with and without colours", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const [plain, coloured] = [false, true].map((color) => formatPage([view], { ...screen, color }));
        expect(stripVTControlCharacters(coloured ?? "")).toBe(plain);
      }),
    );
  });

  const list = (name: string): View => ({
    headline: "",
    columns: [
      { key: "label", label: name, kind: "text" },
      { key: "visitors", label: "visitors", kind: "count" },
      { key: "share", label: "share", kind: "percent", detail: true },
    ],
    rows: [{ label: "a text of some length", visitors: 1234, share: 5 }],
    notes: [],
    beside: true,
  });

  it.each([
    [60, 2],
    [80, 1],
    [120, 1],
  ])("in %i columns lays lists side by side in %i rows", (width, rows) => {
    const page = formatPage([list("one"), list("two"), list("three")], { ...screen, width });
    expect(page.split("\n\n")).toHaveLength(rows);
    expect(page.includes("5.0%")).toBe(width === 120);
  });

  it("without pictures has no blocks, arrows or empty chart lines", () => {
    const views: View[] = [
      { ...list("pages"), bars: "visitors", series },
      { headline: "Visitors a day: 1 2", columns: [], rows: [], notes: [], series },
    ];
    const page = formatPage(views, { ...screen, pictures: false });
    expect(page).toMatch(/^[\x20-\x7e\n]*$/);
    expect(page).toContain("visitors a day from 2026-11-01: 0 1 50 100 7 (today so far)");
  });

  it("draws a chart if the screen is high enough, else a sparkline", () => {
    const view = { ...list("date"), series };
    expect(formatPage([view], { ...screen, height: 24 })).toContain("└┬─");
    expect(formatPage([view], { ...screen, height: 23 })).not.toContain("└┬─");
    expect(formatPage([view], { ...screen, height: 23 })).toContain("··▁▁▄▄██▁▁");
  });
});

describe("a table longer than the screen", () => {
  it("has its chart below it", () => {
    const view = (days: number): View => ({
      headline: "",
      columns: [{ key: "visitors", label: "visitors", kind: "count" }],
      rows: Array.from({ length: days }, () => ({ visitors: 1 })),
      notes: [],
      series: { ...series, values: Array.from({ length: days }, () => 1) },
    });
    expect(formatPage([view(5)], screen).indexOf("└")).toBeLessThan(
      formatPage([view(5)], screen).indexOf("visitors\n"),
    );
    expect(formatPage([view(60)], screen)).toMatch(/visitors\n[\s\S]*└/);
  });
});

describe("comma-separated values", () => {
  const read = (text: string) => {
    const view: View = {
      headline: "",
      columns: [
        { key: "label", label: "pages", kind: "text" },
        { key: "change", label: "change", kind: "change" },
      ],
      rows: [{ label: text, change: -5 }],
      notes: [],
    };
    return formatCsv(view.columns, [view.rows]);
  };

  it.each([
    ["plain", "plain"],
    ['a "b", c', '"a ""b"", c"'],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    [" =1", `"' =1"`],
    ["＝1", "'＝1"],
    ["\t=1", "'=1"],
    ["\u200b=cmd|' /C calc'!A0", `"'=cmd|' /C calc'!A0"`],
    ["a\r\n=b", "a=b"],
    ["-", "'-"],
    ["/a;=1+1", `"/a;=1+1"`],
    ["';--", `"';--"`],
  ])("%j becomes %s, and numbers stay numbers", (text, cell) => {
    expect(read(text)).toBe(`label,change\n${cell},-5`);
  });

  it("no text can add a row or a cell, or become a formula", () => {
    fc.assert(
      fc.property(hostileCell, (text) => {
        const lines = read(text).split("\n");
        expect(lines).toHaveLength(2);
        const [, cell = ""] = /^("(?:[^"]|"")*"|[^",]*),-5$/.exec(lines[1] ?? "") ?? ["", undefined];
        expect(cell).not.toMatch(/^["\s]*[=+\-@]/);
      }),
    );
  });
});

describe("widths", () => {
  it.each([
    ["short", 10, "short"],
    ["exactly10!", 10, "exactly10!"],
    ["one too long", 11, "one too lo…"],
    ["日本語日本語", 6, "日本…"],
    ["🚀🚀🚀", 4, "🚀…"],
  ])("%s in %i columns is %s", (text, width, cut) => expect(truncate(text, width)).toBe(cut));

  it.each([
    ["access.log", 10, "access.log"],
    ["/var/log/nginx/access.log.1", 14, "…/access.log.1"],
    ["/日本語", 5, "…本語"],
  ])("of %s in %i columns, the end is %s", (text, width, cut) =>
    expect(truncateStart(text, width)).toBe(cut),
  );

  it("breaks lines only between words", () => {
    expect(wrap("one two three", 7)).toBe("one two\nthree");
    expect(wrap("one extraordinarily", 5, "  ")).toBe("one\n  extraordinarily");
  });

  it("colours text if the screen has colours, whatever the environment says", () => {
    expect(paint({ color: true }, "red", "x")).toBe("\u001b[31mx\u001b[39m");
    expect(paint({ color: false }, "red", "x")).toBe("x");
  });
});
