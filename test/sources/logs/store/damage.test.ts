import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../../src/errors.ts";
import type { Filter } from "../../../../src/operations/filter.ts";
import { parseFilter } from "../../../../src/operations/filter.ts";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { inspectHistory } from "../../../../src/sources/logs/store/inspect-history.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";
import { listFiles } from "./history-files.ts";

const DAY = 86_400_000;
const [FROM, TO] = ["2026-11-15", "2026-11-21"];
const ONE = "one.example.com";
const TWO = "two.example.com";

let place: LogPlace;
let flags: Record<string, unknown>;
beforeEach(() => {
  place = createLogPlace();
  const www = join(place.folder, "www");
  // Two sites share the journals.
  flags = { logs: [`${ONE}=${www}/access.log.one*`, `${TWO}=${www}/access.log.two*`], site: [ONE, TWO] };
  place.write("access.log.one.1", [...linesOf(30, NOON - 5 * DAY), ...linesOf(20, NOON - 4 * DAY)]);
  place.write("access.log.one", linesOf(12, NOON - 3_600_000));
  place.write("access.log.two", [...linesOf(9, NOON - 5 * DAY), ...linesOf(7, NOON - 3_600_000)]);
});
afterEach(() => place.remove());

const linesOf = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) =>
    combinedLine({ at: at + 1_000 * index, address: `198.51.100.${index % 5}`, path: `/${index % 3}` }),
  );

const open = () => place.open(flags);
const PAGE = parseFilter(["pages=/1"]);

/** The page views by day, and of one page; undefined if that is refused. */
async function ask(source: DataSource, domain: string, filter?: Filter) {
  const site = (await source.sites()).find((each) => each.domain === domain);
  if (site === undefined) throw new Error(`There is no ${domain}.`);
  const span = { site, from: FROM, to: TO, now: place.clock.now, filter };
  const days = (await source.days(span)).filter(({ pageviews }) => pageviews > 0);
  const warnings = (await source.warnings?.(span)) ?? [];
  return {
    days: Object.fromEntries(days.map(({ date, pageviews }) => [date, pageviews])),
    damage: warnings.filter(({ code }) => code === "damaged_history"),
  };
}

const historyFolder = () => {
  const manifest = listFiles(join(place.folder, "state")).find((path) => path.endsWith("manifest")) ?? "";
  return manifest.slice(0, -"/manifest".length);
};
const find = (pattern: RegExp) => {
  const path = listFiles(historyFolder()).find((each) => pattern.test(each));
  if (path === undefined) throw new Error(`There is no ${pattern}.`);
  return path;
};
/** Changes a bit. @param after A text: the bit is in what follows it; in the middle of the file if absent. */
const flip = (path: string, after?: string) => {
  const bytes = readFileSync(path);
  const at = after === undefined ? bytes.length >>> 1 : bytes.indexOf(after) + after.length + 10;
  bytes[at] = (bytes[at] ?? 0) ^ 0x04;
  writeFileSync(path, bytes);
};
/** The lines that were counted are gone. */
const rotateAway = () => {
  for (const name of ["access.log.one.1", "access.log.one", "access.log.two"])
    rmSync(join(place.folder, "www", name), { force: true });
  place.write("access.log.one", linesOf(1, NOON - 5_000));
  place.write("access.log.two", linesOf(1, NOON - 6_000));
};

const ALL = {
  [ONE]: { "2026-11-16": 30, "2026-11-17": 20, "2026-11-21": 12 },
  [TWO]: { "2026-11-16": 9, "2026-11-21": 7 },
};

