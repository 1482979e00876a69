import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "./log-place.ts";
import { changeClosedDays, changeManifest, listFiles } from "./store/history-files.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The day of the visits, which is closed two days later. */
const DATE = "2026-11-21";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

/** Two visits of one person, of two page views in 10 minutes and of one, and a bounce of another. */
const LINES = [
  combinedLine({ at: NOON - 60 * MINUTE, path: "/a" }),
  combinedLine({ at: NOON - 50 * MINUTE, path: "/b" }),
  combinedLine({ at: NOON - 45 * MINUTE, path: "/guide.pdf" }),
  combinedLine({ at: NOON - 19 * MINUTE, path: "/b" }),
  combinedLine({ at: NOON - 5 * MINUTE, path: "/b", address: "203.0.113.8" }),
];
const TOTALS = { visitors: 2, pageviews: 4, events: 1, visits: 3, bounces: 2, visitSeconds: 600 };
const ENTRIES = [
  { value: "/b", visitors: 2, hits: 2, visits: 2, bounces: 2, visitSeconds: 0 },
  { value: "/a", visitors: 1, hits: 2, visits: 1, bounces: 0, visitSeconds: 600 },
];
const PAGES = [
  { value: "/b", visitors: 2, hits: 3 },
  { value: "/a", visitors: 1, hits: 1 },
];

async function ask(source: DataSource) {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span = { site, from: DATE, to: DATE, now: place.clock.now };
  const rows = async (dimension: "pages" | "entry_pages") =>
    (await source.breakdown(span, dimension, 10)).rows.map(({ label, ...row }) => row);
  return { days: await source.days(span), entries: await rows("entry_pages"), pages: await rows("pages") };
}

const EXPECTED = { days: [{ date: DATE, ...TOTALS }], entries: ENTRIES, pages: PAGES };

/** Closes the day, and removes its log if it is to be gone. */
async function closeDay(isGone: boolean) {
  place.write("access.log.1", LINES);
  place.clock.now = NOON + 3 * DAY;
  place.write("access.log", [combinedLine({ at: place.clock.now })]);
  await ask(await place.open());
  if (isGone) rmSync(join(place.folder, "www", "access.log.1"));
}

/** Leaves what a version that did not count visits would have written of closed days. */
const forgetVisits = () =>
  changeClosedDays(place.history(), (day) => {
    const { visits, bounces, visitSeconds, ...totals } = Reflect.get(day, "totals");
    return { ...day, totals };
  });

describe("visits in logs", () => {
  it.each([true, false])(
    "are counted as long as their day is open (with a history: %s)",
    async (withHistory) => {
      place.write("access.log", LINES);
      expect(await ask(await place.open({}, withHistory))).toEqual(EXPECTED);
      expect(await ask(await place.open({}, withHistory))).toEqual(EXPECTED);
    },
  );

  it("are kept of closed days", async () => {
    await closeDay(true);
    expect(await ask(await place.open())).toEqual(EXPECTED);
  });

  it("are counted again from the logs, if an earlier version has not counted them", async () => {
    await closeDay(false);
    forgetVisits();
    expect(await ask(await place.open())).toEqual(EXPECTED);
  });

  it("are counted again for an open day, if an earlier version has not counted them", async () => {
    place.write("access.log", LINES);
    await ask(await place.open());
    changeManifest(place.history(), ({ sites }) => ({
      sites: sites.map((site) => {
        const days = Object.entries(site.open).map(([date, { salt, counts }]) => {
          const { visitors, pageviews, events } = counts.totals;
          return [date, { salt, counts: { ...counts, totals: { visitors, pageviews, events } } }];
        });
        return { ...site, open: Object.fromEntries(days) };
      }),
    }));
    expect(await ask(await place.open())).toEqual(EXPECTED);
  });
  it("are counted again from the day's hits, if its log is gone, too", async () => {
    await closeDay(true);
    forgetVisits();
    expect(await ask(await place.open())).toEqual(EXPECTED);
  });

  it("are absent, and not zero, if nothing says them any more", async () => {
    await closeDay(true);
    forgetVisits();
    for (const path of listFiles(place.history())) if (path.endsWith(".parquet")) rmSync(path);
    const { days } = await ask(await place.open());
    expect(days).toEqual([{ date: DATE, visitors: 2, pageviews: 4, events: 1 }]);
  });
});
