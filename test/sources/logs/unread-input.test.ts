import { renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Warning } from "../../../src/operations/warning.ts";
import { createLocalCall } from "../../../src/sources/local-call.ts";
import { checkFiles } from "../../../src/sources/logs/doctor.ts";
import { connectInProcess } from "../../support/clients.ts";
import { runShell } from "../../support/shell.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "./log-place.ts";
import { changeManifest, readManifest } from "./store/history-files.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const pathOf = (name: string) => join(place.folder, "www", name);
const START = NOON - 84 * HOUR;

/** A visitor each ten minutes, from midnight of the 18th until now. */
const LINES = Array.from({ length: 6 * 84 }, (_, index) =>
  combinedLine({
    at: START + index * 600_000,
    address: `198.51.100.${index % 250}`,
    path: `/${index % 7}`,
  }),
);
/** The same number of bytes in no known format. */
const spoil = (line: string) => `?${line.slice(1).replaceAll(/["[\]]/g, "|")}`;
const DAY_LINES = 144;
const ofDay = (index: number) => Math.floor(index / DAY_LINES);

/** Writes lines as if it had been at that time. */
function write(name: string, lines: readonly string[], written = NOON): void {
  place.write(name, lines);
  utimesSync(pathOf(name), written / 1000, written / 1000);
}

const flagsOf = () => ["--logs", pathOf("access.log*"), "--site", "example.com", "--timezone", "UTC"];
const shell = (...words: string[]) =>
  runShell([...words, ...flagsOf()], { clock: () => place.clock.now, environment: place.environment });

/** What answers about some days say, each way as a new process: all ways say the same. */
async function ask(from: string, to = from): Promise<Warning | undefined> {
  const period = `${from}/${to}`;
  const client = await connectInProcess({
    call: createLocalCall(
      () => place.open(),
      () => place.clock.now,
    ),
  });
  const answers = [
    JSON.parse((await shell("stats", "--period", period, "--json")).stdout),
    // Of a period that ends today, it shows the days before.
    ...(from < to && to === "2026-11-21"
      ? []
      : [JSON.parse((await shell("overview", "--period", period, "--json")).stdout)]),
    (await client.callTool("get_stats", { site: "example.com", period })).structuredContent,
  ];
  await client.close();
  // An overview shows today beside the other days, with what is to be said of it.
  const isOfDays = ({ code, values }: Warning) => code === "unread_input" && String(values?.from) <= to;
  const [first, ...others] = answers.map(({ warnings = [] }) => warnings.find(isOfDays));
  for (const other of others) expect(other).toEqual(first);
  return first;
}
const warnings = async () =>
  JSON.parse((await shell("stats", "--period", "last_7_days", "--json")).stdout).warnings as Warning[];
const doctor = () =>
  checkFiles({
    flags: { logs: [pathOf("access.log*")], site: ["example.com"], timezone: "UTC" },
    environment: place.environment,
    clock: () => place.clock.now,
  });
const check = async (...words: string[]) => {
  const { code, stdout } = await shell("check", "--below", "1", "--period", ...words);
  return { code, stdout };
};

