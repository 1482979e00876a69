import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogSource } from "../../../../src/sources/logs/log-source.ts";
import { isPart } from "../../../../src/sources/logs/store/find-history.ts";
import { takeLock } from "../../../../src/sources/logs/store/lock.ts";
import { createLogStore } from "../../../../src/sources/logs/store/log-store.ts";
import { isNotKept, openHistoryOf } from "../../../../src/sources/logs/store/open-history.ts";
import {
  combinedLine,
  createLogPlace,
  type LogPlace,
  NOON,
  readAll,
  readSettings,
  skipWaits,
} from "../log-place.ts";
import { changeManifest, listClosedDays, listFiles, readManifest } from "./history-files.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
  place.write("access.log", [
    combinedLine({ at: NOON - 5 * 86_400_000, address: "198.51.100.1" }),
    combinedLine({ at: NOON - 60_000 }),
  ]);
});
afterEach(() => place.remove());

const state = () => join(place.folder, "state");

/** Asks as a new process does. */
async function ask() {
  const { days } = await readAll(await place.open(), "2026-11-16", "2026-11-21", place.clock.now);
  return [days.at(0)?.visitors, days.at(-1)?.visitors];
}

describe("a history that cannot be used", () => {
  it("is not made where there is no folder for it", async () => {
    writeFileSync(state(), "a file");
    expect(await ask()).toEqual([1, 1]);
    expect(place.warned).toEqual([
      expect.stringMatching(/^The counts of these logs are not kept: .* is a file/),
    ]);
  });

  it.each([[""], ["logs"]])("is not made in a folder that others could change: state/%s", async (inner) => {
    const folder = join(state(), "analytics-mcp", inner);
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    expect(await ask()).toEqual([1, 1]);
    expect(place.warned).toEqual([
      expect.stringMatching(/^The counts of these logs are not kept: other users could/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
    chmodSync(folder, 0o700);
    await ask();
    expect(readdirSync(folder)).not.toEqual([]);
  });

  it.each([
    ["damaged from the start", (bytes: Buffer) => Buffer.from(bytes).fill(7, 0, 64)],
    ["cut off", (bytes: Buffer) => bytes.subarray(0, 500)],
    ["empty", () => Buffer.alloc(0)],
    ["no manifest", () => Buffer.from("This is no manifest.".repeat(500))],
  ])("goes on with the copy if its manifest is %s", async (_, spoil) => {
    expect(await ask()).toEqual([1, 1]);
    const file = join(place.history(), "manifest");
    const whole = readFileSync(file);
    writeFileSync(file, spoil(whole));
    expect(await ask()).toEqual([1, 1]);
    expect(place.warned).toEqual([expect.stringContaining(`damaged (${file}: its bytes have changed)`)]);
    expect(readManifest(place.history()).contents).toEqual(
      JSON.parse(`${whole}`.split("\n")[1] ?? "").contents,
    );
    expect(await ask()).toEqual([1, 1]);
    expect(place.warned).toHaveLength(1);
  });

  it.each([["format"], ["definition"]])(
    "is left alone if a newer version of this program wrote it, with another %s",
    async (name) => {
      await ask();
      changeManifest(place.history(), () => ({ [name]: 99 }));
      const read = () => listFiles(place.history()).map((path) => [path, readFileSync(path)]);
      const before = read();
      expect(await ask()).toEqual([1, 1]);
      expect(place.warned).toEqual([expect.stringContaining("a newer version of this program wrote it")]);
      expect(read()).toEqual(before);
    },
  );

  it("is put aside if an earlier version of this program wrote it, in another format", async () => {
    await ask();
    changeManifest(place.history(), () => ({ format: 1 }));
    expect(await ask()).toEqual([1, 1]);
    expect(place.warned).toEqual([expect.stringContaining("an earlier version of this program wrote it")]);
    expect(readManifest(`${place.history()}.damaged`).format).toBe(1);
    expect(readManifest(place.history()).format).toBeGreaterThan(3);
  });

  it("is no file", async () => {
    await ask();
    renameSync(place.history(), `${place.history()}.moved`);
    writeFileSync(place.history(), "a file");
    expect(await ask()).toEqual([1, 1]);
    expect(place.warned).toEqual([expect.stringMatching(/^The counts of these logs are not kept: .* file/)]);
    expect(readFileSync(place.history(), "utf8")).toBe("a file");
  });

  it("is no link to another folder", async () => {
    mkdirSync(join(state(), "analytics-mcp", "logs"), { recursive: true, mode: 0o700 });
    const other = join(place.folder, "other");
    mkdirSync(other);
    symlinkSync(other, place.history());
    expect(await ask()).toEqual([1, 1]);
    expect(place.warned).toEqual([expect.stringMatching(/^The counts of these logs are not kept: .* link/)]);
    expect(readdirSync(other)).toEqual([]);
  });
});

it("is written again by the same process once that is possible", async () => {
  const source = await place.open();
  await source.sites();
  const closeDays = async (days: number) => {
    place.clock.now = NOON + days * 86_400_000;
    place.append("access.log", [combinedLine({ at: place.clock.now - 60_000 })]);
    await source.sites();
  };
  const lock = takeLock(join(place.history(), "lock"));
  await skipWaits(() => closeDays(3));
  lock.release();
  expect(place.warned).toEqual([expect.stringMatching(/cannot be kept in .*: another process is writing/)]);
  expect(listClosedDays(place.history())).toEqual(["2026-11-16"]);
  await closeDays(6);
  expect(listClosedDays(place.history())).toEqual(["2026-11-16", "2026-11-21", "2026-11-24"]);
  expect(place.warned).toHaveLength(1);
});

it("answers, and says what was not saved, while other processes write all the time", async () => {
  await ask();
  place.append("access.log", [combinedLine({ at: NOON - 30_000, address: "198.51.100.2" })]);
  const settings = readSettings(place.folder, {});
  let isBusy = true;
  const openHistory = async () => {
    const history = await openHistoryOf(settings, place.environment, (text) => place.warned.push(text));
    if (isNotKept(history) || isPart(history)) throw new Error("There is no history.");
    const save: typeof history.save = (...state) => {
      if (isBusy) changeManifest(place.history(), ({ generation }) => ({ generation: generation + 1 }));
      return history.save(...state);
    };
    return { ...history, save };
  };
  const source = createLogSource(settings, createLogStore(settings, { clock: () => NOON, openHistory }));
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span = { site, from: "2026-11-21", to: "2026-11-21", now: NOON };
  expect(await source.days(span)).toMatchObject([{ visitors: 2 }]);
  const readCodes = async () => (await source.warnings?.(span))?.map(({ code }) => code);
  expect(await readCodes()).toContain("not_saved");
  isBusy = false;
  expect(await readCodes()).not.toContain("not_saved");
});

it.each([
  ["without a home", {}, /^HOME is not set$/],
  ["where the system makes no folder", { XDG_STATE_HOME: "/proc" }, /^\/proc\/\S+ cannot be used, because /],
])("says at once that nothing is kept %s", async (_, environment, reason) => {
  const warned: string[] = [];
  const found = await openHistoryOf(readSettings(place.folder, {}), environment, (text) => warned.push(text));
  expect(found).toEqual({ reason: expect.stringMatching(reason) });
  expect(warned).toEqual([expect.stringContaining("The counts of these logs are not kept: ")]);
});