describe("a flipped bit in the journal of an open day", () => {
  const journal = () => find(/open\/2026-11-21\.journal$/);

  it("has the day counted again if all of its lines are there, and says so", async () => {
    expect((await ask(await open(), ONE, PAGE)).days["2026-11-21"]).toBe(4);
    flip(journal(), `"site":"${ONE}"`);
    expect(await ask(await open(), ONE, PAGE)).toEqual({
      days: { "2026-11-16": 10, "2026-11-17": 7, "2026-11-21": 4 },
      damage: [],
    });
    expect(place.warned).toEqual([expect.stringContaining(`damaged (${journal()}: its bytes have changed)`)]);
    expect(await ask(await open(), ONE)).toEqual({ days: ALL[ONE], damage: [] });
    expect(inspectHistory(historyFolder())?.damaged).toEqual([]);
  });

  it("leaves the totals if its lines are gone: what else is asked is refused once, then left out by name", async () => {
    await ask(await open(), ONE);
    rotateAway();
    flip(journal(), `"site":"${ONE}"`);
    expect(inspectHistory(historyFolder())?.damaged).toEqual([journal()]);
    const named = expect.objectContaining({
      code: "damaged_history",
      values: { days: 1, from: "2026-11-21", to: "2026-11-21", file: join("open", "2026-11-21.journal") },
    });
    // One line has come, which needs the journal.
    const after = await ask(await open(), ONE);
    expect(after).toEqual({ days: ALL[ONE], damage: [named] });
    const filtered = { days: { "2026-11-16": 10, "2026-11-17": 7 }, damage: [named] };
    expect(await ask(await open(), ONE, PAGE)).toEqual(filtered);
    place.clock.now += 3 * DAY;
    expect(await ask(await open(), ONE, PAGE)).toEqual(filtered);
    expect((await ask(await open(), ONE)).days).toEqual(ALL[ONE]);
    expect(listFiles(join(historyFolder(), "damaged"))).toHaveLength(1);
  });

  it("is an error that names the file where it is found in the middle of an answer", async () => {
    await ask(await open(), ONE);
    for (const name of ["access.log.one.1", "access.log.one"]) rmSync(join(place.folder, "www", name));
    place.write("access.log.one.old", linesOf(1, NOON - 5 * DAY - 60_000));
    flip(journal(), `"site":"${ONE}"`);
    const source = await open();
    const error = await ask(source, ONE, PAGE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnalyticsError);
    expect(error).toMatchObject({ message: expect.stringContaining(join("open", "2026-11-21.journal")) });
    expect(await ask(source, ONE, PAGE)).toMatchObject({
      days: { "2026-11-16": 10, "2026-11-17": 7 },
      damage: [{ code: "damaged_history" }],
    });
  });

  it("leaves other sites and days alone", async () => {
    await ask(await open(), ONE);
    rotateAway();
    flip(journal(), `"site":"${ONE}"`);
    const source = await open();
    await ask(source, ONE);
    expect(await ask(source, TWO, PAGE)).toEqual({ days: { "2026-11-16": 3, "2026-11-21": 2 }, damage: [] });
    expect(await ask(source, TWO)).toEqual({ days: { ...ALL[TWO], "2026-11-21": 8 }, damage: [] });
  });
});

describe("a damaged manifest", () => {
  it("has a copy", async () => {
    await ask(await open(), ONE);
    rotateAway();
    flip(find(/manifest$/));
    expect((await ask(await open(), ONE, PAGE)).damage).toEqual([]);
    expect((await ask(await open(), ONE)).days).toEqual({ ...ALL[ONE], "2026-11-21": 13 });
    expect(place.warned).toEqual([expect.stringContaining(`(${find(/manifest$/)}: its bytes have changed)`)]);
    expect(inspectHistory(historyFolder())?.damaged).toEqual([]);
  });

  it("loses the open days alone if the copy is damaged, too, and nothing counts twice", async () => {
    await ask(await open(), ONE);
    rmSync(join(place.folder, "www", "access.log.one"));
    flip(find(/manifest$/));
    flip(find(/manifest\.copy$/));
    const found = await ask(await open(), ONE);
    expect(found.days).toEqual({ "2026-11-16": 30, "2026-11-17": 20 });
    expect(found.damage).toMatchObject([{ values: { from: "2026-11-21", to: "2026-11-21" } }]);
    // Of the other site, the lines are there. Nobody knows whether they are all.
    const other = await ask(await open(), TWO, PAGE);
    expect(other.days).toEqual({ "2026-11-16": 3, "2026-11-21": 2 });
    expect(other.damage).toHaveLength(1);
    place.write("access.log.one", linesOf(2, NOON - 9_000));
    expect((await ask(await open(), ONE)).days).toEqual({
      "2026-11-16": 30,
      "2026-11-17": 20,
      "2026-11-21": 2,
    });
  });
});

describe("a damaged list of days", () => {
  const list = () => find(/one\.example\.com\/days\.[0-9a-f]+\.json$/);

  it("is made again from the files of the days", async () => {
    await ask(await open(), ONE);
    rotateAway();
    flip(list());
    expect((await ask(await open(), ONE, PAGE)).days).toEqual({
      "2026-11-16": 10,
      "2026-11-17": 7,
      "2026-11-21": 4,
    });
    expect(await ask(await open(), ONE)).toEqual({ days: { ...ALL[ONE], "2026-11-21": 13 }, damage: [] });
    expect(place.warned).toHaveLength(1);
    expect(inspectHistory(historyFolder())?.damaged).toEqual([]);
  });

  it("names the days whose files are gone as well, as long as their lines do not come back", async () => {
    await ask(await open(), ONE);
    const lines = readFileSync(join(place.folder, "www", "access.log.one.1"), "utf8")
      .trim()
      .split("\n");
    rmSync(join(place.folder, "www", "access.log.one.1"));
    flip(list());
    rmSync(find(/one\.example\.com\/2026-11-16\.[0-9a-f]+\.sums\.gz$/));
    const found = await ask(await open(), ONE);
    expect(found.days).toEqual({ "2026-11-17": 20, "2026-11-21": 12 });
    expect(found.damage).toMatchObject([{ values: { days: 1, from: "2026-11-16", to: "2026-11-16" } }]);
    expect((await ask(await open(), ONE)).damage).toEqual(found.damage);
    place.write("access.log.one.1", lines);
    expect(await ask(await open(), ONE)).toEqual({ days: ALL[ONE], damage: [] });
  });
});
