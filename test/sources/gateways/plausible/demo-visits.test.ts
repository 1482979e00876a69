import { afterAll, beforeAll, expect, it } from "vitest";
import { listDays } from "../../../../src/operations/days.ts";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../../src/operations/filter.ts";
import type { DataSource, RankedRow, Span } from "../../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../../src/sources/demo/organizations.ts";
import { isOfVisitsAlone } from "../../../../src/sources/gateways/plausible/dimensions.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { startPlausible } from "./plausible-server.ts";

let server: Awaited<ReturnType<typeof startPlausible>>;
let demo: DataSource;
/** Whose sites are asked for. Each test opens another one, whose quota is its own. */
let first: DataSource;
beforeAll(async () => {
  server = await startPlausible(DATES);
  demo = await openDemoSource({ clock: () => LOG_NOW });
  first = await server.open();
});
afterAll(() => server.close());

/** Days of 23, 24 and 25 hours and today, in timezones on both sides of UTC. */
const SPANS = [
  ["example.com", "2026-10-24", "2026-10-26"],
  ["example.com", "2026-03-28", "2026-03-29"],
  ["example.com", "2026-11-19", "2026-11-21"],
  ["docs.example.com", "2026-10-31", "2026-11-02"],
  ["shop.example.net", "2026-11-06", "2026-11-09"],
  ["parked.example", "2026-11-01", "2026-11-02"],
] as const;

const DATES = [...new Set(SPANS.flatMap(([, from, to]) => listDays(from, to)))].sort();

const findSpan = async (
  source: DataSource,
  [domain, from, to]: readonly [string, string, string],
): Promise<Span> => {
  const site = (await source.sites()).find((each) => each.domain === domain);
  if (site === undefined) throw new Error(`There is no ${domain}.`);
  return { site, from, to, now: LOG_NOW };
};

const withoutVisits = <T extends object>(counts: T) => {
  const { visits, bounces, visitSeconds, ...rest } = counts as T & Partial<RankedRow>;
  return rest;
};

async function readAll(source: DataSource, asked: Span, dimensions: readonly Dimension[]) {
  const breakdowns = await Promise.all(
    dimensions.map(async (dimension) => {
      // Entry and exit pages take a request for each row.
      const limit = isOfVisitsAlone(dimension) ? 8 : 50;
      const { rows, totalRows, warnings } = await source.breakdown(asked, dimension, limit);
      const isNamed = dimension === "regions" || dimension === "cities";
      const shown = rows.map(({ label, value, ...row }) => ({
        // Two of the demo's referrers are no hosts.
        value: dimension === "referrers" ? (value?.split("/")[0] ?? null) : value,
        ...withoutVisits(row),
        ...(isNamed && { label }),
      }));
      return [dimension, { rows: shown, totalRows, warnings: warnings ?? [] }] as const;
    }),
  );
  return {
    days: (await source.days(asked)).map(withoutVisits),
    hours: (await source.hours?.(asked))?.map(withoutVisits),
    breakdowns: Object.fromEntries(breakdowns.map(([name, { warnings, ...rest }]) => [name, rest])),
    warnings: breakdowns.flatMap(([, { warnings }]) => warnings),
  };
}

it.each(SPANS)("answers about %s from %s to %s as the demo does", async (...asked) => {
  const source = await server.open();
  const span = await findSpan(first, asked);
  const dimensions = (await source.dimensions?.(span.site)) ?? [];
  expect(dimensions).toHaveLength(18);
  const inDemo = await readAll(demo, await findSpan(demo, asked), dimensions);
  expect(await readAll(source, span, dimensions)).toEqual(inDemo);
  expect(inDemo.days.some(({ visitors = 0 }) => visitors > 0)).toBe(asked[0] !== "parked.example");
});

