import { rmSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLogSource } from "../../../../src/sources/logs/open.ts";
import { findDriver } from "../../../../src/sqlite/driver.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";
import { findIndexFile } from "./index-place.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let place: LogPlace;
let warned: string[];
beforeEach(() => {
  place = createLogPlace();
  warned = [];
});
afterEach(() => place.remove());

const state = () => join(place.folder, "state");

/** Opens the logs as a new process does. */
const open = (keepsIndex = true) =>
  openLogSource({
    flags: { logs: [join(place.folder, "www", "access.log*")], site: "example.com", timezone: "UTC" },
    environment: keepsIndex ? { XDG_STATE_HOME: state() } : {},
    clock: () => place.clock.now,
    warn: (text) => void warned.push(text),
  });
const ask = async (source: Awaited<ReturnType<typeof open>>) =>
  readAll(source, "2026-11-10", "2026-11-30", place.clock.now);

const makeLines = (from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / HOUR) }, (_, index) =>
    combinedLine({ at: from + index * HOUR, address: `198.51.100.${index % 9}`, path: `/${index % 4}` }),
  );

describe("a clock that goes back", () => {
  it.each(["by a new process", "by the same process"])("has its days opened again %s", async (who) => {
    place.write("access.log.1", makeLines(NOON - 9 * DAY, NOON - 6 * DAY));
    place.write("access.log", makeLines(NOON - 3 * DAY, NOON - HOUR));
    await ask(await open());
    rmSync(join(place.folder, "www", "access.log.1"));
    // Days too early, all days are closed.
    place.clock.now = NOON + 5 * DAY;
    const long = await open();
    await ask(long);
    place.clock.now = NOON;
    place.append("access.log", [combinedLine({ at: NOON - 60_000, path: "/now" })]);
    const found = await ask(who === "by the same process" ? long : await open());
    const fresh = await ask(await open(false));
    expect(found.active).toBe(1);
    const recent = (days: typeof found.days) => days.filter(({ date }) => date >= "2026-11-18");
    expect(recent(found.days)).toEqual(recent(fresh.days));
    expect(found.days.find(({ date }) => date === "2026-11-14")?.pageviews).toBe(24);
    // What is written then is as right.
    expect(await ask(await open())).toEqual(found);
    place.clock.now = NOON + 5 * DAY;
    expect((await ask(await open())).days).toEqual(found.days);
  });
});

/** Has another version of the program count: its rules have another number. */
async function countByOtherVersion(step: number) {
  const db = (await findDriver())?.(findIndexFile(state()));
  const head = deserialize(Buffer.from(db?.prepare("SELECT value FROM state").get()?.value as Uint8Array));
  const changed = { ...head, definition: head.definition + step, generation: head.generation + 1 };
  db?.prepare("UPDATE state SET value = ?").run(serialize(changed));
  db?.close();
}

describe("an index that a newer version of this program counted in", () => {
  beforeEach(() => {
    place.write("access.log", makeLines(NOON - 4 * DAY, NOON - HOUR));
  });

  it("is left alone by a process that starts", async () => {
    const expected = await ask(await open());
    await countByOtherVersion(1);
    expect(await ask(await open())).toEqual(expected);
    expect(warned).toEqual([
      expect.stringMatching(/^The counts of these logs are not kept: .* a newer version/),
    ]);
    await countByOtherVersion(-1);
    expect(await ask(await open())).toEqual(expected);
    expect(warned).toHaveLength(1);
  });

  it("is left alone by a process that was there before, which says so", async () => {
    const long = await open();
    await ask(long);
    await countByOtherVersion(1);
    place.clock.now += 2 * DAY;
    await expect(ask(long)).rejects.toThrow("A newer version of this program counts these logs now.");
    await expect(ask(long)).rejects.toMatchObject({ code: "unavailable", hint: "Start this one again." });
  });
});
