import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const makeLines = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `${combinedLine({ at: NOON - 60_000 * (500 - from - index), path: `/${from + index}` })}\n`,
  ).join("");

// A writer that does not append goes on at its old offset after copytruncate.
it.each([1, 900, 65_536, 65_537, 1_000_000])(
  "a log whose beginning became %i zeros loses no line",
  async (zeros) => {
    const path = join(place.folder, "www", "access.log");
    writeFileSync(`${path}.1`, makeLines(0, 100));
    writeFileSync(path, "");
    truncateSync(path, zeros);
    const long = await place.open();
    const ask = async () => {
      const views: (number | undefined)[] = [];
      for (const source of [long, await place.open(), await place.open({}, false)]) {
        const [site] = await source.sites();
        if (site === undefined) throw new Error("There is no site.");
        const [day] = await source.days({ site, from: "2026-11-21", to: "2026-11-21", now: NOON });
        // All are of one visitor.
        views.push(day?.visitors === 1 ? day.pageviews : undefined);
      }
      return views;
    };
    expect(await ask()).toEqual([100, 100, 100]);
    const [first = "", second = ""] = [makeLines(100, 1), makeLines(101, 1)];
    appendFileSync(path, first.slice(0, 50));
    expect(await ask()).toEqual([100, 100, 100]);
    appendFileSync(path, first.slice(50));
    expect(await ask()).toEqual([101, 101, 101]);
    // In the middle, as after a crash of the machine.
    appendFileSync(path, Buffer.alloc(zeros));
    appendFileSync(path, second);
    expect(await ask()).toEqual([102, 102, 102]);
    appendFileSync(path, makeLines(102, 10));
    expect(await ask()).toEqual([112, 112, 112]);
  },
);
