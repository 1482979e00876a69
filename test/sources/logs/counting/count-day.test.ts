import { expect, it } from "vitest";
import { dimensions } from "../../../../src/operations/dimensions.ts";
import { createCollector } from "../../../../src/sources/logs/counting/collector.ts";
import { countDay, countOpen } from "../../../../src/sources/logs/counting/count-day.ts";
import type { DayCounts } from "../../../../src/sources/logs/counting/day-counts.ts";
import type { OpenDay } from "../../../../src/sources/logs/counting/open-day.ts";
import { readLogSettings } from "../../../../src/sources/logs/open.ts";
import { OTHER } from "../../../../src/sources/measure/definition.ts";
import { CHROME, FIREFOX } from "../../../support/logs.ts";

const START = Date.UTC(2026, 10, 1) / 1_000;

/** A day of visitors, and of one sender who asks for so many pages with so many campaigns that they are folded. */
function createDay(floods: number, target: (number: number) => string): OpenDay {
  const settings = readLogSettings({ logs: ["access.log"], site: ["example.com"], timezone: "UTC" });
  const { add, sites } = createCollector(settings);
  const send = (address: string, agent: string, target: string, second: number, status = 200) => {
    const line = { time: START + second, address, method: "GET", target, status, referrer: "", agent };
    add(line, { site: undefined });
  };
  for (let number = 0; number < 300; number++) {
    send(`192.0.2.${number % 100}`, number % 3 === 0 ? CHROME : FIREFOX, `/page-${number % 7}`, 200 * number);
    if (number % 50 === 0) send("192.0.2.1", FIREFOX, "/gone", 200 * number, 404);
  }
  for (let number = 0; number < floods; number++) send("198.51.100.1", CHROME, target(number), number);
  // A visit each, since there is more than half an hour between them.
  for (let visit = 1; visit < 30 && floods > 0; visit++)
    send("198.51.100.1", CHROME, target(floods + visit), 2_000 * visit);
  send("192.0.2.7", FIREFOX, "/report.pdf", 80_000);
  const day = sites.get("example.com")?.open.get("2026-11-01")?.load();
  if (day === undefined) throw new Error("The day is not open.");
  return day;
}

const describeTables = ({ tables, ...summary }: DayCounts) => ({
  ...summary,
  tables: dimensions.map((dimension) => tables.tallies(dimension)),
  crawlers: tables.crawlers(),
  notFound: tables.notFound(),
});

it.each([
  ["nothing was folded", 0, () => "/", []],
  [
    "pages were folded",
    2_010,
    (number: number) => `/many/${number}/${"x".repeat(99)}`,
    ["pages", "entry_pages", "exit_pages"],
  ],
  ["campaigns were folded", 2_010, (number: number) => `/?utm_term=${number}`, ["utm_terms"]],
])(
  "the tables of an open day, counted later, are those of the day when it is closed: %s",
  (_, floods, target, folded) => {
    const day = createDay(floods, target);
    const [open, { counts: closed }] = [countOpen(day), countDay(day, "UTC")];
    expect(describeTables(open)).toEqual(describeTables(closed));
    expect(closed.folded).toEqual(expect.arrayContaining(folded));
    // What the summary says is what the tables have.
    const inTables = dimensions.filter((name) => closed.tables.tallies(name)?.values.includes(OTHER));
    expect(closed.folded).toEqual(inTables);
  },
);

it("what comes after an open day was counted is not in its tables", () => {
  const day = createDay(0, () => "/");
  const open = countOpen(day, START + 30_000);
  const whole = countOpen(day);
  expect(open.totals.pageviews).toBeLessThan(whole.totals.pageviews);
  const sum = (counts: DayCounts) =>
    Array.from(counts.tables.tallies("pages")?.hits ?? []).reduce((total, hits) => total + hits, 0);
  expect(sum(open)).toBe(open.totals.pageviews);
  expect(sum(whole)).toBe(whole.totals.pageviews);
});
