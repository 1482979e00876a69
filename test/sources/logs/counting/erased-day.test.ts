import { describe, expect, it } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { combined, createLogFolder, joinLines, openTestLogs, type Request } from "../../../support/logs.ts";

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

/** What the values of people begin with. */
const VALUES: [Dimension, string][] = [
  ["pages", "/p"],
  ["referrers", "site-"],
  ["utm_sources", "letter-"],
  ["utm_campaigns", "may"],
];
