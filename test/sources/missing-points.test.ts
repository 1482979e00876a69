import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hours } from "../../src/operations/hours.ts";
import { timeseries } from "../../src/operations/index.ts";
import { createGapMarker } from "../../src/sources/clickhouse/coverage.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createTestApi, DEMO_KEY } from "../support/api.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "./logs/log-place.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("points without data", () => {
  let place: LogPlace;
  beforeEach(() => {
    place = createLogPlace();
  });
  afterEach(() => place.remove());

  /** The days and the hours of the last six days, with a line at each of these instants. */
  async function read(instants: readonly number[], filter?: string) {
    place.write(
      "access.log",
      instants.map((at) => combinedLine({ at })),
    );
    const call = createLocalCall(
      () => place.open({}, false),
      () => place.clock.now,
    );
    const kept = filter === undefined ? {} : { filter: [filter] };
    const params = { site: "example.com", days: 6, ...kept };
    const [byDay, byHour] = [
      await call(timeseries, params),
      await call(hours, { ...params, interval: "hour" }),
    ];
    return {
      days: byDay.points.flatMap(({ date, missing }) => (missing ? [date.slice(8)] : [])),
      hours: byHour.points.flatMap(({ time, missing }) => (missing ? [time.slice(8, 13)] : [])),
      zeros: [...byDay.points, ...byHour.points].every(
        ({ missing, visitors, pageviews }) => !missing || visitors + pageviews === 0,
      ),
    };
  }

  const hoursOf = (day: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${day}T${String(from + index).padStart(2, "0")}`);

  it.each([undefined, "pages=/nowhere"])(
    "of a log are before it and in its gaps (filter: %s)",
    async (filter) => {
      // From the 18th at noon, with nothing on the 19th, until an hour ago.
      const found = await read([NOON - 3 * DAY, NOON - DAY, NOON - HOUR], filter);
      expect(found.days).toEqual(["16", "17", "19"]);
      expect(found.hours).toEqual([
        ...hoursOf("16", 0, 23),
        ...hoursOf("17", 0, 23),
        ...hoursOf("18", 0, 11),
        ...hoursOf("19", 0, 23),
      ]);
      expect(found.zeros).toBe(true);
    },
  );

  it("of a log that has ended are after its last line, too", async () => {
    const found = await read([NOON - 6 * DAY, NOON - 2 * DAY, NOON - 2 * DAY + HOUR]);
    expect(found.days).toEqual(["16", "17", "18", "20", "21"]);
    expect(found.hours.slice(-47)).toEqual([
      ...hoursOf("19", 14, 23),
      ...hoursOf("20", 0, 23),
      ...hoursOf("21", 0, 12),
    ]);
  });

  it("of a log that goes on are none after its last line", async () => {
    const found = await read([NOON - 6 * DAY, NOON - 20 * HOUR]);
    expect(found.days).toEqual(["16", "17", "18", "19"]);
    expect(found.hours.at(-1)).toBe("19T23");
  });

  it("of a table are the days that were not loaded", () => {
    const day = (isLoaded: boolean, pageviews = 1) => ({
      visitors: pageviews,
      pageviews,
      events: 0,
      scanners: 0,
      isLoaded,
      expected: pageviews,
      definitions: [1, 1] as const,
    });
    const days = new Map([
      ["2026-11-16", day(true)],
      ["2026-11-18", day(true, 0)],
      // Loaded in part.
      ["2026-11-19", day(false)],
    ]);
    const mark = createGapMarker({ lastDay: "2026-11-18", days });
    const missing = ["16", "17", "18", "19", "20"].filter((each) => mark(`2026-11-${each}`).missing);
    expect(missing).toEqual(["17", "20"]);
  });

  it("are so in the API, before data_since", async () => {
    const { api } = createTestApi();
    const ask = async (site: string, interval: string) => {
      const url = `https://stats.example.test/api/v1/timeseries?site=${site}&days=3&interval=${interval}`;
      const response = await api(new Request(url, { headers: { authorization: `Bearer ${DEMO_KEY}` } }));
      const { points } = (await response.json()) as { points: { missing?: boolean }[] };
      return points.map(({ missing = false }) => missing);
    };
    expect(new Set(await ask("parked.example", "day"))).toEqual(new Set([true]));
    expect(new Set(await ask("parked.example", "hour"))).toEqual(new Set([true]));
    expect(new Set(await ask("example.com", "hour"))).toEqual(new Set([false]));
  });
});
