import { once } from "node:events";
import { renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { spawn } from "../../../support/child-process.js";
import { IS_LONG } from "../../../support/seed.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PROCESSES = 6;
const TURNS = IS_LONG ? 30 : 2;
/** In each round. */
const LINES = 150;
const FROM = "2026-11-17";
const TO = "2026-11-22";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

/** Some are of the day before, as at midnight. */
const linesOf = (round: number) =>
  Array.from({ length: LINES }, (_, index) => {
    const at = place.clock.now - (index % 2) * DAY - HOUR + 1_000 * round + index;
    return combinedLine({ at, address: `198.51.100.${index % 90}`, path: `/${index % 9}?${round}` });
  });

/** A slow machine reads these logs more slowly than they are rotated, and is told to ask again. */
const ROTATED = "renamed again and again";

/** Asks in a process of its own. Undefined if it was killed. */
async function ask(killAfter: number | undefined): Promise<number | undefined> {
  const child = spawn(
    process.execPath,
    [
      ...["--import", resolve("test/support/fixed-clock.js"), "bin/analytics-mcp.js", "stats"],
      ...["--logs", join(place.folder, "www", "access.log*"), "--site", "example.com", "--timezone", "UTC"],
      ...["--period", `${FROM}/2026-11-21`, "--json"],
    ],
    { env: { XDG_STATE_HOME: join(place.folder, "state"), TEST_NOW: String(place.clock.now) } },
  );
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const closed = once(child, "close");
  if (killAfter !== undefined) void sleep(killAfter).then(() => child.kill("SIGKILL"));
  const [code, signal] = await closed;
  if (signal === "SIGKILL") return undefined;
  if (code !== 0 && output.stderr.includes(ROTATED)) return ask(killAfter);
  expect(code, output.stderr).toBe(0);
  expect(output.stderr).not.toContain("kept");
  return JSON.parse(output.stdout).pageviews as number;
}

it("gives the right numbers when six processes ask at once, some are killed, and the logs grow and rotate", async () => {
  place.write("access.log", linesOf(0));
  place.write("access.log.0", [combinedLine({ at: NOON - 4 * DAY })]);
  let isOver = false;
  const answers: number[] = [];
  let killed = 0;
  const askOften = async (number: number) => {
    let last = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const found = await ask(
        (number + turn) % 2 === 0 ? 100 + 90 * ((number + 3 * turn) % PROCESSES) : undefined,
      );
      if (found === undefined) {
        killed++;
        continue;
      }
      expect(found).toBeGreaterThanOrEqual(last);
      last = found;
      answers.push(found);
    }
  };
  let rounds = 1;
  let rotations = 0;
  const write = async () => {
    const path = (name: string) => join(place.folder, "www", name);
    for (; !isOver; rounds++) {
      await sleep(200);
      place.append("access.log", linesOf(rounds));
      if (rounds % 4 !== 0) continue;
      rotations++;
      renameSync(path("access.log"), path(`access.log.${rotations}`));
      place.write("access.log", [combinedLine({ at: NOON - HOUR, path: `/?rotated=${rotations}` })]);
      // From now on, the first days are closed.
      if (rotations === 2) place.clock.now = NOON + DAY;
    }
  };
  /** This process asks as well, as one that goes on for days. */
  const askHere = async () => {
    const source = await place.open();
    while (!isOver) {
      await readAll(source, FROM, TO, place.clock.now).catch((cause: Error) => {
        if (!cause.message.includes(ROTATED)) throw cause;
      });
      await sleep(100);
    }
    return source;
  };
  const [writing, here] = [write(), askHere()];
  const asking = Array.from({ length: PROCESSES }, (_, number) => askOften(number));
  const all = Promise.allSettled([writing, here, ...asking]);
  try {
    await Promise.all(asking);
  } finally {
    isOver = true;
    await all;
  }
  await writing;
  // A fast machine has answered before the later ones are to be killed.
  expect(killed).toBeGreaterThan(1);
  expect(answers.length).toBeGreaterThanOrEqual(PROCESSES);
  const anew = await readAll(await place.open({}, false), FROM, TO, place.clock.now);
  expect(await readAll(await here, FROM, TO, place.clock.now)).toEqual(anew);
  expect(await readAll(await place.open(), FROM, TO, place.clock.now)).toEqual(anew);
  const total = anew.days.reduce((sum, { pageviews }) => sum + pageviews, 0);
  expect(total).toBe(rounds * LINES + rotations + 1);
  expect(Math.max(...answers)).toBeLessThanOrEqual(total);
  expect(place.warned).toEqual([]);
}, 600_000);
