import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../../src/errors.ts";
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
  ["the journal of an open day", /\.journal$/],
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

describe("a damaged history", () => {
  let place: LogPlace;
  let before: FolderContents;
  /** What the logs say, and what they say when three lines have come. */
  let expected: Awaited<ReturnType<typeof ask>>;
  let expectedGrown: Awaited<ReturnType<typeof ask>>;

  beforeAll(async () => {
    place = createLogPlace();
    place.write("access.log.1", linesOf(120, NOON - 5 * DAY));
    place.write("access.log", [...linesOf(80, NOON - DAY), ...linesOf(50, NOON - 3_600_000), crawler]);
    expected = await ask();
    expect(await ask(false)).toEqual(expected);
    before = readFolder(place.folder);
    grow();
    expectedGrown = await ask(false);
  });
  afterAll(() => place.remove());

  const grow = () => place.append("access.log", linesOf(3, NOON - 60_000));

  async function ask(withHistory = true) {
    const source = await place.open({}, withHistory);
    const answer = await readAll(source, FROM, TO, place.clock.now);
    const span = { site: answer.site, from: FROM, to: TO, now: place.clock.now };
    return { ...answer, crawlers: await source.crawlers?.(span, 10) };
  }

  /** The answer; or undefined if it is refused by an error that names the file. */
  async function askOrRefuse(file: string) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof AnalyticsError)) throw error;
      expect(error.message).toContain(file);
      return undefined;
    }
  }

  /** Puts everything back as it was before the damage, and finds the file of this kind. */
  function restore(pattern: RegExp): string {
    restoreFolder(place.folder, before);
    place.warned.length = 0;
    return listFiles(place.history()).find((path) => pattern.test(path)) ?? "";
  }

  it.each(KINDS)(
    "never gives a wrong number: %s",
    async (_, pattern) => {
      const check = async (damage: Damage) => {
        const file = restore(pattern);
        const bytes = readFileSync(file);
        const spoiled = spoil(bytes, damage);
        if (spoiled.equals(bytes)) return;
        writeFileSync(file, spoiled);
        const found = await askOrRefuse(file);
        if (found !== undefined) expect(found).toEqual(expected);
        // As right when lines have come, so that more of the history is needed.
        restore(pattern);
        writeFileSync(file, spoiled);
        grow();
        const grown = await askOrRefuse(file);
        if (grown !== undefined) expect(grown).toEqual(expectedGrown);
        // Where the log files of closed days are gone, numbers may be missing: then it says so.
        restore(pattern);
        writeFileSync(file, spoiled);
        rmSync(join(place.folder, "www", "access.log.1"));
        const left = await askOrRefuse(file);
        const isSaid = place.warned.some((text) => text.includes(file));
        if (left !== undefined && !isSaid) expect(left).toEqual(expected);
      };
      await fc.assert(fc.asyncProperty(DAMAGES, check), { numRuns: IS_LONG ? 300 : 6 });
      // And if it is gone altogether.
      const file = restore(pattern);
      rmSync(file);
      const found = await askOrRefuse(file);
      if (found !== undefined) expect(found).toEqual(expected);
    },
    600_000,
  );
});
