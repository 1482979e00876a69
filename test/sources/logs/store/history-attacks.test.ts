import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";
import { changeManifest } from "./history-files.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const ask = (source: DataSource) => readAll(source, "2026-11-10", "2026-11-30", place.clock.now);

const makeLines = (from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / HOUR) }, (_, index) =>
    combinedLine({ at: from + index * HOUR, address: `198.51.100.${index % 9}`, path: `/${index % 4}` }),
  );

describe("a clock that goes back", () => {
  it.each(["by a new process", "by the same process"])("has its days opened again %s", async (who) => {
    place.write("access.log.1", makeLines(NOON - 9 * DAY, NOON - 6 * DAY));
    place.write("access.log", makeLines(NOON - 3 * DAY, NOON - HOUR));
    await ask(await place.open());
    rmSync(join(place.folder, "www", "access.log.1"));
    // Days too early, all days are closed.
    place.clock.now = NOON + 5 * DAY;
    const long = await place.open();
    await ask(long);
    place.clock.now = NOON;
    place.append("access.log", [combinedLine({ at: NOON - 60_000, path: "/now" })]);
    const found = await ask(who === "by the same process" ? long : await place.open());
    const fresh = await ask(await place.open({}, false));
    expect(found.active).toBe(1);
    const recent = (days: typeof found.days) => days.filter(({ date }) => date >= "2026-11-18");
    expect(recent(found.days)).toEqual(recent(fresh.days));
    expect(found.days.find(({ date }) => date === "2026-11-14")?.pageviews).toBe(24);
    // What is written then is as right.
    expect(await ask(await place.open())).toEqual(found);
    place.clock.now = NOON + 5 * DAY;
    // The log has ended meanwhile, so that later days have no data.
    const counts = (days: typeof found.days) => days.map(({ missing: _, ...day }) => day);
    expect(counts((await ask(await place.open())).days)).toEqual(counts(found.days));
  });
});

/** Has another version of the program count: its rules have another number. */
const countByOtherVersion = (step: number) =>
  changeManifest(place.history(), ({ definition, generation }) => ({
    definition: definition + step,
    generation: generation + 1,
  }));

describe("a history that a newer version of this program counted in", () => {
  beforeEach(() => {
    place.write("access.log", makeLines(NOON - 4 * DAY, NOON - HOUR));
  });

  it("is left alone by a process that starts", async () => {
    const expected = await ask(await place.open());
    countByOtherVersion(1);
    expect(await ask(await place.open())).toEqual(expected);
    expect(place.warned).toEqual([
      expect.stringMatching(/^The counts of these logs are not kept: .* a newer version/),
    ]);
    countByOtherVersion(-1);
    expect(await ask(await place.open())).toEqual(expected);
    expect(place.warned).toHaveLength(1);
  });

  it("is left alone by a process that was there before, which says so", async () => {
    const long = await place.open();
    await ask(long);
    countByOtherVersion(1);
    place.clock.now += 2 * DAY;
    await expect(ask(long)).rejects.toThrow("A newer version of this program counts these logs now.");
    await expect(ask(long)).rejects.toMatchObject({ code: "unavailable", hint: "Start this one again." });
  });
});
