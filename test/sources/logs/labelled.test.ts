import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { compareRows } from "../../../src/operations/row-order.ts";
import { dryRun } from "../../../src/sources/logs/command/dry-run.ts";
import { createCollector } from "../../../src/sources/logs/counting/collector.ts";
import { findLineDomain } from "../../../src/sources/logs/counting/request.ts";
import { readLogSettings } from "../../../src/sources/logs/open.ts";
import { createFileRegistry } from "../../../src/sources/logs/reading/file-registry.ts";
import type { LineSink } from "../../../src/sources/logs/reading/log-reader.ts";
import { openTestLogs } from "../../support/logs.ts";

/*
 * The definition of what counts, as an example: a log of three days, and beside it a table in which people wrote what each of
 * its lines is, and why. The days are those of Berlin; the second has 25 hours. What is expected is added up from the labels.
 */
const folder = resolve("test/sources/logs/labelled");
const flags = { logs: [`${folder}/access.log`], timezone: "Europe/Berlin", site: ["example.com"] };
const NOW = Date.parse("2026-10-27T12:00:00Z");
const DAYS = ["2026-10-24", "2026-10-25", "2026-10-26"];

const [header = "", ...rows] = readFileSync(`${folder}/labels.tsv`, "utf8").trimEnd().split("\n");
const names = header.split("\t");
const labels = rows.map((row) => {
  const cells = row.split("\t");
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
});
const lines = readFileSync(`${folder}/access.log`, "utf8").trimEnd().split("\n");

