import fc from "fast-check";
import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import { POINTS, type View } from "../../src/operations/view.ts";
import { cleanText, formatJson } from "../../src/render/clean-text.ts";
import { cleanValue } from "../../src/render/clean-value.ts";
import { formatCsv } from "../../src/render/csv.ts";
import { formatTable } from "../../src/render/terminal-table.ts";
import { formatTsv } from "../../src/render/tsv.ts";
import { anyText } from "./any-text.ts";

const hostile = [
  ["an escape sequence", "/\u001b[2J\u001b[31mred", "/[2J[31mred"],
  ["a C1 control", "a\u009b31mb", "a31mb"],
  ["a line break", "a\r\nb\u2028c\u2029d\u0085e", "abcde"],
  ["a tab", "a\tb", "ab"],
  ["a right-to-left override", "evil\u202egpj.exe", "evilgpj.exe"],
  ["isolates", "\u2066a\u2069", "a"],
  ["zero width", "a\u200bb\u200c\u200d\ufeff\u2060c", "abc"],
  ["tag characters", "a\u{e0041}\u{e0042}b", "ab"],
  ["variation selectors", "a\ufe0fb\u{e0100}", "ab"],
  ["blank letters", "a\u3164b\u115f", "ab"],
  ["a lone surrogate", "a\ud800b", "ab"],
  ["private use", "a\ue000b", "ab"],
] as const;

