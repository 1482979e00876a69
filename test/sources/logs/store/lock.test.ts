import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LockTimeout, takeLock } from "../../../../src/sources/logs/store/lock.ts";
import { spawnSync } from "../../../support/child-process.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
  path = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What this process writes into a lock. */
function describeHolder() {
  const lock = takeLock(path);
  const holder = JSON.parse(readFileSync(path, "utf8"));
  lock.release();
  return holder;
}

const leave = (holder: object) => writeFileSync(path, JSON.stringify(holder));
const findEndedProcess = () => spawnSync(process.execPath, ["-e", ""]).pid;
const age = (minutes: number) => {
  const then = Date.now() / 1000 - 60 * minutes;
  utimesSync(path, then, then);
};

function expectTaken() {
  const lock = takeLock(path);
  expect(lock.isHeld()).toBe(true);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
}

describe("a lock that was left behind is taken", () => {
  it("if its process has ended", () => {
    leave({ ...describeHolder(), process: findEndedProcess() });
    expectTaken();
  });

  it("if another process has its number now", () => {
    leave({ ...describeHolder(), started: "1" });
    expectTaken();
  });

  it.each([[""], ["{"], ["null"], ["{}"]])("if its process was killed while it wrote it: %j", (text) => {
    writeFileSync(path, text);
    age(1);
    expectTaken();
  });

  it("some time after it was made, if nothing was written", () => {
    writeFileSync(path, "");
    const start = performance.now();
    expectTaken();
    expect(performance.now() - start).toBeGreaterThan(1_000);
  });

  it("if it is of another machine and old", () => {
    leave({ ...describeHolder(), host: "elsewhere.example", process: findEndedProcess() });
    age(11);
    expectTaken();
  });
});

describe("a lock that is held", () => {
  it("is waited for, and is left alone, if another machine has just made it", () => {
    const holder = { ...describeHolder(), host: `not-${hostname()}`, process: findEndedProcess() };
    leave(holder);
    age(9);
    expect(() => takeLock(path)).toThrow(LockTimeout);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(holder);
  });

  it("is no longer held, and not removed, when another process has taken it", () => {
    const lock = takeLock(path);
    const other = { ...describeOther(), id: "another" };
    leave(other);
    expect(lock.isHeld()).toBe(false);
    lock.release();
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(other);
  });

  const describeOther = () => JSON.parse(readFileSync(path, "utf8"));
});
