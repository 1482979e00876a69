import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseFilter } from "../../../../src/operations/filter.ts";
import { findQuery } from "../../../../src/reports/queries.ts";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { createLocalCall } from "../../../../src/sources/local-call.ts";
import { CHROME, combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

const DAY = 86_400_000;
const times = <T>(count: number, create: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => create(index));
const dateOf = (daysAgo: number) => new Date(NOON - daysAgo * DAY).toISOString().slice(0, 10);
const browser = (version: number) => CHROME.replace("130", String(130 + version));

interface Sent {
  address: string;
  version?: number;
}
/** The page views of a day, up to eleven in the morning. */
const views = (daysAgo: number, sent: readonly Sent[]) =>
  sent.map(({ address, version = 0 }, n) =>
    combinedLine({
      at: NOON - 3 * 3_600_000 - daysAgo * DAY + n * 1_000,
      address,
      path: `/${n % 3}`,
      agent: browser(version),
    }),
  );
/** Sixty people, with eight browsers. */
const people = times(60, (n) => ({ address: `192.0.2.${n}`, version: n % 8 }));
const flood = times(260, () => ({ address: "198.51.100.7" }));
const withManyAgents = times(260, (n) => ({ address: "198.51.100.7", version: n }));
/** The same people behind a proxy, who view more, and those who ask the server itself. */
const proxied = [...times(5, () => people).flat(), ...people.slice(0, 6)].map(({ version }, n) => ({
  address: n < 300 ? "198.51.100.7" : `203.0.113.${n - 300}`,
  version: n < 300 ? (n % 60) + 1 : version,
}));

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

/** Writes a log that ends today. @param days The page views of each day, the last one today's. */
const write = (...days: (readonly Sent[])[]) =>
  place.write(
    "access.log",
    days.flatMap((sent, index) => views(days.length - 1 - index, sent)),
  );

const spanOf = async (source: DataSource, days: number, filter: readonly string[] = []) => {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const conditions = filter.length > 0 && { filter: parseFilter(filter) };
  return { site, from: dateOf(days - 1), to: dateOf(0), now: place.clock.now, ...conditions };
};

/** The visitors of each day, null for a day that is left out, and the codes of warnings about addresses. */
async function ask(source: DataSource, days: number, filter?: readonly string[]) {
  const span = await spanOf(source, days, filter);
  const found = await source.days(span);
  const warnings = (await source.warnings?.(span)) ?? [];
  return {
    visitors: found.map(({ visitors, missing }) => (missing ? null : visitors)),
    codes: warnings.map(({ code }) => code).filter((code) => code.endsWith("proxied")),
  };
}

describe("one address with most of the page views", () => {
  it("is one visitor among many, on the first day, too", async () => {
    write([...people, ...flood]);
    expect(await ask(await place.open(), 1)).toEqual({ visitors: [61], codes: ["maybe_proxied"] });
  });

  it.each([
    ["that changes its user agent", withManyAgents, people, 320],
    ["in a log in which all have one user agent", flood, people.map(({ address }) => ({ address })), 61],
  ])("%s is judged by the days before", async (_, sent, usual, visitors) => {
    write(usual, usual, usual, [...usual, ...sent]);
    const source = await place.open();
    expect(await ask(source, 4)).toEqual({ visitors: [60, 60, 60, visitors], codes: ["maybe_proxied"] });
    // It goes on for longer than the days before that are looked at.
    write(...times(3, () => usual), ...times(30, () => [...usual, ...sent]));
    expect((await ask(await place.open({}, false), 33)).visitors.slice(3)).toEqual(times(30, () => visitors));
    // Two days are too few to know what is usual.
    write(usual, usual, [...usual, ...sent]);
    expect(await ask(await place.open({}, false), 3)).toEqual({
      visitors: [60, 60, null],
      codes: ["proxied"],
    });
  });

  it("is a proxy if nearly nobody else is left, from the first day on", async () => {
    write(...times(29, () => people), proxied, proxied);
    const { visitors, codes } = await ask(await place.open(), 31);
    expect(visitors).toEqual([...times(29, () => 60), null, null]);
    expect(codes).toEqual(["proxied"]);
  });

  it("is a proxy if it is private, however many others there are", async () => {
    const relayed = flood.map((sent) => ({ ...sent, address: "10.0.0.1" }));
    write(people, people, people, [...people, ...relayed]);
    expect((await ask(await place.open(), 4)).visitors).toEqual([60, 60, 60, null]);
    expect((await ask(await place.open({ acceptProxyAddresses: true }), 1)).visitors).toEqual([61]);
  });

  it("is a proxy if it always was: then the question is refused", async () => {
    write(proxied, proxied);
    await expect(ask(await place.open(), 2)).rejects.toThrow(
      /^Visitors cannot be counted on 2026-11-20, 2026-11-21: nearly all page views come from a few addresses/,
    );
  });
});

describe("a day that is left out", () => {
  it("is left out of every number but those of crawlers, and named", async () => {
    write(people, people, proxied, people);
    const source = await place.open();
    const span = await spanOf(source, 4);
    const warned = (await source.warnings?.(span))?.find(({ code }) => code === "proxied");
    expect(warned).toMatchObject({
      detail: expect.stringContaining("cannot be counted on 2026-11-20:"),
      values: { days: 1, from: "2026-11-20", to: "2026-11-20" },
    });
    const { rows } = await source.breakdown(span, "pages", 10);
    expect(rows.map(({ value, visitors, hits }) => [value, visitors, hits])).toEqual(
      ["/0", "/1", "/2"].map((page) => [page, 60, 60]),
    );
    const hours = await source.hours?.(span);
    expect(hours?.reduce((sum, { pageviews }) => sum + pageviews, 0)).toBe(180);
    expect(await ask(source, 4, ["pages=/1"])).toEqual({ visitors: [20, 20, null, 20], codes: ["proxied"] });
  });

  it("stays the same when days are closed, after a restart, and without what was asked before", async () => {
    const days = [people, people, people, [...people, ...withManyAgents], proxied, people, people];
    const expected = [60, 60, 60, 320, null, 60, 60];
    const ends = times(days.length, (index) => index + 1);
    for (const end of ends) {
      place.append("access.log", views(days.length - end, days[end - 1] ?? []));
      place.clock.now = NOON - (days.length - end) * DAY;
      const source = await place.open();
      await ask(source, 1).catch(() => {});
    }
    const told = await ask(await place.open(), 7);
    expect(told.visitors).toEqual(expected);
    expect(await ask(await place.open(), 7)).toEqual(told);
    expect(await ask(await place.open({}, false), 7)).toEqual(told);
    expect((await ask(await place.open(), 7, ["pages=/*"])).visitors).toEqual(expected);
  });

  it("is a gap in the series, a day less in a comparison, and refused by itself", async () => {
    write(...times(8, () => people), proxied, people, proxied);
    const call = createLocalCall(
      () => place.open(),
      () => NOON,
    );
    const query = async (name: string, params: object) => {
      const found = findQuery(name);
      const { result } = await found.ask(call, found.params.parse({ site: "example.com", ...params }), {});
      return result as Record<string, never>;
    };
    const { points } = await query("timeseries", { days: 3 });
    expect(points).toMatchObject([{ missing: true }, { visitors: 60 }, { missing: true }]);
    const overview = await query("overview", { period: "last_4_days" });
    expect(overview).toMatchObject({ visitors: 180, trend: { visitors: [60, 60, null, 60] } });
    expect(overview.today).toBeUndefined();
    const compared = await query("compare", { days: 3 });
    expect(compared).toMatchObject({
      current: { days: 3, days_with_data: 2 },
      per_day: { visitors: { current: 60, previous: 60, change: 0 } },
    });
    await expect(query("stats", { period: "today" })).rejects.toThrow("cannot be counted on 2026-11-21");
    await expect(query("stats", { period: dateOf(2) })).rejects.toThrow("cannot be counted on 2026-11-19");
  });
});
