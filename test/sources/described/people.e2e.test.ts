import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../src/errors.ts";
import { findQuery } from "../../../src/reports/queries.ts";
import { createServiceCall, reachService } from "../../../src/sources/service-source.ts";
import { connectInProcess } from "../../support/clients.ts";
import { createHome } from "../../support/profiles.ts";
import { runShell } from "../../support/shell.ts";
import { createService as createOne, KEYS as keysOfOne } from "./people/one.js";
import { createService as createThree, KEYS as keysOfThree } from "./people/three.js";
import { createService as createTwo, KEYS as keysOfTwo } from "./people/two.js";

/*
 * Three services by people who were shown the specification alone, with the questions that they asked of them and the answers
 * that they expect: an envelope, camel case and a whole description; bare arrays, days left out and a thin description; series
 * for a chart and no description.
 */

const NOW = Date.parse("2026-11-20T15:30:00Z");
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

interface Person {
  createService: (options: { now: never }) => Server;
  KEYS: Record<string, string>;
}

async function connect({ createService, KEYS }: Person) {
  const server = createService({ now: new Date(NOW) as never });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  const reach = await reachService({}, { baseUrl });
  const key = KEYS[Object.keys(KEYS)[0] ?? ""] ?? "";
  const call = createServiceCall(undefined, {
    readTarget: () => reach(key),
    clock: () => NOW,
    environment: {},
  });
  const ask = async (name: string, params: Record<string, unknown>) => {
    const query = findQuery(name);
    const usesDefaultDays = params.days === undefined && params.period === undefined;
    const { result } = await query.ask(call, query.params.parse(params), { usesDefaultDays });
    // Each answer has the members that its question is about.
    return result as Answer;
  };
  const environment = { ...createHome(), ANALYTICS_BASE_URL: baseUrl, ANALYTICS_API_KEY: key };
  const run = (...argv: string[]) => runShell(argv, { environment, clock: () => NOW });
  return { ask, run, call };
}

interface Counts {
  visitors?: number;
  pageviews?: number;
  events?: number;
}

interface Answer extends Counts {
  points?: (Counts & { date: string; missing?: true })[];
  rows?: (Counts & { value: string; label: string })[];
  current?: Counts;
  change?: { pageviews: { absolute: number | null } };
}

const sumViews = (points: Answer["points"] = []) =>
  points.reduce((sum, { pageviews = 0 }) => sum + pageviews, 0);
const listRows = ({ rows = [] }: Answer, count: "visitors" | "pageviews" | "events") =>
  rows.map((row) => [row.value, row[count]]);

interface Questions {
  person: Person;
  /** The site that most questions are about, and another one by its name. */
  site: string;
  other: string;
  foreign: string;
  week: number;
  pages: [count: "visitors" | "pageviews", rows: [string, number][]];
  best: [string, number];
  fortnight: [current: number, previous: number];
  active: number;
  month: [visitors: number, pageviews: number, events: number];
  countries: [string, number][];
  odd: [site: string, dimension: string, count: "visitors" | "events", rows: [string, number][]];
  long: [site: string, days: number, visitors: number, pageviews: number];
}

const people: [string, Questions][] = [
  [
    "an envelope and camel case",
    {
      person: { createService: createOne, KEYS: keysOfOne },
      site: "northwind.example",
      other: "Northwind Docs",
      foreign: "a27f5c91-8d30-4e1b-94c6-3b8d0f6e52c7",
      week: 5052,
      pages: [
        "visitors",
        [
          ["/", 10_028],
          ["/pricing", 6458],
          ["/features", 5175],
        ],
      ],
      best: ["2026-11-19", 996],
      fortnight: [12_859, 14_072],
      active: 8,
      month: [7362, 22_393, 2471],
      countries: [
        ["US", 6473],
        ["DE", 2824],
        ["GB", 2012],
      ],
      odd: [
        "shop.northwind.example",
        "utm_campaigns",
        "visitors",
        [
          ["black-friday", 202],
          ["holiday-preview", 151],
          ["creator-collab", 112],
          ["abandoned-cart", 76],
        ],
      ],
      long: ["northwind.example", 90, 34_097, 109_499],
    },
  ],
  [
    "bare arrays, days left out, a thin description",
    {
      person: { createService: createTwo, KEYS: keysOfTwo },
      site: "northlight.shop",
      other: "Northlight Help",
      foreign: "harbourcafe.co.uk",
      week: 2616,
      pages: [
        "visitors",
        [
          ["/", 5121],
          ["/lamps", 3742],
          ["/lamps/arc-floor", 2758],
        ],
      ],
      best: ["2026-11-16", 486],
      fortnight: [6670, 6744],
      active: 3,
      month: [2185, 6490, 1081],
      countries: [
        ["DE", 3018],
        ["GB", 1664],
        ["US", 1351],
      ],
      odd: ["help.northlight.shop", "events", "events", [["ticket_opened", 268]]],
      long: ["northlight.shop", 365, 18_081, 59_532],
    },
  ],
  [
    "series for a chart, no description",
    {
      person: { createService: createThree, KEYS: keysOfThree },
      site: "kestrelbikes.com",
      other: "Kestrel Journal",
      foreign: "1060",
      week: 4325,
      pages: [
        "pageviews",
        [
          ["/", 14_213],
          ["/bikes", 8439],
          ["/bikes/gravel-one", 6695],
        ],
      ],
      best: ["2026-11-18", 1475],
      fortnight: [12_402, 11_257],
      active: 5,
      month: [4919, 16_451, 2691],
      countries: [
        ["DE", 5554],
        ["AT", 1871],
        ["CH", 1598],
      ],
      odd: [
        "kestrelbikes.com",
        "utm_campaigns",
        "visitors",
        [
          ["black_friday_early", 1486],
          ["autumn_sale", 1119],
          ["gravel_launch", 736],
        ],
      ],
      long: ["help.kestrelbikes.com", 60, 2581, 11_937],
    },
  ],
];

