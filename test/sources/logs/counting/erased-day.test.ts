import { describe, expect, it } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../../src/operations/filter.ts";
import { createCheck } from "../../../../src/reports/check.ts";
import { findQuery } from "../../../../src/reports/queries.ts";
import { createLocalCall } from "../../../../src/sources/local-call.ts";
import {
  combined,
  createLogFolder,
  joinLines,
  LOG_NOW,
  openTestLogs,
  type Request,
} from "../../../support/logs.ts";

const MIDNIGHT = Date.parse("2026-11-21T00:00:00Z");
const HOUR = 3_600_000;
const VISITORS = 300;
const UTM = ["source", "medium", "campaign", "term", "content"];

/** One of many people: they read some forty pages and come from some twenty sites and three campaigns. */
const honest = (number: number): Request => ({
  at: MIDNIGHT + HOUR + 10_000 * number,
  address: `198.${number % 19}.${number}.7`.replace(/\.(\d{3,})\./, (_, part) => `.${Number(part) % 256}.`),
  target:
    number % 5 === 0 ? `/pricing?utm_source=letter-${number % 3}&utm_campaign=may` : `/page/${number % 40}`,
  referrer: number % 2 === 0 ? `https://site-${number % 20}.example/` : "-",
});

/** Just after midnight, before anybody comes. @param networkOf The network of a request. */
const makeFlood = (count: number, networkOf: (number: number) => string): Request[] =>
  Array.from({ length: count }, (_, number) => {
    const long = `${number}-${"x".repeat(290)}`;
    return {
      at: MIDNIGHT + 100 * number,
      address: `${networkOf(number)}.9`,
      target: `/${long}/${long}?${UTM.map((name) => `utm_${name}=${name}${long}`).join("&")}`,
      referrer: `https://h${number}.example/`,
    };
  });

function openFlooded(flood: readonly Request[]) {
  const people = Array.from({ length: VISITORS }, (_, number) => honest(number));
  const { path } = createLogFolder({ "access.log": joinLines(...[...flood, ...people].map(combined)) });
  return openTestLogs({ logs: [path("access.log")], acceptProxyAddresses: true });
}

describe("1,300 requests with long texts, just after midnight, from four addresses", () => {
  it("take no value from others", async () => {
    const flood = makeFlood(1_300, (number) => `203.${number % 4}.113`);
    const [flooded, quiet] = [openFlooded(flood), openFlooded([])];
    const read = async ({ rows }: typeof quiet, dimension: Dimension, start: string) =>
      (await rows(dimension)).filter(([value]) => `${value}`.startsWith(start));
    for (const [dimension, start] of VALUES) {
      const expected = await read(quiet, dimension, start);
      expect(expected.length).toBeGreaterThan(0);
      expect(await read(flooded, dimension, start)).toEqual(expected);
    }
    expect(await flooded.warnings()).toContain("folded");
  });
});

describe("a day of which pages were folded", () => {
  // Four visitors whose pages were folded, beside 300 of whom some viewed /pricing.
  const logs = openFlooded(makeFlood(1_300, (number) => `203.${number % 4}.113`));
  const call = createLocalCall(
    async () => logs.source,
    () => LOG_NOW,
  );
  const ask = (name: string, params: object, filter?: string) => {
    const query = findQuery(name);
    const options = filter === undefined ? {} : { filter: parseFilter([filter]) };
    return query.ask(call, query.params.parse({ site: "example.com", ...params }), options);
  };
  const span = { period: "2026-11-21" };

  it("gives a range for a filter, in totals, points and rows, and says so", async () => {
    const { result } = await ask("stats", { days: 1 }, "pages=/none");
    expect(result).toMatchObject({ visitors: 0, visitors_at_most: 4, pageviews: 0 });
    const { warnings } = result as { warnings: { code: string }[] };
    const warning = warnings.find(({ code }) => code === "folded_filter");
    expect(warning).toMatchObject({ values: { visitors: 0, visitors_at_most: 4, days: 1 } });
    expect(JSON.stringify(warnings)).not.toContain("no_such_value");
    expect((await ask("timeseries", { days: 1 }, "pages=/pricing")).result).toMatchObject({
      points: [{ visitors: 60, visitors_at_most: 64 }],
    });
    const { result: hours } = await ask("timeseries", { days: 1, interval: "hour" }, "pages=/none");
    const { points } = hours as { points: Record<string, unknown>[] };
    expect(points[0]).toMatchObject({ visitors: 0, visitors_at_most: 4 });
    expect(points[1]).not.toHaveProperty("visitors_at_most");
    const { result: rows } = await ask(
      "breakdown",
      { days: 1, dimension: "utm_campaigns" },
      "pages=/pricing",
    );
    expect(rows).toMatchObject({ rows: [{ value: "may", visitors: 60 }], totals: { visitors_at_most: 64 } });
    expect((await ask("stats", { days: 1 }, "channels=Direct")).result).not.toHaveProperty(
      "visitors_at_most",
    );
    const { result: overview, views } = await ask("overview", { period: "today" }, "pages=/none");
    expect(overview).toMatchObject({ visitors: 0, visitors_at_most: 4 });
    expect(views[0]?.rows[0]).toMatchObject({ current: "0–4" });
    expect(JSON.stringify([overview, views])).not.toMatch(/no_such_value|Nothing in these days/);
  });

  it.each([
    ["below what the range begins with", { below: 60 }, "not met"],
    ["below a number within the range: it cannot tell", { below: 62 }, "unknown"],
    ["below a number beyond the range", { below: 65 }, "met"],
    ["above a number within the range", { above: 62 }, "unknown"],
    ["a change from before the log begins", { change: { least: 10 } }, "learning"],
  ])("a check is by the whole range: %s", async (_, conditions, state) => {
    const query = createCheck(conditions);
    const options = { filter: parseFilter(["pages=/pricing"]) };
    const asked = query.params.parse({ site: "example.com", ...span, metric: "visitors" });
    const later = createLocalCall(
      async () => logs.source,
      () => LOG_NOW + 24 * HOUR,
    );
    const { result } = await query.ask(later, asked, options);
    expect(result).toMatchObject({ findings: [{ state }] });
    if (state === "met") expect(JSON.stringify(result)).toContain("64");
  });
});

it.each([
  ["below", { below: 60 }, "unknown"],
  ["below", { below: 1_000 }, "unknown"],
  ["above less", { above: 50 }, "met"],
  ["above more", { above: 62 }, "unknown"],
  ["an unusual number", { unusual: "normal" as const }, "unknown"],
])(
  "a check of a table exported from such logs, whose range is not known: %s",
  async (_, conditions, state) => {
    const logs = openFlooded(makeFlood(1_300, (number) => `203.${number % 4}.113`));
    const call = createLocalCall(
      async () => ({
        ...logs.source,
        days: async (...asked) => (await logs.source.days(...asked)).map(({ most: _, ...day }) => day),
        warnings: async () => [{ code: "folded_filter", detail: "Values were folded." }],
      }),
      () => LOG_NOW + 24 * HOUR,
    );
    const query = createCheck(conditions);
    const asked = query.params.parse({ site: "example.com", period: "2026-11-21" });
    const { result } = await query.ask(call, asked, { filter: parseFilter(["pages=/pricing"]) });
    expect(result).toMatchObject({ findings: [{ state }] });
    expect(JSON.stringify(result)).toContain(" had at least ");
  },
);

/** What the values of people begin with. */
const VALUES: [Dimension, string][] = [
  ["pages", "/p"],
  ["referrers", "site-"],
  ["utm_sources", "letter-"],
  ["utm_campaigns", "may"],
];
