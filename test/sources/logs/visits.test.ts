import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "./log-place.ts";

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
});