const FILTERS = [
  ["countries=DE|AT"],
  ["countries!=DE", "devices=desktop"],
  ["countries="],
  ["countries=D*|US"],
  ["countries!="],
  ["regions=DE-*", "cities!=2950159"],
  ["cities=|2950159"],
  ["cities=Berlin"],
  ["devices=*o*"],
  ["devices!=mobile|"],
  ["referrers=google.com|"],
  ["referrers!=*.com"],
  ["referrers=*"],
  ["channels=AI assistants|Paid*"],
  ["channels!=*"],
  ["utm_sources=", "browsers!=Chrome"],
  ["utm_sources=*", "operating_systems=*"],
  ["pages=/docs*"],
  ["pages!=/"],
  ["pages=/|*ric*"],
  ["pages!=/|*ric*"],
  ["hostnames=example.com"],
  ["hostnames!=*.example.com"],
  ["visit:pages=/pricing"],
  ["visit:pages!=/|/docs/*", "countries=*"],
  ["visit:hostnames=app.*|example.com"],
  ["visit:events=signup|*load*"],
  ["visit:events!=signup"],
  ["events=signup|download"],
  ["events=*o*", "devices=mobile"],
  ["entry_pages=/", "pages!=/"],
  ["exit_pages!=/pricing|/docs*"],
];
const ASKED = ["pages", "countries", "devices", "events", "hostnames"] as const;

it.each(FILTERS.map((texts) => [texts]))("keeps the same of %s as the demo", async (texts) => {
  const source = await server.open();
  const filter = parseFilter(texts);
  const dimensions = texts.length > 1 ? [...ASKED, "entry_pages" as const] : ASKED;
  const asked = ["example.com", "2026-10-25", "2026-10-25"] as const;
  const inDemo = await readAll(demo, { ...(await findSpan(demo, asked)), filter }, dimensions);
  const read = await readAll(source, { ...(await findSpan(first, asked)), filter }, dimensions);
  expect(withoutWarnings(read)).toEqual(withoutWarnings(inDemo));
});

const withoutWarnings = ({ warnings, ...rest }: Awaited<ReturnType<typeof readAll>>) => rest;

it("counts who is there now, also of a part", async () => {
  const source = await server.open();
  const { site } = await findSpan(first, SPANS[0]);
  const { site: inDemo } = await findSpan(demo, SPANS[0]);
  for (const at of ["2026-11-20T15:02:00Z", "2026-11-20T23:02:00Z"])
    for (const filter of [undefined, parseFilter(["countries=DE"]), parseFilter(["pages!=/"])]) {
      const now = Date.parse(at);
      expect(await source.active(site, now, undefined, filter)).toBe(
        await demo.active(inDemo, now, undefined, filter),
      );
    }
  expect(await source.active(site, Date.parse("2026-11-20T15:02:00Z"))).toBeGreaterThan(0);
});

it("refuses to ask what those who are there did before the last five minutes, which it would not look at", async () => {
  const [source, { site }] = [await server.open(), await findSpan(first, SPANS[0])];
  const asked = source.active(site, LOG_NOW, undefined, parseFilter(["countries=DE", "visit:pages!=/"]));
  await expect(asked).rejects.toMatchObject({ code: "invalid_parameter" });
  await expect(asked).rejects.toThrow('"visit:pages!=/" for who is there now');
});

it("knows since when there is data, and the sites in order", async () => {
  const sites = await first.sites();
  expect(
    sites.map(({ domain, timezone, dataSince }) => [domain, timezone, dataSince]),
  ).toMatchInlineSnapshot(`
    [
      [
        "docs.example.com",
        "America/New_York",
        "2026-03-28",
      ],
      [
        "example.com",
        "Europe/Berlin",
        "2026-03-28",
      ],
      [
        "news.example.org",
        "Pacific/Auckland",
        "2026-11-19",
      ],
      [
        "parked.example",
        "Asia/Kathmandu",
        null,
      ],
      [
        "shop.example.net",
        "Asia/Tokyo",
        "2026-03-28",
      ],
    ]
  `);
});
