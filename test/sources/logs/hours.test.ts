import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Filter, parseFilter } from "../../../src/operations/filter.ts";
import { formatInstant } from "../../../src/sources/calendar.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "./log-place.ts";
import { changeClosedDays } from "./store/history-files.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const DAY_MS = 86_400_000;

async function readHours(source: DataSource, date: string, filter?: Filter) {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const hours = (await source.hours?.({ site, from: date, to: date, now: place.clock.now, filter })) ?? [];
  return hours.map(({ start, visitors, pageviews, visits, visitSeconds }) => [
    formatInstant(start, site.timezone).slice(11),
    visitors,
    pageviews,
    visits,
    visitSeconds,
  ]);
}

describe("hours of logs", () => {
  it.each([
    [
      "set back by half an hour",
      "2026-04-05",
      ["2026-04-04T14:45:00Z", "2026-04-04T15:10:00Z", "2026-04-04T15:20:00Z", "2026-04-04T15:40:00Z"],
      [
        ["01:00:00+11:00", 1, 1, 1, 3300],
        ["01:30:00+10:30", 1, 2, 0, 0],
        ["02:00:00+10:30", 1, 1, 0, 0],
      ],
    ],
    [
      "set forward by half an hour",
      "2026-10-04",
      ["2026-10-03T15:20:00Z", "2026-10-03T15:35:00Z"],
      [
        ["01:00:00+10:30", 1, 1, 1, 900],
        ["02:30:00+11:00", 1, 1, 0, 0],
      ],
    ],
  ])("follow clocks that are %s, on open and on closed days", async (_, date, times, expected) => {
    place.write(
      "access.log",
      times.map((time) => combinedLine({ at: Date.parse(time) })),
    );
    const end = Date.parse(times.at(-1) ?? "");
    for (const later of [0, 5 * DAY_MS]) {
      place.clock.now = end + later;
      const source = await place.open({ timezone: "Australia/Lord_Howe" });
      const hours = await readHours(source, date);
      expect(hours.filter(([, visitors]) => visitors !== 0)).toEqual(expected);
    }
  });

  it("end with the one that is going on, and count a download without making a visit of it", async () => {
    const at = (minute: number, path: string) => combinedLine({ at: NOON + minute * 60_000, path });
    place.write("access.log", [at(-10, "/a"), at(-5, "/b"), at(0, "/guide.pdf")]);
    place.clock.now = NOON + 60_000;
    const hours = await readHours(await place.open(), "2026-11-21");
    expect(hours.slice(-2)).toEqual([
      ["11:00:00+00:00", 1, 2, 1, 300],
      ["12:00:00+00:00", 1, 0, 0, 0],
    ]);
    expect(hours).toHaveLength(13);
  });

  it("need hits where there is a filter, and say of which days these are missing and what can be asked", async () => {
    place.write("access.log", [combinedLine({ at: NOON })]);
    place.clock.now = NOON + 3 * DAY_MS;
    const hours = await readHours(await place.open(), "2026-11-21");
    expect(hours).toHaveLength(24);
    changeClosedDays(place.history(), (day) => ({ ...day, hits: null }));
    expect(await readHours(await place.open(), "2026-11-21")).toEqual(hours);
    const filter = parseFilter(["pages=/"]);
    const error = await readHours(await place.open(), "2026-11-21", filter).catch((each: unknown) => each);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^Hours need the hits of each day, .* 2026-11-21: Its hits could not be saved/,
      ),
      hint: "Choose other days, or ask by day, without a filter.",
    });
  });
});
