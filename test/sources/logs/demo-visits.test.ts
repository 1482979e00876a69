import { describe, expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import type { Span } from "../../../src/sources/data-source.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { listRequests, readLoggableFixtures } from "../../support/demo-logs.ts";
import { writtenFormats } from "../../support/log-formats.ts";
import { createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";

const fixtures = readLoggableFixtures();
const demo = await openDemoSource({ clock: () => LOG_NOW, fixtures });

const ALWAYS: Dimension[] = [
  ...(["pages", "entry_pages", "exit_pages", "utm_sources", "utm_mediums", "utm_campaigns"] as const),
  ...(["utm_terms", "utm_contents"] as const),
];
const CARRIED: Record<string, Dimension[]> = {
  referrers: ["referrers", "channels"],
  agents: ["browsers", "operating_systems", "devices"],
  languages: ["languages"],
  hostnames: ["hostnames"],
};

/** The demo's visits on some days of a site as a log of a format, and both sides' answers about them. */
async function compare(format: string, domain: string, from: string, to: string) {
  const written = writtenFormats[format];
  if (written === undefined) throw new Error(`Nobody writes ${format}.`);
  const site = (await demo.sites()).find((each) => each.domain === domain);
  if (site === undefined) throw new Error(`The demo has no ${domain}.`);
  const dates = Array.from({ length: 400 }, (_, day) => addDays(from, day)).filter((date) => date <= to);
  const requests = listRequests(fixtures, site, dates, LOG_NOW);
  const lines = [...(written.header === undefined ? [] : [written.header]), ...requests.map(written.write)];
  const { path } = createLogFolder({ "access.log": joinLines(...lines) });
  const logs = openTestLogs({
    logs: [`${domain}=${path("access.log")}`],
    site: undefined,
    timezone: site.timezone,
    ...written.flags,
  });
  const logged = await logs.findSite(domain);
  const spanOf = (one: typeof site): Span => ({ site: one, from, to, now: LOG_NOW });
  const dimensions = [...ALWAYS, ...written.carries.flatMap((each) => CARRIED[each] ?? [])];
  const strip = (days: readonly { date: string; visitors: number; pageviews: number }[]) =>
    days.map(({ date, visitors, pageviews }) => ({ date, visitors, pageviews }));
  return {
    requests,
    dimensions,
    outcomes: logs.outcomes(),
    recorded: await logs.source.dimensions?.(logged),
    demoDays: strip(await demo.days(spanOf(site))),
    days: strip(await logs.source.days(spanOf(logged))),
    ask: async (dimension: Dimension) => {
      const rows = async (source: typeof demo, one: typeof site) =>
        (await source.breakdown(spanOf(one), dimension, 1000)).rows.map(({ value, visitors, hits }) => ({
          value,
          visitors,
          hits,
        }));
      return { demo: await rows(demo, site), logs: await rows(logs.source, logged) };
    },
  };
}

async function expectEqual(format: string, domain: string, from: string, to: string) {
  const both = await compare(format, domain, from, to);
  expect(both.requests.length).toBeGreaterThan(50);
  expect(both.outcomes).toEqual({ page_view: both.requests.length });
  expect(both.days).toEqual(both.demoDays);
  expect([...(both.recorded ?? [])].sort()).toEqual([...both.dimensions, "events"].sort());
  for (const dimension of both.dimensions) {
    const { demo: expected, logs } = await both.ask(dimension);
    expect({ dimension, rows: logs }).toEqual({ dimension, rows: expected });
  }
}

describe("the demo's visits, written as a log, give the demo's numbers", () => {
  // The clocks go back on the 25th, so that the day has 25 hours.
  it.each(Object.keys(writtenFormats))("%s", async (format) => {
    await expectEqual(format, "example.com", "2026-10-25", "2026-10-25");
  });

  it.each([
    ["the launch", "example.com", "2026-11-03", "2026-11-04"],
    ["a day of 23 hours in Berlin", "example.com", "2026-03-29", "2026-03-30"],
    ["a day of 25 hours in New York", "docs.example.com", "2026-10-31", "2026-11-02"],
    ["a day of 23 hours in New York", "docs.example.com", "2026-03-07", "2026-03-09"],
    ["Tokyo", "shop.example.net", "2026-11-06", "2026-11-09"],
    ["the first days in Auckland", "news.example.org", "2026-11-11", "2026-11-19"],
  ])("%s", async (_, domain, from, to) => {
    await expectEqual("Caddy", domain, from, to);
  });
});
