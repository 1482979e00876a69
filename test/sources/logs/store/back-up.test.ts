import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseFilter } from "../../../../src/operations/filter.ts";
import { backUpHistory } from "../../../../src/sources/logs/store/back-up.ts";
import { inspectHistory } from "../../../../src/sources/logs/store/inspect-history.ts";
import { takeLock } from "../../../../src/sources/logs/store/lock.ts";
import { runShell } from "../../../support/shell.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, skipWaits } from "../log-place.ts";
import { listFiles, readEverything, readManifest } from "./history-files.ts";

const DAY = 86_400_000;
const [FROM, TO] = ["2026-11-15", "2026-11-26"];

let place: LogPlace;
let backup: string;
beforeEach(() => {
  place = createLogPlace();
  backup = join(place.folder, "backup");
  place.write("access.log.1", [...linesOf(30, NOON - 5 * DAY), ...linesOf(12, NOON - 3_600_000)]);
});
afterEach(() => place.remove());

const linesOf = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) =>
    combinedLine({ at: at + 1_000 * index, address: `198.51.100.${index % 5}`, path: `/${index % 3}` }),
  );

/** Asks as a new process does: the page views by day, in all and of one page, and which days are named as damaged. */
async function ask() {
  const source = await place.open();
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span = { site, from: FROM, to: TO, now: place.clock.now };
  const warnings = (await source.warnings?.(span)) ?? [];
  const count = async (filter?: ReturnType<typeof parseFilter>) =>
    Object.fromEntries(
      (await source.days({ ...span, filter }))
        .filter(({ pageviews }) => pageviews > 0)
        .map(({ date, pageviews }) => [date, pageviews]),
    );
  return {
    days: await count(),
    page: await count(parseFilter(["pages=/1"])).catch((error: unknown) => String(error)),
    damage: warnings.filter(({ code }) => code === "damaged_history"),
  };
}

const restore = () => {
  rmSync(place.history(), { recursive: true });
  cpSync(backup, place.history(), { recursive: true });
};
const remove = (name: string) => rmSync(join(place.folder, "www", name));

describe("a backup", () => {
  it("has all that was told, and goes on where it was made", async () => {
    const told = await ask();
    expect(told).toEqual({
      days: { "2026-11-16": 30, "2026-11-21": 12 },
      page: { "2026-11-16": 10, "2026-11-21": 4 },
      damage: [],
    });
    const made = backUpHistory(place.history(), backup, false);
    expect(made).toMatchObject({ open: ["2026-11-21"], damaged: [] });
    expect(made.files).toBe(listFiles(backup).length - 1);
    expect(inspectHistory(backup)).toMatchObject({ first: "2026-11-16", last: "2026-11-21", damaged: [] });
    for (const path of listFiles(backup)) expect(statSync(path).mode & 0o777).toBe(0o600);
    place.clock.now += 4 * DAY;
    await ask();
    restore();
    place.append("access.log.1", linesOf(2, NOON - 1_000));
    expect((await ask()).days).toEqual({ "2026-11-16": 30, "2026-11-21": 14 });
    remove("access.log.1");
    place.write("access.log", linesOf(1, place.clock.now - 9_000));
    expect((await ask()).days).toEqual({ "2026-11-16": 30, "2026-11-21": 14, "2026-11-25": 1 });
    expect(place.warned).toEqual([]);
  });

  it("of closed days alone has no salt, and the other days are read again", async () => {
    await ask();
    const salts = readManifest(place.history()).sites.flatMap(({ open }) =>
      Object.values(open).map(({ salt }) => Buffer.from(salt, "base64")),
    );
    expect(salts).toHaveLength(1);
    for (const salt of salts) expect((await readEverything(place.history())).includes(salt)).toBe(true);
    expect(backUpHistory(place.history(), backup, true)).toMatchObject({ open: ["2026-11-21"] });
    const everything = await readEverything(backup);
    for (const salt of salts) expect(everything.includes(salt)).toBe(false);
    expect(existsSync(join(backup, "open"))).toBe(false);
    restore();
    // Lines of the closed day are there again, and do not count twice.
    expect((await ask()).days).toEqual({ "2026-11-16": 30, "2026-11-21": 12 });
    expect((await ask()).damage).toEqual([]);
    place.clock.now += 4 * DAY;
    expect((await ask()).days).toEqual({ "2026-11-16": 30, "2026-11-21": 12 });
  });

  it("waits for a process that writes, and goes to an empty folder alone", async () => {
    await ask();
    const lock = takeLock(join(place.history(), "lock"));
    skipWaits(() =>
      expect(() => backUpHistory(place.history(), backup, false)).toThrow("another process is writing"),
    );
    lock.release();
    mkdirSync(backup);
    writeFileSync(join(backup, "file"), "");
    expect(() => backUpHistory(place.history(), backup, false)).toThrow(/is not empty/);
  });

  it("names what is damaged", async () => {
    await ask();
    const path = listFiles(place.history()).find((each) => each.endsWith(".sums.gz")) ?? "";
    writeFileSync(path, "damaged");
    expect(backUpHistory(place.history(), backup, false).damaged).toEqual([path]);
    expect(inspectHistory(backup)?.damaged).toEqual([join(backup, relative(place.history(), path))]);
  });
});

