import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../../src/errors.ts";
import { makePipe } from "../../../support/pipe.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";
import { listFiles } from "./history-files.ts";

const DAY = 86_400_000;

/** What else can be at a path, and what is said of it. */
const STAND_INS: [string, (path: string) => unknown, string][] = [
  ["a folder", (path) => mkdirSync(path), "it is a folder"],
  ["a link to itself", (path) => symlinkSync(path, path), "its links lead in a circle"],
  ["a pipe", makePipe, "it is a pipe, a socket or a device"],
];

describe.each(STAND_INS)("%s in place of a file of the history", (_, put, reason) => {
  let place: LogPlace;
  let expected: Awaited<ReturnType<typeof ask>>;
  let tidy: unknown;
  beforeEach(async () => {
    place = createLogPlace();
    const lines = (days: number) =>
      [1, 2, 3].map((n) => combinedLine({ at: NOON - days * DAY - n * 60_000, path: `/${n}` }));
    place.write("access.log", [...lines(5), ...lines(1), ...lines(0)]);
    await ask();
    place.append("access.log", lines(0));
    expected = await ask(false);
  });
  afterEach(() => {
    if (typeof tidy === "function") tidy();
    place.remove();
  });

  async function ask(withHistory = true) {
    return readAll(await place.open({}, withHistory), "2026-11-15", "2026-11-21", place.clock.now);
  }

  const replace = (path: string) => {
    rmSync(path, { force: true });
    tidy = put(path);
  };
  const find = (pattern: RegExp) => listFiles(place.history()).find((path) => pattern.test(path)) ?? "";

  it.each([
    ["the manifest", /manifest$/],
    ["the list of closed days", /days\.[0-9a-f]+\.json$/],
    ["the journal of an open day", /2026-11-21\.journal$/],
  ])("has the logs counted again: %s", async (_, pattern) => {
    const path = find(pattern);
    replace(path);
    expect(await ask()).toEqual(expected);
    expect(place.warned[0]).toContain(`(${path}: ${reason})`);
  });

  it("is named by a process that was there before, which has the logs counted again if it can", async () => {
    const source = await place.open();
    const askAgain = () => readAll(source, "2026-11-15", "2026-11-21", place.clock.now);
    await askAgain();
    const path = find(/manifest$/);
    replace(path);
    const found = await askAgain().catch((error: unknown) => error);
    if (found instanceof AnalyticsError) place.warned.push(found.message);
    else expect(found).toEqual(expected);
    expect(place.warned[0]).toContain(`${path}: ${reason}`);
  });

  it("is named if it is a closed day's", async () => {
    const path = find(/2026-11-16\.[0-9a-f]+\.sums\.gz$/);
    replace(path);
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnalyticsError);
    expect(error).toMatchObject({
      message: `A file in the history of these logs is damaged: ${path}`,
      cause: { message: reason },
    });
  });

  it.each(["lock", "open/2026-11-22.journal"])("is no reason not to answer: %s", async (name) => {
    const path = join(place.history(), name);
    replace(path);
    place.clock.now += DAY;
    place.append("access.log", [combinedLine({ at: NOON + DAY - 60_000 })]);
    expected = await ask(false);
    expect(await ask()).toEqual(expected);
    expect(place.warned).toEqual([expect.stringContaining(`${path}: ${reason}`)]);
  });
});

it("waits for no lock that is a link to nothing", async () => {
  const place = createLogPlace();
  place.write("access.log", [combinedLine({ at: NOON - DAY })]);
  const ask = async () => readAll(await place.open(), "2026-11-15", "2026-11-21", place.clock.now);
  const expected = await ask();
  const lock = join(place.history(), "lock");
  symlinkSync("/nowhere", lock);
  place.append("access.log", ["damaged"]);
  expect((await ask()).days).toEqual(expected.days);
  expect(place.warned).toEqual([expect.stringContaining(`${lock}: it is a link to nothing`)]);
  place.remove();
});