describe.each(people)("a service by somebody who had the specification alone: %s", (_, asked) => {
  const opened = connect(asked.person);
  const { site } = asked;

  it("tells the visitors of a week, each counted once", async () => {
    const { ask } = await opened;
    expect((await ask("stats", { site, days: 7 })).visitors).toBe(asked.week);
  });

  it("ranks pages and countries", async () => {
    const { ask } = await opened;
    const [count, rows] = asked.pages;
    expect(listRows(await ask("breakdown", { site, dimension: "pages", limit: 3 }), count)).toEqual(rows);
    const countries = await ask("breakdown", { site, dimension: "countries", limit: 3 });
    expect(listRows(countries, "visitors")).toEqual(asked.countries);
  });

  it("has a series, its best day, and page views of two weeks", async () => {
    const { ask } = await opened;
    const { points = [] } = await ask("timeseries", { site, days: 14 });
    const [best] = points.slice(-7).toSorted((a, b) => (b.visitors ?? 0) - (a.visitors ?? 0));
    expect([best?.date, best?.visitors]).toEqual(asked.best);
    expect([sumViews(points.slice(-7)), sumViews(points.slice(0, 7))]).toEqual(asked.fortnight);
  });

  it("compares page views of complete weeks, and leaves out visitors that do not add up", async () => {
    const { ask } = await opened;
    const { points } = await ask("timeseries", { site, days: 15 });
    const { current, change } = await ask("compare", { site });
    expect(current?.pageviews).toBe(sumViews(points?.slice(-8, -1)));
    expect(current?.visitors).toBeUndefined();
    expect(change?.pageviews.absolute).toBe(sumViews(points?.slice(-8, -1)) - sumViews(points?.slice(0, 7)));
  });

  it("knows who is online, another site by its name, an odd dimension and a long period", async () => {
    const { ask } = await opened;
    expect((await ask("realtime", { site })).visitors).toBe(asked.active);
    const { visitors, pageviews, events } = await ask("stats", { site: asked.other, days: 30 });
    expect([visitors, pageviews, events]).toEqual(asked.month);
    const [where, dimension, count, rows] = asked.odd;
    expect(listRows(await ask("breakdown", { site: where, dimension }), count)).toEqual(
      expect.arrayContaining(rows),
    );
    const [long, days, most, views] = asked.long;
    expect(await ask("stats", { site: long, days })).toMatchObject({ visitors: most, pageviews: views });
  });

  it("has an overview, with the data of its chart", async () => {
    const { ask, call, run } = await opened;
    const { points = [] } = await ask("timeseries", { site, days: 28 });
    const { visitors } = await ask("stats", { site, days: 28 });
    const client = await connectInProcess({ call });
    const { structuredContent, _meta } = await client.callTool("get_overview", { site });
    await client.close();
    expect(structuredContent).toMatchObject({ visitors, active_now: asked.active });
    const [pages] = asked.pages[1];
    expect(_meta?.["analytics-mcp/chart"]).toMatchObject({
      trend: {
        visitors: points.map((point) => point.visitors),
        pageviews: points.map((point) => point.pageviews),
      },
      top: expect.arrayContaining([
        expect.objectContaining({
          dimension: "pages",
          rows: expect.arrayContaining([
            expect.objectContaining({ value: pages?.[0], [asked.pages[0]]: pages?.[1] }),
          ]),
        }),
      ]),
    });
    // Its totals are not compared because its visitors do not add up, and not for want of days.
    expect((await run("overview", "--site", site)).stderr).not.toContain("no days before");
  });

  it("has a report, and can be checked", async () => {
    const { ask, run } = await opened;
    const { visitors, pageviews } = await ask("stats", { site, days: 28 });
    const report = await run("report", "--site", site, "-o", "-");
    expect(report.code).toBe(0);
    const tiles = [...report.stdout.matchAll(/class="value">(.*?)</g)].map(([, shown]) => shown);
    const { format } = new Intl.NumberFormat("en-US");
    expect(tiles.slice(0, 2)).toEqual([format(visitors ?? -1), format(pageviews ?? -1)]);
    const yesterday = (await ask("stats", { site, period: "yesterday" })).visitors ?? 0;
    const quiet = await run("check", "--site", site, "--below", String(yesterday));
    expect(quiet).toMatchObject({ code: 0, stdout: "" });
    const found = await run("check", "--site", site, "--below", String(yesterday + 1));
    expect(found.code).toBe(7);
    expect(found.stdout).toContain(` ${yesterday} visitors`);
  });

  it("refuses what belongs to somebody else, and breakdowns of days that it does not take", async () => {
    const { ask } = await opened;
    const error = await ask("stats", { site: asked.foreign, days: 7 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnalyticsError);
    expect(error).toMatchObject({ code: "site_not_found" });
    await expect(ask("breakdown", { site, dimension: "pages", days: 7 })).rejects.toThrow(
      "lists take no days",
    );
  });
});
