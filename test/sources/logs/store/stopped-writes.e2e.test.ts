import { cpSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnSync } from "../../../support/child-process.js";
import { IS_LONG } from "../../../support/seed.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";
import { listFiles, readEverything, readFolder, readManifest, restoreFolder } from "./history-files.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 Zanary7";
const [FROM, TO] = ["2026-11-16", "2026-11-22"];

const linesOf = (count: number, at: number, first = 0) =>
  Array.from({ length: count }, (_, index) =>
    combinedLine({
      at: at + 1_000 * index,
      address: `198.51.100.${100 + ((first + index) % 30)}`,
      path: `/page/${index % 6}`,
      agent: AGENT,
    }),
  );

/** By number from 1: all changes, or the first of each kind. */
function chooseStops(changes: readonly string[]): number[] {
  const stops = changes.map((_, index) => index + 1);
  if (IS_LONG) return stops;
  // What is done, and to which kind of file.
  const kinds = changes.map((change) => change.replace(/ analytics-mcp\/\S*?(\.\w+)?$/, "$1"));
  return stops.filter((stop) => kinds.indexOf(kinds[stop - 1] ?? "") === stop - 1);
}

describe("a process that is killed at any of its writes", () => {
  let place: LogPlace;
  /** What was told before, and what there was of it on disk. */
  let told: Awaited<ReturnType<typeof ask>>;
  let salts: string[];
  let expected: Awaited<ReturnType<typeof ask>>;
  /** What a process changes, one after the other, and how it answers. */
  let changes: string[];
  let answer: { pageviews: number };

  const ask = async (withHistory = true) =>
    readAll(await place.open({}, withHistory), FROM, TO, place.clock.now);
  const path = (...names: string[]) => join(place.folder, ...names);

  beforeAll(async () => {
    place = createLogPlace();
    place.write("access.log.1", [...linesOf(40, NOON - 5 * DAY), ...linesOf(30, NOON - 2 * DAY)]);
    place.write("access.log", [...linesOf(40, NOON - DAY), ...linesOf(20, NOON - HOUR)]);
    told = await ask();
    const { sites, compared } = readManifest(place.history());
    salts = [
      ...sites.flatMap(({ open }) => open["2026-11-20"]?.salt ?? []),
      ...compared.flatMap(({ journal, salt }) => (journal === "2026-11-20" ? salt : [])),
    ];
    // The 20th is closed now, the 21st grows, the 22nd begins, and the 16th, which was closed, gets late lines.
    place.clock.now = NOON + DAY;
    place.append("access.log", [...linesOf(20, NOON + HOUR, 10), ...linesOf(20, NOON + 23 * HOUR)]);
    place.write("access.log.2", linesOf(50, NOON - 5 * DAY - HOUR, 5));
    expected = await ask(false);
    const { stdout, stderr } = askAndCopy();
    answer = JSON.parse(stdout);
    changes = stderr.split("\n").filter((line) => line.startsWith("change: "));
  });
  afterAll(() => place.remove());

  /** Asks in a process of its own, and keeps what is on disk before each of its changes. */
  const askAndCopy = () =>
    spawnSync(
      process.execPath,
      [
        ...["--import", resolve("test/support/fixed-clock.js")],
        ...["--import", resolve("test/support/copy-at-writes.js")],
        ...["bin/analytics-mcp.js", "stats", "--logs", path("www", "access.log*"), "--site", "example.com"],
        ...["--timezone", "UTC", "--period", `${FROM}/${TO}`, "--json"],
      ],
      {
        encoding: "utf8",
        env: {
          XDG_STATE_HOME: path("state"),
          TEST_NOW: String(place.clock.now),
          WATCHED: path("state"),
          COPIES: path("copies"),
        },
      },
    );

  /** What the process would have left if it had been killed before this change. */
  const restoreKilled = (stop: number) => {
    const copy = path("copies", String(stop));
    const left = [...readFolder(copy)].map(
      ([name, bytes]) => [name.replace(copy, path("state")), bytes] as const,
    );
    restoreFolder(path("state"), new Map(left));
  };

  const expectNoTraces = async (when: string, secrets: readonly Buffer[]) => {
    const found = await readEverything(place.history());
    for (const text of ["198.51.100.1", "Zanary7", "rv:140.0"])
      expect(found.includes(text), when).toBe(false);
    for (const secret of secrets) expect(found.includes(secret), when).toBe(false);
  };

  it("leaves a history from which the next one goes on", async () => {
    expect(salts.length).toBe(2);
    expect(answer.pageviews).toBe(220);
    const names = changes.join("\n");
    for (const part of ["parquet", "sums.gz", "days.", "journal", "manifest", "lock"])
      expect(names).toContain(part);
    expect(await ask()).toEqual(expected);

    const secrets = salts.map((salt) => Buffer.from(salt, "base64"));
    for (const stop of chooseStops(changes)) {
      const when = `killed at ${stop}, ${changes[stop - 1]}`;
      restoreKilled(stop);
      await expectNoTraces(when, []);
      expect(await ask(), when).toEqual(expected);
      await expectNoTraces(when, secrets);
      // And if the logs are gone by then.
      restoreKilled(stop);
      renameSync(path("www"), path("www-before"));
      cpSync(path("www-before", "access.log"), path("www", "access.log"));
      writeFileSync(path("www", "access.log"), "");
      const { days } = await ask();
      for (const { date, pageviews, visitors } of told.days) {
        const found = days.find((day) => day.date === date);
        expect(found?.pageviews, `${date}, ${when}`).toBeGreaterThanOrEqual(pageviews);
        expect(found?.visitors, `${date}, ${when}`).toBeGreaterThanOrEqual(visitors);
      }
      rmSync(path("www"), { recursive: true });
      renameSync(path("www-before"), path("www"));
    }
    expect(place.warned).toEqual([]);
  }, 300_000);

  it("leaves nothing behind that is still there when a day was closed a day later", async () => {
    const unused: string[] = [];
    const { now } = place.clock;
    for (const part of ["half of writeSync", "fsyncSync", "renameSync"]) {
      for (const kind of ["parquet", "sums.gz", "days.", "manifest"]) {
        const stop = changes.findIndex((line) => line.includes(part) && line.includes(kind)) + 1;
        if (stop === 0) throw new Error(`There is no ${part} of ${kind}.`);
        place.clock.now = now;
        restoreKilled(stop);
        unused.push(...listUnused());
        for (const file of listFiles(place.history())) utimesSync(file, 0, 0);
        place.clock.now = now + DAY;
        await ask();
        expect(listUnused(), `killed at ${part} of ${kind}`).toEqual([]);
      }
    }
    expect(unused.length).toBeGreaterThan(5);
  });

  /** The files that neither the manifest nor a list that it names has. */
  const listUnused = () => {
    const history = place.history();
    const manifest = readManifest(history);
    const lists = manifest.sites.flatMap(({ domain, days }) =>
      days === null ? [] : readFileSync(join(history, "sites", domain, `days.${days}.json`), "utf8"),
    );
    const text = [JSON.stringify(manifest), ...lists].join("\n");
    return listFiles(history).filter((file) => {
      const name = file.slice(history.length + 1);
      const [, hash] = /\.([0-9a-f]{64})\.[a-z.]+$/.exec(name) ?? [];
      if (hash !== undefined) return !text.includes(hash);
      const [, date = ""] = /^open\/(.*)\.journal$/.exec(name) ?? [];
      return !/^manifest(?:\.copy)?$/.test(name) && !(date in manifest.journals);
    });
  };
});
