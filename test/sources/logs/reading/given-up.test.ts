import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
  place.write("access.log", Array<string>(LINES).fill(combinedLine({ at: NOON - 3_600_000 })));
});
afterEach(() => place.remove());

const LINES = 40_000;

/** Asks, and gives up after some of the log's parts of 64 kB. */
async function giveUp(source: DataSource): Promise<void> {
  const given = new AbortController();
  const { signal } = given;
  let parts = 0;
  signal.throwIfAborted = () => {
    if (++parts > 20) given.abort();
    AbortSignal.prototype.throwIfAborted.call(signal);
  };
  await expect(source.sites(signal)).rejects.toThrow("aborted");
}

/** Whether this process has the log open. */
const isOpen = () =>
  readdirSync("/proc/self/fd").some((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`) === join(place.folder, "www", "access.log");
    } catch {
      return false;
    }
  });

async function countPageviews(source: DataSource): Promise<number> {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const days = await source.days({ site, from: "2026-11-20", to: "2026-11-21", now: NOON });
  return days.reduce((sum, { pageviews }) => sum + pageviews, 0);
}

it.skipIf(process.platform !== "linux").each([
  ["in the same process", false],
  ["in another process", true],
])(
  "a question that is given up leaves no file open, and the next one counts every line once, %s",
  async (_, isOther) => {
    const source = await place.open({ acceptProxyAddresses: true });
    await giveUp(source);
    expect(isOpen()).toBe(false);
    const next = isOther ? await place.open({ acceptProxyAddresses: true }) : source;
    expect(await countPageviews(next)).toBe(LINES);
  },
);

it.skipIf(process.platform !== "linux")("what was read until then is kept for other processes", async () => {
  await giveUp(await place.open());
  // The log is gone before anyone asks again.
  place.write("access.log", [combinedLine({ at: NOON - 86_400_000, path: "/other" })]);
  const kept = await countPageviews(await place.open({ acceptProxyAddresses: true }));
  expect(kept).toBeGreaterThan(1);
  expect(kept).toBeLessThan(LINES);
});
