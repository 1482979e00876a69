import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const pathOf = (name: string) => join(place.folder, "www", name);

const makeLines = (count: number, hours: number) =>
  Array.from({ length: count }, (_, index) =>
    combinedLine({ at: NOON - hours * 3_600_000 + index * 1_000, address: `198.51.100.${index % 250}` }),
  );

describe("a file that gzip is still writing", () => {
  // Fewer lines than the format is recognized by, and more than a block.
  it.each([20, 5_000])("changes no number, and neither does the whole file (%i lines)", async (count) => {
    place.write("access.log", makeLines(count, 3));
    const long = await place.open();
    const ask = async () => {
      const views: (number | undefined)[] = [];
      for (const source of [long, await place.open(), await place.open({}, false)]) {
        const [site] = await source.sites();
        if (site === undefined) throw new Error("There is no site.");
        const [day] = await source.days({ site, from: "2026-11-21", to: "2026-11-21", now: NOON });
        views.push(day?.pageviews);
      }
      return views;
    };
    expect(await ask()).toEqual([count, count, count]);

    place.write("access.log.1", readFileSync(pathOf("access.log"), "utf8").trimEnd().split("\n"));
    place.write("access.log", makeLines(7, 1));
    const packed = gzipSync(readFileSync(pathOf("access.log.1")));
    const all = [count + 7, count + 7, count + 7];
    for (const share of [12, Math.floor(packed.length / 2), packed.length - 4]) {
      writeFileSync(pathOf("access.log.1.gz"), packed.subarray(0, share));
      expect(await ask()).toEqual(all);
    }
    writeFileSync(pathOf("access.log.1.gz"), packed);
    expect(await ask()).toEqual(all);
    rmSync(pathOf("access.log.1"));
    expect(await ask()).toEqual(all);
  });
});
