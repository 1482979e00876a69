import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../../src/errors.ts";
import { parseFilter } from "../../../../src/operations/filter.ts";
import type { Warning } from "../../../../src/operations/warning.ts";
import type { CountedDay } from "../../../../src/sources/data-source.ts";
import { IS_LONG } from "../../../support/seed.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";
import { type FolderContents, listFiles, readFolder, restoreFolder } from "./history-files.ts";

const DAY = 86_400_000;
const [FROM, TO] = ["2026-11-15", "2026-11-21"];

const linesOf = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) =>
    combinedLine({
      at: at + 1_000 * index,
      address: `198.51.100.${index % 17}`,
      path: `/page/${index % 5}`,
      referrer: index % 3 === 0 ? "https://www.google.com/" : "-",
    }),
  );
const crawler = combinedLine({ at: NOON - 90_000, agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" });

/** The kinds of files, by their names in the folder. */
const KINDS: [string, RegExp][] = [
  ["the manifest", /manifest$/],
  ["the copy of the manifest", /manifest\.copy$/],
  ["the manifest and its copy", /manifest(?:\.copy)?$/],
  ["the journal of an open day", /2026-11-21\.journal$/],
  ["the list of closed days", /days\.[0-9a-f]+\.json$/],
  ["the sums of a closed day", /2026-11-16\.[0-9a-f]+\.sums\.gz$/],
  ["the hits of a closed day", /\.parquet$/],
];

interface Damage {
  /** As a share of the file's length. */
  at: number;
  /** What the byte there becomes, or that the file ends there. */
  kind: "flip" | "cut" | "zeros" | "grow";
}
const DAMAGES = fc.record<Damage>({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  kind: fc.constantFrom("flip", "cut", "zeros", "grow"),
});

function spoil(bytes: Buffer, { at, kind }: Damage): Buffer {
  const place = Math.floor(at * bytes.length);
  if (kind === "cut") return bytes.subarray(0, place);
  if (kind === "grow") return Buffer.concat([bytes, bytes.subarray(place)]);
  const spoiled = Buffer.from(bytes);
  if (kind === "flip") spoiled[place] = (spoiled[place] ?? 0) ^ 0x04;
  else spoiled.fill(0, place, Math.min(place + 512, spoiled.length));
  return spoiled;
}

type Answer = Awaited<ReturnType<typeof readAll>> & {
  filtered: readonly CountedDay[];
  crawlers: unknown;
  damage: readonly Warning[];
};

describe("a damaged history", () => {
  let place: LogPlace;
  let before: FolderContents;
  /** What the logs say, and what they say when three lines have come: in the same file, and where all other files are gone. */
  let expected: Answer;
  let expectedGrown: Answer;
  let expectedAlone: Answer;

  beforeAll(async () => {
    place = createLogPlace();
    place.write("access.log.1", linesOf(120, NOON - 5 * DAY));
    place.write("access.log", [...linesOf(80, NOON - DAY), ...linesOf(50, NOON - 3_600_000), crawler]);
    expected = await ask();
    expect(await ask(false)).toEqual(expected);
    before = readFolder(place.folder);
    grow();
    expectedGrown = await ask(false);
    restoreFolder(place.folder, before);
    leaveNewLines();
    expectedAlone = await ask();
    expect(expectedAlone.days.at(-1)?.pageviews).toBe((expected.days.at(-1)?.pageviews ?? 0) + 3);
  });
  afterAll(() => place.remove());

  const grow = () => place.append("access.log", linesOf(3, NOON - 60_000));
  const leaveNewLines = () => {
    for (const name of ["access.log", "access.log.1"]) rmSync(join(place.folder, "www", name));
    place.write("access.log", linesOf(3, NOON - 50_000));
  };

  async function ask(withHistory = true): Promise<Answer> {
    const source = await place.open({}, withHistory);
    const answer = await readAll(source, FROM, TO, place.clock.now);
    const span = { site: answer.site, from: FROM, to: TO, now: place.clock.now };
    const filtered = await source.days({ ...span, filter: parseFilter(["pages=/page/1"]) });
    const warnings = (await source.warnings?.(span)) ?? [];
    const damage = warnings.filter(({ code }) => code === "damaged_history");
    return { ...answer, filtered, crawlers: await source.crawlers?.(span, 10), damage };
  }

  /** It is what it was, but for the days that it names. */
  function check(found: Answer | undefined, whole: Answer) {
    if (found === undefined) return;
    if (found.damage.length === 0) {
      expect(found).toEqual(whole);
      return;
    }
    const isNamed = (date: string) =>
      found.damage.some(({ values }) => String(values?.from) <= date && date <= String(values?.to));
    for (const name of ["days", "filtered"] as const) {
      for (const [index, day] of found[name].entries()) {
        const told = whole[name][index];
        if (isNamed(day.date)) expect(day.pageviews).toBeLessThanOrEqual(told?.pageviews ?? 0);
        else expect(day).toEqual(told);
      }
    }
  }

  /** The answer; or undefined if it is refused by an error that names the file. */
  async function askOrRefuse(file: string): Promise<Answer | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof AnalyticsError)) throw error;
      expect(error.message).toContain(basename(file));
      return undefined;
    }
  }

  /** Puts everything back as it was before the damage, and finds the files of this kind. */
  function restore(pattern: RegExp): string[] {
    restoreFolder(place.folder, before);
    place.warned.length = 0;
    return listFiles(place.history()).filter((path) => pattern.test(path));
  }

  it.each(KINDS)(
    "never gives a wrong number: %s",
    async (_, pattern) => {
      const spoilAll = (damage: Damage) => {
        for (const file of restore(pattern)) writeFileSync(file, spoil(readFileSync(file), damage));
      };
      const checkDamage = async (damage: Damage) => {
        const [file = ""] = restore(pattern);
        if (spoil(readFileSync(file), damage).equals(readFileSync(file))) return;
        spoilAll(damage);
        check(await askOrRefuse(file), expected);
        // As right when lines have come, so that more of the history is needed.
        spoilAll(damage);
        grow();
        check(await askOrRefuse(file), expectedGrown);
        // Where the log files of closed days are gone, numbers may be missing: then it says so.
        spoilAll(damage);
        rmSync(join(place.folder, "www", "access.log.1"));
        check(await askOrRefuse(file), expected);
        // And where all are gone: the next answer, too.
        spoilAll(damage);
        leaveNewLines();
        check(await askOrRefuse(file), expectedAlone);
        check(await askOrRefuse(file), expectedAlone);
      };
      await fc.assert(fc.asyncProperty(DAMAGES, checkDamage), { numRuns: IS_LONG ? 300 : 2 });
      // And if it is gone altogether.
      const [file = ""] = restore(pattern);
      for (const each of restore(pattern)) rmSync(each);
      check(await askOrRefuse(file), expected);
      for (const each of restore(pattern)) rmSync(each);
      leaveNewLines();
      check(await askOrRefuse(file), expectedAlone);
    },
    600_000,
  );
});
