import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLogSource } from "../../../../src/sources/logs/open.ts";
import { findDriver } from "../../../../src/sqlite/driver.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";
import { findIndexFile } from "./index-place.ts";

let place: LogPlace;
let warned: string[];
beforeEach(() => {
  place = createLogPlace();
  warned = [];
  place.write("access.log", [
    combinedLine({ at: NOON - 5 * 86_400_000, address: "198.51.100.1" }),
    combinedLine({ at: NOON - 60_000 }),
  ]);
});
afterEach(() => place.remove());

const state = () => join(place.folder, "state");

const start = () =>
  openLogSource({
    flags: { logs: [join(place.folder, "www", "access.log")], site: "example.com", timezone: "UTC" },
    environment: { XDG_STATE_HOME: state() },
    clock: () => place.clock.now,
    warn: (text) => void warned.push(text),
  });

/** Asks as a new process does. */
async function ask() {
  const source = await start();
  const { days } = await readAll(source, "2026-11-16", "2026-11-21", place.clock.now);
  return [days.at(0)?.visitors, days.at(-1)?.visitors];
}

const indexFile = () => findIndexFile(state());

describe("an index that cannot be used", () => {
  it("is not made where there is no folder for it", async () => {
    writeFileSync(state(), "a file");
    expect(await ask()).toEqual([1, 1]);
    expect(warned).toEqual([expect.stringMatching(/^The counts of these logs are not kept: .* is a file/)]);
  });

  it.each([[""], ["logs"]])("is not made in a folder that others could change: state/%s", async (inner) => {
    const folder = join(state(), "analytics-mcp", inner);
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    expect(await ask()).toEqual([1, 1]);
    expect(warned).toEqual([
      expect.stringMatching(/^The counts of these logs are not kept: other users could/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
    chmodSync(folder, 0o700);
    await ask();
    expect(readdirSync(folder)).not.toEqual([]);
  });

  it.each([
    ["damaged from the start", (bytes: Buffer) => Buffer.from(bytes).fill(7, 0, 2048)],
    ["cut off", (bytes: Buffer) => bytes.subarray(0, 5000)],
    ["no database", () => Buffer.from("This is no database.".repeat(500))],
  ])("is put aside if it is %s, and the numbers stay right", async (_, spoil) => {
    expect(await ask()).toEqual([1, 1]);
    const file = indexFile();
    writeFileSync(file, spoil(readFileSync(file)));
    expect(await ask()).toEqual([1, 1]);
    expect(warned).toEqual([expect.stringMatching(/was damaged and is now .*\.damaged/)]);
    expect(existsSync(`${file}.damaged`)).toBe(true);
    expect(await ask()).toEqual([1, 1]);
    expect(warned).toHaveLength(1);
  });

  it("is left alone if a newer version of this program wrote it", async () => {
    await ask();
    const db = (await findDriver())?.(indexFile());
    db?.exec("PRAGMA user_version = 99");
    db?.close();
    const before = readFileSync(indexFile());
    expect(await ask()).toEqual([1, 1]);
    expect(warned).toEqual([expect.stringContaining("a newer version of this program wrote it")]);
    expect(readFileSync(indexFile())).toEqual(before);
  });

  it("is left alone if it is another program's", async () => {
    await ask();
    const db = (await findDriver())?.(indexFile());
    db?.exec("PRAGMA application_id = 1");
    db?.close();
    expect(await ask()).toEqual([1, 1]);
    expect(warned).toEqual([expect.stringContaining("it is another program's database")]);
  });

  it("is no folder", async () => {
    await ask();
    const file = indexFile();
    const other = `${file}.moved`;
    renameSync(file, other);
    mkdirSync(file);
    expect(await ask()).toEqual([1, 1]);
    expect(warned).toEqual([expect.stringContaining("it is not a regular file")]);
  });
});

it("is written again by the same process once that is possible", async () => {
  const source = await start();
  await source.sites();
  const db = (await findDriver())?.(indexFile());
  const closeDays = async (days: number) => {
    place.clock.now = NOON + days * 86_400_000;
    place.append("access.log", [combinedLine({ at: place.clock.now - 60_000 })]);
    await source.sites();
  };
  db?.exec("BEGIN EXCLUSIVE");
  await closeDays(3);
  db?.exec("COMMIT");
  expect(warned).toEqual([expect.stringMatching(/cannot be kept in .*: another process has locked it/)]);
  await closeDays(6);
  const kept = db?.prepare("SELECT date FROM closed_days ORDER BY date").all();
  db?.close();
  expect(kept?.map(({ date }) => date)).toEqual(["2026-11-16", "2026-11-21", "2026-11-24"]);
  expect(warned).toHaveLength(1);
});
