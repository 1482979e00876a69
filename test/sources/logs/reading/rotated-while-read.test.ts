import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../../support/logs.ts";

const HOUR = 3_600_000;

/** The lines of one file: page views, a second apart. @param age In hours. */
const log = (age: number, count: number) =>
  joinLines(
    ...Array.from({ length: count }, (_, index) =>
      combined({
        at: LOG_NOW - age * HOUR + index * 1000,
        address: `192.0.2.${index % 250}`,
        target: `/${index}`,
      }),
    ),
  );

/** Some 150 kB: read in three steps. */
const MANY = 1000;

type Folder = ReturnType<typeof createLogFolder>;

/** Renames a log and those before it, as logrotate does. */
function rename({ path }: Folder): void {
  for (const number of [3, 2, 1]) {
    const before = path(`access.log.${number}`);
    if (existsSync(before)) renameSync(before, path(`access.log.${number + 1}`));
  }
  renameSync(path("access.log"), path("access.log.1"));
}

const addNew = ({ write }: Folder) => write("access.log", log(1, NEW));
const NEW = 7;

const rotations: [string, (folder: Folder) => void, lines: number][] = [
  [
    "renamed",
    (folder) => {
      rename(folder);
      addNew(folder);
    },
    NEW,
  ],
  ["renamed, before there is a new one", rename, 0],
  [
    "compressed",
    (folder) => {
      rename(folder);
      addNew(folder);
      folder.write("access.log.2.gz", gzipSync(readFileSync(folder.path("access.log.2"))));
      rmSync(folder.path("access.log.2"));
    },
    NEW,
  ],
  [
    "copied and emptied",
    (folder) => {
      copyFileSync(folder.path("access.log"), folder.path("access.log.0"));
      truncateSync(folder.path("access.log"));
      addNew(folder);
    },
    NEW,
  ],
];

const STEPS = [0, 1, 3, 5, 8, 11];

it.each(rotations.flatMap(([name, rotate, lines]) => STEPS.map((step) => ({ name, rotate, lines, step }))))(
  "counts each line once if logs are $name while they are read, after step $step",
  async ({ rotate, lines, step }) => {
    const folder = createLogFolder({
      "access.log": log(4, MANY),
      "access.log.1": log(8, MANY),
      "access.log.2": log(12, MANY),
    });
    const logs = openTestLogs({ logs: [folder.path("access.log*")] });
    let steps = 0;
    const { signal } = new AbortController();
    // Called before each part of a file is read.
    signal.throwIfAborted = () => {
      if (steps++ === step) rotate(folder);
    };
    await logs.source.sites(signal);
    expect(steps).toBeGreaterThan(step);
    for (let again = 0; again < 2; again++) {
      expect((await logs.count("2026-11-20", "2026-11-21")).pageviews).toBe(3 * MANY + lines);
    }
  },
);

it("knows the beginning of a log that was renamed", async () => {
  const folder = createLogFolder({ "access.log": log(4, 5) });
  const logs = openTestLogs({ logs: [folder.path("access.*")] });
  expect((await logs.count()).pageviews).toBe(5);
  renameSync(folder.path("access.log"), folder.path("access.log.1"));
  folder.write("access.log", log(1, NEW));
  folder.write("access.backup", log(4, 3));
  expect((await logs.count()).pageviews).toBe(5 + NEW);
});
