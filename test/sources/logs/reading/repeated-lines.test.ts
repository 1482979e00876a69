import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";
import { readEverything, readManifest, readMarks } from "../store/history-files.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

/** A request each 40 seconds, of other visitors by server. */
const makeLines = (from: number, to: number, server = 0) =>
  Array.from({ length: Math.floor((to - from) / 40_000) }, (_, index) => {
    const at = from + 40_000 * index;
    const number = at / 40_000;
    return combinedLine({
      at,
      address: `198.51.100.${server * 50 + (number % 50)}`,
      path: `/page/${number % 3}`,
    });
  });

/** Asks as a new process does. */
async function askWarnings() {
  const source = await place.open();
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const warnings = await source.warnings?.({
    site,
    from: "2026-11-10",
    to: "2026-11-24",
    now: place.clock.now,
  });
  return warnings?.map(({ code }) => code);
}

const STRANGER = combinedLine({ at: NOON - 20 * HOUR, address: "192.0.2.99" });

describe("lines in two files that two processes read", () => {
  it("are noticed on a day that is not closed", async () => {
    place.write("access.log", makeLines(NOON - 20 * HOUR, NOON - HOUR));
    expect(await askWarnings()).not.toContain("repeated_lines");
    place.write("access.log.copy", [STRANGER, ...makeLines(NOON - 12 * HOUR, NOON - HOUR)]);
    expect(await askWarnings()).toContain("repeated_lines");
    expect(await askWarnings()).toContain("repeated_lines");
  });

  it("are noticed by the third process, of what the first read", async () => {
    place.write("access.log", makeLines(NOON - 20 * HOUR, NOON - HOUR));
    await askWarnings();
    place.clock.now += DAY;
    place.write("access.log.new", makeLines(NOON + HOUR, NOON + 20 * HOUR));
    expect(await askWarnings()).not.toContain("repeated_lines");
    place.write("access.log.copy", [STRANGER, ...makeLines(NOON - 11 * HOUR, NOON - HOUR)]);
    expect(await askWarnings()).toContain("repeated_lines");
  });

  it("are noticed on closed days, which are counted again", async () => {
    place.write("access.log", [
      ...makeLines(NOON - 5 * DAY, NOON - 4 * DAY),
      ...makeLines(NOON - HOUR, NOON),
    ]);
    await askWarnings();
    place.write("access.log.copy", [STRANGER, ...makeLines(NOON - 5 * DAY, NOON - 4.5 * DAY)]);
    expect(await askWarnings()).toContain("repeated_lines");
    expect(await askWarnings()).toContain("repeated_lines");
  });

  it("are late, and count once, where the other file of a closed day is gone", async () => {
    place.write("access.log.1", makeLines(NOON - 5 * DAY, NOON - 4 * DAY));
    place.write("access.log", makeLines(NOON - HOUR, NOON));
    await askWarnings();
    rmSync(join(place.folder, "www", "access.log.1"));
    place.write("access.log.copy", [STRANGER, ...makeLines(NOON - 5 * DAY, NOON - 4.5 * DAY)]);
    const warnings = await askWarnings();
    expect(warnings).toContain("late");
    expect(warnings).not.toContain("repeated_lines");
  });
});

describe("lines that are no repeats", () => {
  it("are those of a log that goes on and is rotated between two processes", async () => {
    const lines = makeLines(NOON - 20 * HOUR, NOON);
    place.write("access.log", lines.slice(0, 900));
    await askWarnings();
    place.append("access.log", lines.slice(900, 1_200));
    await askWarnings();
    renameSync(join(place.folder, "www", "access.log"), join(place.folder, "www", "access.log.1"));
    place.write("access.log", lines.slice(1_200));
    expect(await askWarnings()).not.toContain("repeated_lines");
  });

  it("are those of another server with the same pages in the same seconds", async () => {
    place.write("access.log", makeLines(NOON - 20 * HOUR, NOON, 0));
    await askWarnings();
    place.write("access.log.www2", makeLines(NOON - 20 * HOUR, NOON, 1));
    expect(await askWarnings()).not.toContain("repeated_lines");
  });

  it("are a request that one log has twice in a second", async () => {
    const twice = (lines: string[]) => lines.flatMap((line) => [line, line]);
    place.write("access.log", twice(makeLines(NOON - 20 * HOUR, NOON - HOUR)));
    await askWarnings();
    place.append("access.log", twice(makeLines(NOON - HOUR, NOON)));
    expect(await askWarnings()).not.toContain("repeated_lines");
  });
});

it("leaves nothing of a closed day in the history to compare lines with", async () => {
  place.write("access.log", makeLines(NOON - 20 * HOUR, NOON - HOUR));
  await askWarnings();
  const [kept] = readManifest(place.history()).compared;
  const marks = Buffer.concat(readMarks(place.history(), kept?.journal ?? ""));
  expect(marks.length / 16).toBeGreaterThan(20);
  const traces = [Buffer.from(kept?.salt ?? "", "base64"), marks.subarray(0, 16)];
  for (const trace of traces) {
    expect(trace.length).toBeGreaterThanOrEqual(16);
    expect((await readEverything(place.history())).includes(trace)).toBe(true);
  }
  place.clock.now += 3 * DAY;
  await askWarnings();
  for (const trace of traces) expect((await readEverything(place.history())).includes(trace)).toBe(false);
  expect(readManifest(place.history()).compared).toEqual([]);
});