describe.each([20, 2.5])("a log of which one in %s lines of a day cannot be read", (each) => {
  const isSpoiled = (index: number) =>
    ofDay(index) === 1 && index % DAY_LINES > 0 && index % DAY_LINES < 140 && (index % DAY_LINES) % each < 1;
  const count = LINES.filter((_, index) => isSpoiled(index)).length;
  beforeEach(() =>
    write(
      "access.log",
      LINES.map((line, index) => (isSpoiled(index) ? spoil(line) : line)),
    ),
  );

  it("says so in answers about this day alone, in doctor and in check", async () => {
    const told = await ask("2026-11-19");
    expect(told?.values).toMatchObject({
      ...{ from: "2026-11-19", to: "2026-11-19", lines: count, files: 0, future: 0 },
    });
    expect(told?.values?.percent).toBeCloseTo((100 * count) / DAY_LINES, 0);
    expect(told?.detail).toMatch(
      /^Of the log of 2026-11-19, \d+ lines \([\d.]+% by size\) could not be read\. These numbers lack them\./,
    );
    expect(await ask("2026-11-18")).toBeUndefined();
    expect(await ask("2026-11-20", "2026-11-21")).toBeUndefined();
    expect((await ask("2026-11-18", "2026-11-21"))?.detail).toMatch(
      /^Of the log of 2026-11-18 to 2026-11-21, \d+ lines \([\d.]+% by size, on 2026-11-19\)/,
    );
    expect(await doctor()).toMatchObject({
      warning: expect.stringMatching(/^504 lines; 1 file present\. Of the log of .*, on 2026-11-19\)/),
      fix: expect.stringContaining(`analytics-mcp logs '${pathOf("access.log*")}' shows`),
    });
    expect(await check("2026-11-19")).toEqual({
      code: 7,
      stdout: expect.stringMatching(
        /^example\.com has logs that could not be read: Of the log of 2026-11-19/,
      ),
    });
    expect(await check("2026-11-20")).toEqual({ code: 0, stdout: "" });
  });

  it("gives no percentage of a change, and says why", async () => {
    const { stdout } = await shell("compare", "--period", "2026-11-20", "--against", "2026-11-19");
    expect(stdout).not.toMatch(/\d%\s*$/m);
    const { stderr } = await shell("compare", "--period", "2026-11-20", "--against", "2026-11-19");
    expect(stderr).toMatch(/could not be read.* no percentage is given/s);
  });
});

it("says nothing of half a percent", async () => {
  write(
    "access.log",
    LINES.map((line, index) => (index % 200 === 50 ? spoil(line) : line)),
  );
  expect(await ask("2026-11-18", "2026-11-21")).toBeUndefined();
  expect(await doctor()).toBe("504 lines; 1 file present");
  expect(await check("2026-11-18/2026-11-20")).toEqual({ code: 0, stdout: "" });
});

it("finds the days of lines that cannot be read in a log whose first one cannot be read either", async () => {
  const isSpoiled = (index: number) => index === 0 || (ofDay(index) === 2 && index % 3 === 1);
  write(
    "access.log",
    LINES.map((line, index) => (isSpoiled(index) ? spoil(line) : line)),
  );
  expect(await ask("2026-11-19")).toBeUndefined();
  expect((await ask("2026-11-20"))?.values).toMatchObject({ lines: 48, to: "2026-11-20" });
});

it("finds the days of unreadable lines where a file goes back in time, as one made of two logs does", async () => {
  const isSpoiled = (index: number) => ofDay(index) === 1 && index % 3 === 1;
  const lines = LINES.map((line, index) => (isSpoiled(index) ? spoil(line) : line));
  write("access.log", [...lines, ...lines.map((line) => line.replace("198.51", "203.0"))]);
  const count = LINES.filter((_, index) => isSpoiled(index)).length;
  expect((await ask("2026-11-19"))?.values).toMatchObject({ lines: 2 * count, percent: 33.4 });
  expect(await ask("2026-11-18")).toBeUndefined();
  expect(await ask("2026-11-20", "2026-11-21")).toBeUndefined();
});

it("says that a format has changed in the middle of a file, also once it is gone", async () => {
  const change = 2.5 * DAY_LINES;
  write(
    "access.log",
    LINES.map((line, index) => (index < change ? line : spoil(line))),
  );
  for (let time = 1; time <= 2; time++) {
    expect((await ask("2026-11-20"))?.values).toMatchObject({ lines: 73, files: 0 });
    expect((await ask("2026-11-21"))?.values).toMatchObject({ lines: 72, percent: 100 });
    expect(await ask("2026-11-19")).toBeUndefined();
    // People see that, not that there is no data.
    const { stdout, stderr } = await shell("stats", "--period", "2026-11-21");
    expect(stdout).toMatch(/\n\t+\n$/);
    expect(stderr).not.toContain("no data");
    expect(stderr).toContain("2026-11-21 (nothing read, UTC)");
    expect(stderr).toContain("72 lines (100% by size) could not be read.");
    // What is gone was not read either.
    rmSync(pathOf("access.log"), { force: true });
  }
  expect(await check("2026-11-20")).toMatchObject({ code: 7 });
});