it("a plain copy that was made while a day was closed has what is whole, and names the rest", async () => {
  const read = () => new Map(listFiles(place.history()).map((path) => [path, readFileSync(path)]));
  await ask();
  const before = read();
  place.clock.now += 4 * DAY;
  place.write("access.log", linesOf(3, place.clock.now - 9_000));
  const told = await ask();
  expect(told.days).toEqual({ "2026-11-16": 30, "2026-11-21": 12, "2026-11-25": 3 });
  const after = read();
  remove("access.log.1");
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  expect(paths.length).toBeGreaterThan(before.size);
  const putCopy = (isLate: readonly boolean[]) => {
    rmSync(place.history(), { recursive: true });
    for (const [index, path] of paths.entries()) {
      const bytes = (isLate[index] ? after : before).get(path);
      if (bytes === undefined) continue;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, bytes);
    }
  };
  let whole = 0;
  const check = async (isLate: readonly boolean[]) => {
    putCopy(isLate);
    const found = await ask();
    const isNamed = (date: string) =>
      found.damage.some(({ values }) => String(values?.from) <= date && date <= String(values?.to));
    for (const [date, pageviews] of Object.entries(told.days)) {
      if (!isNamed(date)) expect([date, found.days[date]]).toEqual([date, pageviews]);
      // A filter is refused if the hits of a day are not in the copy.
      if (typeof found.page === "string")
        expect(found.page).toMatch(/cannot be read\. 2026-11-21: .* is missing/);
      else if (!isNamed(date)) expect([date, found.page[date]]).toEqual([date, Object(told.page)[date]]);
      expect(found.days[date] ?? 0).toBeLessThanOrEqual(pageviews);
    }
    if (found.damage.length === 0 && typeof found.page !== "string") whole++;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: paths.length, maxLength: paths.length }), check),
    { numRuns: 15 },
  );
  // The manifest first, and the rest after the day was closed: what lost everything once.
  whole = 0;
  await check(paths.map((path) => !/manifest(?:\.copy)?$/.test(path)));
  expect(whole).toBe(1);
});

it("is made by analytics-mcp logs --backup, which says what is in it", async () => {
  const run = (...argv: string[]) =>
    runShell(["logs", "--backup", ...argv, "--timezone", "UTC", "--site", "example.com"], {
      clock: () => place.clock.now,
      environment: place.environment,
    });
  const logs = join(place.folder, "www", "access.log*");
  const made = await run(backup, logs);
  expect([made.code, made.stdout]).toEqual([0, ""]);
  expect(made.stderr).toMatch(/Saved \d files \(\d+ kB\) in /);
  expect(made.stderr).toContain(`in ${backup}.`);
  expect(made.stderr).toContain("It has a day that can still grow (2026-11-21)");
  expect(inspectHistory(backup)).toMatchObject({ last: "2026-11-21" });
  const closed = await run(`${backup}-closed`, "--closed-only", logs);
  expect(closed.stderr).toContain("Left out: 2026-11-21, which can still grow.");
  expect(inspectHistory(`${backup}-closed`)).toMatchObject({ last: "2026-11-16" });
  expect(await run(backup, logs)).toMatchObject({ code: 2, stderr: expect.stringContaining("is not empty") });
});
