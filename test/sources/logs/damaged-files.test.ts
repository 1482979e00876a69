import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkFiles } from "../../../src/sources/logs/doctor.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "./log-place.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const pathOf = (name: string) => join(place.folder, "www", name);

/** One page view an hour from a day at noon on, of changing people. */
const makeLines = (daysAgo: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    combinedLine({
      at: NOON - daysAgo * DAY + n * HOUR,
      address: `198.51.${Math.floor(n / 250)}.${n % 250}`,
      path: `/${Math.sin(n + daysAgo)}`,
    }),
  );
const pack = (lines: readonly string[]) => gzipSync(lines.map((line) => `${line}\n`).join(""));

function writePacked(name: string, bytes: Buffer, modified: number): void {
  writeFileSync(pathOf(name), bytes);
  utimesSync(pathOf(name), modified / 1000, modified / 1000);
}

const ask = async (from: string, to = from, withHistory = true) => {
  const source = await place.open({}, withHistory);
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span = { site, from, to, now: NOON };
  const days = await source.days(span);
  return {
    pageviews: days.reduce((sum, day) => sum + day.pageviews, 0),
    damage: (await source.warnings?.(span))?.filter(({ code }) => code === "damaged_file"),
  };
};
const doctor = () =>
  checkFiles({
    flags: { logs: [pathOf("access.log*")], site: ["example.com"], timezone: "UTC" },
    environment: place.environment,
    clock: () => NOON,
  });

/** From the 11th on, noon, 100 hours: until the 15th, 15:00. */
const PACKED_LINES = makeLines(10, 100);
const WRITTEN = NOON - 10 * DAY + 100 * HOUR;

describe("a compressed log that was cut off", () => {
  beforeEach(() => {
    place.write("access.log", makeLines(2, 48));
    const packed = pack(PACKED_LINES);
    writePacked("access.log.1.gz", packed.subarray(0, packed.length / 2), WRITTEN);
  });

  it.each([true, false])(
    "is named in answers about days that it may have had (history: %s)",
    async (hasHistory) => {
      for (let time = 1; time <= 2; time++) {
        const all = await ask("2026-11-11", "2026-11-21", hasHistory);
        expect(all.damage).toEqual([
          {
            code: "damaged_file",
            detail: expect.stringMatching(
              /^The log file access\.log\.1\.gz is damaged or incomplete: lines of 2026-11-1\d to 2026-11-15 may be missing/,
            ),
            values: { days: expect.any(Number), from: expect.any(String), to: "2026-11-15", files: 1 },
          },
        ]);
        expect(all.damage?.[0]?.detail).not.toContain(place.folder);
        const from = String(all.damage?.[0]?.values?.from);
        expect(from > "2026-11-11" && from < "2026-11-15").toBe(true);
        expect((await ask("2026-11-11", "2026-11-11", hasHistory)).damage).toEqual([]);
        expect((await ask("2026-11-15", "2026-11-15", hasHistory)).damage).toMatchObject([
          { detail: expect.stringContaining("lines of 2026-11-15 may be missing") },
        ]);
        expect((await ask("2026-11-16", "2026-11-21", hasHistory)).damage).toEqual([]);
      }
    },
  );

  it("fails doctor until it is whole again", async () => {
    await expect(doctor()).rejects.toThrow(`${pathOf("access.log.1.gz")} is damaged or incomplete.`);
    writePacked("access.log.1.gz", pack(PACKED_LINES), WRITTEN);
    expect(await doctor()).toBe("148 lines; 2 files present");
    expect(await ask("2026-11-11", "2026-11-21")).toEqual({ pageviews: 148, damage: [] });
  });

  it("is not forgotten when it is gone or renamed", async () => {
    await ask("2026-11-11", "2026-11-21");
    renameSync(pathOf("access.log.1.gz"), pathOf("access.log.2.gz"));
    expect((await ask("2026-11-15")).damage).toMatchObject([
      { detail: expect.stringContaining("access.log.2.gz") },
    ]);
    rmSync(pathOf("access.log.2.gz"));
    expect((await ask("2026-11-15")).damage).toHaveLength(1);
  });

  it("is no loss if another file has all of its lines, whichever comes first", async () => {
    for (const name of ["access.log.0", "access.log.2"]) {
      place.write(name, PACKED_LINES);
      expect(await ask("2026-11-11", "2026-11-21")).toEqual({ pageviews: 148, damage: [] });
      expect(await ask("2026-11-11", "2026-11-21", false)).toEqual({ pageviews: 148, damage: [] });
      expect(await doctor()).toContain("148 lines");
      rmSync(pathOf(name));
    }
  });

  it("is a loss if the other one ends earlier, too", async () => {
    const packed = readFileSync(pathOf("access.log.1.gz"));
    writePacked("access.log.3.gz", packed.subarray(0, packed.length - 100), WRITTEN);
    expect((await ask("2026-11-15", "2026-11-15", false)).damage).toHaveLength(1);
  });
});

describe("a file of which nothing can be read", () => {
  const broken: [string, Buffer][] = [
    ["a few bytes of gzip", pack(PACKED_LINES).subarray(0, 15)],
    ["an empty one", Buffer.alloc(0)],
  ];
  it.each(broken)("may have lines of all days until it was written: %s", async (_, bytes) => {
    place.write("access.log", makeLines(2, 48));
    writePacked("access.log.1.gz", bytes, NOON - 2 * DAY);
    expect((await ask("2026-11-10", "2026-11-20")).damage).toMatchObject([
      { values: { from: "2026-11-10", to: "2026-11-19", days: 10 } },
    ]);
    expect((await ask("2026-11-20")).damage).toEqual([]);
    await expect(doctor()).rejects.toThrow("is damaged or incomplete");
  });

  it("is no loss while it is being compressed", async () => {
    place.write("access.log", makeLines(2, 48));
    place.write("access.log.1", PACKED_LINES);
    for (const [, bytes] of broken) {
      writePacked("access.log.1.gz", bytes, NOON);
      expect((await ask("2026-11-10", "2026-11-20")).damage).toEqual([]);
    }
  });
});

it("files of other sites are theirs alone", async () => {
  mkdirSync(join(place.folder, "other"));
  const packed = pack(PACKED_LINES);
  const other = join(place.folder, "other", "access.log.gz");
  writeFileSync(other, packed.subarray(0, packed.length / 2));
  utimesSync(other, WRITTEN / 1000, WRITTEN / 1000);
  place.write("access.log", makeLines(9, 100));
  const source = await place.open(
    { logs: [`example.com=${pathOf("access.log")}`, `other.example=${other}`], site: [] },
    false,
  );
  const counts: Record<string, number | undefined> = {};
  for (const site of await source.sites()) {
    const found = await source.warnings?.({ site, from: "2026-11-15", to: "2026-11-15", now: NOON });
    counts[site.domain] = found?.filter(({ code }) => code === "damaged_file").length;
  }
  expect(counts).toEqual({ "example.com": 0, "other.example": 1 });
});