describe("a second file in no known format", () => {
  const OTHER = LINES.filter((_, index) => ofDay(index) === 1 || ofDay(index) === 2).map(
    (_, index) => `${new Date(START + DAY + index * 600_000).toISOString()};192.0.2.${index % 250};GET;/`,
  );
  beforeEach(() => {
    write("access.log", LINES);
    write("access.log.web2", OTHER, NOON - 12 * HOUR - 1_000);
  });

  it("is named in answers about the days until it was written, from its first date on", async () => {
    for (const day of ["2026-11-19", "2026-11-20"]) {
      expect(await ask(day)).toEqual({
        code: "unread_input",
        detail: `The log file access.log.web2 is in no known format and may have lines of ${day}. These numbers lack them. On the server, analytics-mcp doctor says more.`,
        values: {
          from: day,
          to: day,
          lines: 0,
          bytes: 0,
          percent: 0,
          future: 0,
          files: 1,
          file_bytes: OTHER.join("\n").length + 1,
        },
      });
    }
    expect(await ask("2026-11-18")).toBeUndefined();
    expect(await ask("2026-11-21")).toBeUndefined();
    expect(await doctor()).toMatchObject({
      warning: expect.stringContaining(`The log file ${pathOf("access.log.web2")} is in no known format`),
    });
    expect(await check("2026-11-19")).toMatchObject({ code: 7 });
    expect(await check("2026-11-20")).toEqual({ code: 0, stdout: "" });
    // It is said beside other findings.
    const { stdout, stderr } = await shell("check", "--above", "0", "--period", "2026-11-20");
    expect([stdout, stderr]).toEqual([
      "example.com had 144 visitors on Friday, 2026-11-20: above 0.\n",
      expect.stringContaining("access.log.web2"),
    ]);
  });

  it("is not forgotten when it is renamed, compressed and gone, and the others are read", async () => {
    const told = await ask("2026-11-18", "2026-11-21");
    renameSync(pathOf("access.log.web2"), pathOf("access.log.old"));
    expect(await ask("2026-11-18", "2026-11-21")).toMatchObject({ values: told?.values });
    rmSync(pathOf("access.log.old"));
    write("access.log.old.gz", [], NOON);
    const packed = gzipSync(OTHER.map((line) => `${line}\n`).join(""));
    const { writeFileSync } = await import("node:fs");
    writeFileSync(pathOf("access.log.old.gz"), packed);
    utimesSync(pathOf("access.log.old.gz"), NOON / 1000 - 43_201, NOON / 1000 - 43_201);
    expect(await ask("2026-11-18", "2026-11-21")).toMatchObject({ values: told?.values });
    rmSync(pathOf("access.log.old.gz"));
    place.append("access.log", [combinedLine({ at: NOON })]);
    place.clock.now += 5 * DAY;
    expect(await ask("2026-11-18", "2026-11-21")).toMatchObject({ values: told?.values });
    expect(await ask("2026-11-21")).toBeUndefined();
    expect(await doctor()).toMatchObject({ warning: expect.stringContaining("no known format") });
  });
});

it("a file is no longer said to be unread once most of its first lines are read", async () => {
  write("access.log", LINES);
  const lines = LINES.slice(0, 50).map((line) => line.replace("198.51", "203.0"));
  write("access.log.web2", [...lines.slice(0, 4).map(spoil), lines[4] ?? ""]);
  expect((await ask("2026-11-18"))?.values?.files).toBe(1);
  place.append("access.log.web2", lines.slice(5));
  expect((await ask("2026-11-18"))?.values).toMatchObject({ files: 0, lines: 4 });
});

it("a file without dates is of the days since the one before was rotated", async () => {
  write("access.log.2", LINES.slice(0, DAY_LINES), NOON - 60 * HOUR);
  write("access.log.1", ["some lines", "that say nothing", "of their time"], NOON - 12 * HOUR);
  write("access.log", LINES.slice(3 * DAY_LINES));
  expect(await ask("2026-11-18", "2026-11-21")).toMatchObject({
    values: { from: "2026-11-18", to: "2026-11-20", files: 1 },
  });
  expect(await ask("2026-11-20")).toMatchObject({ values: { files: 1 } });
  expect(await ask("2026-11-17")).toBeUndefined();
});