describe("visitors' text is cleaned on output", () => {
  it.each(hostile)("%s", (_, raw, clean) => {
    expect(cleanText(raw)).toBe(clean);
    expect(JSON.parse(formatJson({ raw }))).toEqual({ raw });
    expect(formatJson({ raw })).toMatch(/^[\x20-\x7e]*$/);
  });

  it("other scripts and emoji stay", () => {
    for (const text of ["日本語", "Ελλάδα", "عربى", "🚀", "naïve – “quoted”"])
      expect(cleanText(text)).toBe(text);
  });

  it("length is capped in whole characters", () => {
    expect(cleanText("x".repeat(200))).toHaveLength(200);
    const capped = cleanText("🚀".repeat(500));
    expect([...capped]).toHaveLength(200);
    expect(capped.endsWith("🚀…")).toBe(true);
  });

  it("no text can move a cursor or forge a row or a cell", () => {
    fc.assert(
      fc.property(anyText(300), (text) => {
        expect(cleanText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect([...cleanText(text)].length).toBeLessThanOrEqual(200);
        expect(cleanText(cleanText(text))).toBe(cleanText(text));
        expect(JSON.parse(formatJson(text, 2))).toBe(text);
      }),
    );
  });

  it("values are cleaned, including the names of members", () => {
    expect(cleanValue({ "a\u200b": ["b\u001b", { c: "d\n", e: 1, f: null, g: true }] })).toEqual({
      a: ["b", { c: "d", e: 1, f: null, g: true }],
    });
  });
});

const view: View = {
  headline: "pages",
  columns: [
    { key: "value", label: "value", kind: "text", machine: true },
    { key: "label", label: "pages", kind: "text" },
    { key: "visitors", label: "visitors", kind: "count" },
    { key: "percentage", label: "percentage", kind: "percent" },
  ],
  rows: [
    { value: "/", label: "/", visitors: 12_345, percentage: 60 },
    { value: null, label: "(none)", visitors: 7, percentage: 0.1 },
    { value: "/日本語/🚀", label: "/日本語/🚀", visitors: 0, percentage: 12.3 },
    { value: "a\tb\r\nc\u001b[2J", label: "a\tb\r\nc\u001b[2J", visitors: 1, percentage: 0 },
  ],
  notes: [],
};

const screen = { width: 80, height: 24, color: false, pictures: true, locale: "en-US" };

describe("a table", () => {
  it("is aligned for people, with wide characters too", () => {
    const lines = formatTable(view, screen);
    expect(lines).toEqual([
      "pages       visitors  percentage",
      "/             12,345       60.0%",
      "(none)             7        0.1%",
      "/日本語/🚀         0       12.3%",
      "abc[2J             1        0.0%",
    ]);
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
  });

  it("has no cell that looks like two", () => {
    const label = "/a     99,999\u3000\u2800\u00a0 5";
    const [, line] = formatTable(
      { ...view, rows: [{ value: label, label, visitors: 1, percentage: 0 }] },
      screen,
    );
    expect(line?.split(/\s{2,}/)).toEqual(["/a 99,999 5", "1", "0.0%"]);
  });

  it("groups the digits of ranges, too", () => {
    const columns = [{ key: "visitors", label: "visitors", kind: "count" }] as const;
    const rows = [{ visitors: "1217–13000" }, { visitors: "1200.5–1300 more" }];
    expect(formatTable({ ...view, columns: [...columns], rows }, { ...screen, locale: "de-DE" })).toEqual([
      "          visitors",
      "      1.217–13.000",
      "1.200,5–1.300 more",
    ]);
  });

  it("shows no percentage as zero that is not zero", () => {
    const columns = [{ key: "percentage", label: "share", kind: "percent" }] as const;
    const rows = [0.033, 0.0004, 0, 0.1, 100].map((percentage) => ({ percentage }));
    const lines = formatTable({ ...view, columns: [...columns], rows }, { ...screen, locale: "de-DE" });
    expect(lines.map((line) => line.trim())).toEqual([
      "share",
      "0,033 %",
      "0,0004 %",
      "0,0 %",
      "0,1 %",
      "100,0 %",
    ]);
  });

  it("groups digits as the reader's locale does", () => {
    expect(formatTable(view, { ...screen, locale: "de-DE" }).join("\n")).toContain("12.345");
  });
});

describe("tab-separated values", () => {
  it("have a header, raw numbers and one line per row", () => {
    expect(formatTsv(view.columns, [view.rows]).split("\n")).toEqual([
      "value\tlabel\tvisitors\tpercentage",
      "/\t/\t12345\t60",
      "\t(none)\t7\t0.1",
      "/日本語/🚀\t/日本語/🚀\t0\t12.3",
      "abc[2J\tabc[2J\t1\t0",
    ]);
  });

  it("guard text that a spreadsheet would run, but not numbers", () => {
    const columns = [
      { key: "label", label: "pages", kind: "text" },
      { key: "change", label: "change", kind: "change" },
    ] as const;
    const labels = ["=1+1", "@SUM(A1)", "\u200b+1", "/=1", '"=1+1"', '\u200b"', '/"'];
    const rows = labels.map((label) => ({ label, change: -5 }));
    expect(formatTsv(columns, [rows]).split("\n").slice(1)).toEqual([
      "'=1+1\t-5",
      "'@SUM(A1)\t-5",
      "'+1\t-5",
      "/=1\t-5",
      `'"=1+1"\t-5`,
      `'"\t-5`,
      '/"\t-5',
    ]);
    expect(formatTsv(columns, [rows], { forReaders: true })).toContain("\n=1+1\t-5\n");
  });

  it.each([
    [0.7, "0.7 points higher"],
    [-16.7, "16.7 points lower"],
    [1, "1 point higher"],
    [-1, "1 point lower"],
    [0, "0 points"],
  ])("have %s percentage points as a number, and readers as words", (change, words) => {
    const columns = [{ key: "change", label: "change", kind: "change" }] as const;
    const rows = [{ change, unit: POINTS }];
    expect(formatTsv(columns, [rows])).toBe(`change\n${change}`);
    expect(formatCsv(columns, [rows])).toBe(`change\n${change}`);
    expect(formatTsv(columns, [rows], { forReaders: true })).toBe(`change\n${words}`);
    const shown = { headline: "", columns: [...columns], rows, notes: [] };
    const painted = { ...screen, color: true };
    expect(formatTable(shown, painted)[1]?.trim()).toBe(words);
  });

  it("are times and decimals for people, and numbers for programs", () => {
    const columns = [
      { key: "label", label: "measure", kind: "text" },
      { key: "current", label: "current", kind: "count" },
      { key: "change", label: "change", kind: "change" },
      { key: "percent", label: "percent", kind: "percent_change" },
    ] as const;
    const rows = [
      { label: "views/visit", current: 2.6, change: -0.01, percent: -0.4, unit: "hundredths" },
      { label: "seconds/visit", current: 193, change: -71, percent: -36.8, unit: "seconds" },
      { label: "visitors a day", current: 20, change: 1, percent: null, unit: "tenths" },
    ];
    const shown = { headline: "", columns: [...columns], rows, notes: [] };
    const lines = formatTable(shown, { ...screen, color: true }).map((line) =>
      line.replaceAll("\u001b[31m", "<").replaceAll("\u001b[32m", "<").replaceAll("\u001b[39m", ">"),
    );
    expect(lines.slice(1)).toEqual([
      // A change of less than 1 % is not red.
      "views/visit         2.60      -0.01   ▼ -0.4%",
      "time/visit      3 m 13 s  <-1 m 11 s>  <▼ -36.8%>",
      "visitors a day      20.0  <     +1.0>         –",
    ]);
    expect(formatTsv(columns, [rows])).toContain("\nseconds/visit\t193\t-71\t-36.8\n");
  });

  it("leave out columns for programs when meant for readers", () => {
    expect(formatTsv(view.columns, [view.rows], { forReaders: true }).split("\n")[0]).toBe(
      "pages\tvisitors\tpercentage",
    );
  });
});