/** The day in Berlin of a line; the clocks went back at 01:00 UTC on the 25th. */
function dayOf(line: string): string {
  const [, date = "", hour = ""] = /\[(\d\d)\/Oct\/2026:(\d\d)/.exec(line) ?? [];
  const isNextDay = Number(hour) >= (Number(date) < 25 ? 22 : 23);
  return `2026-10-${Number(date) + (isNextDay ? 1 : 0)}`;
}

const labelled = labels.map(
  (label, index) => ({ ...label, day: dayOf(lines[index] ?? "") }) as Record<string, string>,
);
const views = labelled.filter(({ outcome }) => outcome === "page_view");
const downloads = labelled.filter(({ outcome }) => outcome === "download");

/** Rows by naive addition: the visitors of each day and value, and their page views. */
function addUp(
  of: readonly Record<string, string>[],
  days: readonly string[],
  valueIn: (view: Record<string, string>) => string,
) {
  const found = new Map<string, { visitors: Set<string>; hits: number }>();
  for (const view of of) {
    if (!days.includes(view.day ?? "")) continue;
    const value = valueIn(view);
    const row = found.get(value) ?? { visitors: new Set(), hits: 0 };
    row.visitors.add(`${view.day} ${view.visitor}`);
    row.hits++;
    found.set(value, row);
  }
  return [...found]
    .map(([value, { visitors, hits }]) => ({ value: value || null, visitors: visitors.size, hits }))
    .sort(compareRows)
    .map(({ value, visitors, hits }) => [value, visitors, hits]);
}

/** A visit's page views by time, which is the order of the log but for the lines that are said to be late. */
function pagesOf(visit: string | undefined): string[] {
  const time = (view: Record<string, string>) =>
    /2026:([\d:]+)/.exec(lines[Number(view.line) - 1] ?? "")?.[1] ?? "";
  return views
    .filter((view) => view.visit === visit)
    .sort((a, b) => (time(a) < time(b) ? -1 : 1))
    .map(({ page }) => page ?? "");
}

const readers: Partial<Record<Dimension, (view: Record<string, string>) => string>> = {
  pages: ({ page = "" }) => page,
  entry_pages: ({ visit }) => pagesOf(visit).at(0) ?? "",
  exit_pages: ({ visit }) => pagesOf(visit).at(-1) ?? "",
  hostnames: ({ host = "" }) => host,
  referrers: ({ referrer = "" }) => referrer,
  channels: ({ channel = "" }) => channel,
  utm_sources: ({ utm_source = "" }) => utm_source,
  utm_mediums: ({ utm_medium = "" }) => utm_medium,
  utm_campaigns: ({ utm_campaign = "" }) => utm_campaign,
  utm_terms: ({ utm_term = "" }) => utm_term,
  utm_contents: ({ utm_content = "" }) => utm_content,
  browsers: ({ browser = "" }) => browser,
  operating_systems: ({ operating_system = "" }) => operating_system,
  devices: ({ device = "" }) => device,
};

describe("the labelled log", () => {
  it("has a label for each line", () => {
    expect(labels.map(({ line }) => Number(line))).toEqual(lines.map((_, index) => index + 1));
    expect(lines.length).toBe(288);
  });

  it("each line counts as its label says", async () => {
    const found: string[] = [];
    const settings = readLogSettings(flags);
    const collector = createCollector(settings);
    const sink: LineSink = {
      ...collector,
      add: (line, content) => {
        const outcome = collector.add(line, content);
        const isHere =
          outcome === "no_request" || findLineDomain(line, undefined, undefined) === "example.com";
        found.push(isHere ? outcome : "other_host");
      },
    };
    await createFileRegistry(settings, sink, () => NOW).refresh();
    // Whose page views and downloads they are is known when the day is counted.
    const expected = labelled
      .filter(({ outcome }) => outcome !== "unreadable")
      .map(
        ({ line, outcome = "" }) =>
          `${line} ${outcome.replace(/^scanner_page_view$/, "page_view").replace("other_download", "download")}`,
      );
    const readable = labelled.filter(({ outcome }) => outcome !== "unreadable");
    expect(found.map((outcome, index) => `${readable[index]?.line} ${outcome}`)).toEqual(expected);
  });

  it("a dry run adds them up", async () => {
    const { outcomes, lines: total } = await dryRun(readLogSettings(flags), () => NOW);
    const counts = new Map<string, number>();
    for (const { outcome = "" } of labelled) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    expect(Object.fromEntries(outcomes.map(({ outcome, lines: count }) => [outcome, count]))).toEqual(
      Object.fromEntries(counts),
    );
    expect(total).toBe(lines.length);
  });

  it("visitors, page views and events of each day", async () => {
    const logs = openTestLogs(flags, { now: NOW });
    const found = await Promise.all(DAYS.map((day) => logs.count(day)));
    expect(found).toEqual([
      { visitors: 12, pageviews: 21, events: 2 },
      { visitors: 7, pageviews: 12, events: 0 },
      { visitors: 5, pageviews: 7, events: 2 },
    ]);
    expect(found).toEqual(
      DAYS.map((day) => ({
        visitors: new Set(views.filter((view) => view.day === day).map(({ visitor }) => visitor)).size,
        pageviews: views.filter((view) => view.day === day).length,
        events: downloads.filter((each) => each.day === day).length,
      })),
    );
  });

  it.each(Object.entries(readers))("%s, by day and of all days", async (dimension, readValue) => {
    const logs = openTestLogs(flags, { now: NOW });
    for (const days of [...DAYS.map((day) => [day]), DAYS]) {
      // The keys of `readers` are dimensions.
      const found = await logs.rows(dimension as Dimension, days.at(0), days.at(-1));
      expect(found).toEqual(addUp(views, days, readValue));
    }
  });

  it("dead links: the broken ones of people, and how many scanners asked for", async () => {
    const logs = openTestLogs(flags, { now: NOW });
    const span = { site: await logs.findSite(), from: DAYS[0] ?? "", to: DAYS.at(-1) ?? "", now: NOW };
    const found = await logs.source.notFound?.(span, 100);
    const missing = labelled.filter(({ outcome }) => outcome === "not_found");
    const ofScanners = missing.filter(({ why = "" }) => /^(?:three probes|16 of 20)/.test(why));
    const targets = missing
      .filter((label) => !ofScanners.includes(label))
      .map(({ line }) => /"GET (\S+)/.exec(lines[Number(line) - 1] ?? "")?.[1])
      .sort();
    expect(found?.rows.map(({ value, requests, visitors }) => [value, requests, visitors])).toEqual(
      targets.map((target) => [target, 1, 1]),
    );
    expect(found?.excluded.scanners).toBe(ofScanners.length);
    // The labels do not say what bots were answered.
    const ofBots = labelled.filter(
      ({ line, outcome }) => outcome === "bot" && /"GET \S+ \S+" 404/.test(lines[Number(line) - 1] ?? ""),
    );
    expect(found?.excluded.bots).toBe(ofBots.length);
  });

  it("events", async () => {
    const logs = openTestLogs(flags, { now: NOW });
    expect(await logs.rows("events", "2026-10-24", "2026-10-26")).toEqual(
      addUp(downloads, DAYS, () => "File Download"),
    );
  });
});