it("of a file without dates and without others before it, the days are unknown", async () => {
  write("access.log", LINES);
  write("access.log.notes", ["some lines", "that say nothing"], NOON - 36 * HOUR);
  expect((await ask("2026-11-18"))?.detail).toMatch(
    /^The log file access\.log\.notes is in no known format and may have lines of some of these days\./,
  );
  expect(await ask("2026-11-21")).toBeUndefined();
});

describe("lines that are dated in the future", () => {
  const future = combinedLine({ at: NOON + 400 * DAY });

  it("are said on the days between whose lines they are, and not counted", async () => {
    write("access.log", [...LINES.slice(0, 300), future, ...LINES.slice(300)]);
    expect((await ask("2026-11-20"))?.detail).toMatch(
      /^Of the log of 2026-11-20, 1 line \(0\.7% by size\) is dated in the future\./,
    );
    expect(await ask("2026-11-19")).toBeUndefined();
    expect(await doctor()).toMatchObject({ warning: expect.stringContaining("is dated in the future") });
    // They are no reason for a mail.
    expect(await check("2026-11-20")).toEqual({ code: 0, stdout: "" });
    const { outcomes } = JSON.parse((await shell("logs", pathOf("access.log"), "--json")).stdout);
    expect(outcomes).toContainEqual({ outcome: "future", lines: 1, examples: [] });
  });

  it("are not those that only a clock which is behind takes for them", async () => {
    place.clock.now -= 50 * DAY;
    write("access.log", LINES.slice(0, 300), place.clock.now);
    await warnings();
    place.append("access.log", LINES.slice(300));
    utimesSync(pathOf("access.log"), place.clock.now / 1000, place.clock.now / 1000);
    await warnings();
    place.clock.now += 50 * DAY;
    const { pageviews } = JSON.parse(
      (await shell("stats", "--period", "2026-11-18/2026-11-21", "--json")).stdout,
    );
    expect(pageviews).toBe(504);
  });

  it.each([
    ["in a year", future],
    ["tomorrow", combinedLine({ at: NOON + 20 * HOUR })],
  ])("%s, they do not hide that the log has ended", async (_, line) => {
    write("access.log", [...LINES.slice(0, DAY_LINES), line], NOON - 2.5 * DAY);
    expect((await warnings()).find(({ code }) => code === "stale")?.values).toEqual({
      data_until: "2026-11-18",
    });
  });
});

describe("a file that has its lines twice", () => {
  const codes = async () => (await warnings()).map(({ code }) => code);

  it.each([
    ["its few lines", LINES.slice(0, 30), 0],
    ["all of its lines", LINES, 0],
    ["its last lines", LINES, 250],
  ])("says so: %s", async (_, lines, from) => {
    write("access.log", lines);
    expect(await codes()).not.toContain("repeated_lines");
    place.append("access.log", lines.slice(from));
    for (let time = 1; time <= 2; time++) expect(await codes()).toContain("repeated_lines");
    const { stderr } = await shell("logs", pathOf("access.log"));
    expect(stderr).toContain("has lines twice");
  });

  it("and one with equal lines of the same seconds does not", async () => {
    write(
      "access.log",
      LINES.flatMap((line) => [line, line]),
    );
    expect(await codes()).not.toContain("repeated_lines");
  });
});

it("a history of before, which does not say how much could be read, says nothing of it", async () => {
  write(
    "access.log",
    LINES.map((line, index) => (index % 3 === 1 ? spoil(line) : line)),
  );
  expect(await ask("2026-11-19")).toBeDefined();
  changeManifest(place.history(), ({ contents }) => ({
    unreadFiles: undefined,
    contents: contents.map(({ days: _, written: __, future: ___, ...content }) => content),
  }));
  expect(readManifest(place.history()).unreadFiles).toBeUndefined();
  expect(await ask("2026-11-19")).toBeUndefined();
});
