import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { CHROME, combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe("what was told stays true", () => {
  let place: LogPlace;
  beforeEach(() => {
    place = createLogPlace();
  });
  afterEach(() => place.remove());

  const linesOf = (count: number, at: number, agent = CHROME) =>
    Array.from({ length: count }, (_, index) =>
      combinedLine({
        at: at + 1_000 * index,
        address: `198.51.100.${index % 200}`,
        path: `/${index % 7}`,
        agent,
      }),
    );
  /** Asks as a new process does: the page views of a day. */
  const count = async (date: string, source?: DataSource) => {
    const asked = source ?? (await place.open());
    const [site] = await asked.sites();
    if (site === undefined) throw new Error("There is no site.");
    const [day] = await asked.days({ site, from: date, to: date, now: place.clock.now });
    return day?.pageviews ?? 0;
  };

  it("after less than a megabyte of new lines, when their file is gone", async () => {
    place.write("access.log.1", linesOf(2, NOON - 40_000));
    expect(await count("2026-11-21")).toBe(2);
    const lines = linesOf(2_999, NOON - HOUR, `${CHROME} ${"x".repeat(130)}`);
    expect(Buffer.byteLength(lines.join("\n"))).toBeGreaterThan(900_000);
    place.append("access.log.1", lines);
    expect(await count("2026-11-21")).toBe(3_001);
    rmSync(join(place.folder, "www", "access.log.1"));
    place.write("access.log", []);
    expect(await count("2026-11-21")).toBe(3_001);
    place.clock.now += 4 * DAY;
    expect(await count("2026-11-21")).toBe(3_001);
  });

  it.each([["the same process"], ["another process"]])(
    "after late lines, when their file is gone, in %s",
    async (who) => {
      const source = who === "the same process" ? await place.open() : undefined;
      place.write("access.log", [...linesOf(10, NOON - 5 * DAY), ...linesOf(1, NOON - HOUR)]);
      expect(await count("2026-11-16", source)).toBe(10);
      place.write("access.log.1", linesOf(20, NOON - 5 * DAY - HOUR));
      expect(await count("2026-11-16", source)).toBe(30);
      rmSync(join(place.folder, "www", "access.log.1"));
      expect(await count("2026-11-16", source)).toBe(30);
      rmSync(join(place.folder, "www", "access.log"));
      place.write("access.log", linesOf(1, NOON - 60_000));
      expect(await count("2026-11-16", source)).toBe(30);
      expect(await count("2026-11-16")).toBe(30);
    },
  );

  it.each([["the same process"], ["another process"]])(
    "after a clock that was five days ahead, in %s",
    async (who) => {
      const source = who === "the same process" ? await place.open() : undefined;
      place.write("access.log", linesOf(10, NOON - HOUR));
      expect(await count("2026-11-21", source)).toBe(10);
      place.clock.now = NOON + 5 * DAY;
      expect(await count("2026-11-21", source)).toBe(10);
      place.clock.now = NOON;
      place.append("access.log", linesOf(3, NOON - 60_000));
      expect(await count("2026-11-21", source)).toBe(13);
      rmSync(join(place.folder, "www", "access.log"));
      place.write("access.log.other", []);
      expect(await count("2026-11-21", source)).toBe(13);
      expect(await count("2026-11-21")).toBe(13);
      place.clock.now = NOON + 5 * DAY;
      expect(await count("2026-11-21", source)).toBe(13);
      expect(await count("2026-11-21")).toBe(13);
    },
  );
});
