import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const DAY = 86_400_000;
const dayOf = (ago: number) => new Date(LOG_NOW - ago * DAY).toISOString().slice(0, 10);

const state = mkdtempSync(join(tmpdir(), "state-"));
afterAll(() => rmSync(state, { recursive: true }));

/** Asks about a log with a line on each of some days, given as so many days ago. */
const askLog = (days: readonly number[]) => {
  const lines = days.toSorted((a, b) => b - a).map((ago) => combined({ at: LOG_NOW - ago * DAY }));
  const log = createLogFolder({ "access.log": joinLines(...lines) }).path("access.log");
  return async (words: string, isTTY = false) =>
    runShell([...words.split(" "), "--logs", log, "--site", "example.com"], {
      isTTY,
      clock: () => LOG_NOW,
      environment: { TZ: "UTC", XDG_STATE_HOME: state, NO_COLOR: "1" },
    });
};

describe("days of which a log has no line", () => {
  const ask = askLog([0, 1, 6, 7, 8, 9]);

  it("are dashes in tables and Markdown, empty in CSV, null in a trend, and gaps in charts", async () => {
    const row = `${dayOf(3)}`;
    expect((await ask("timeseries --days 10 --csv")).stdout).toContain(`\n${row},,,\n`);
    const { stdout: table } = await ask("timeseries --days 10", true);
    expect(table).toMatch(new RegExp(`^${row} \\w{3} +– +–$`, "m"));
    expect(table).toMatch(/^ *0 └(?:[┬─]{6}){4}(?:(?:┬ {5}| {6})){4}(?:[┬─]{6}){2}$/m);
    const { stdout: markdown } = await ask("timeseries --days 10 --output markdown");
    expect(markdown).toMatch(new RegExp(`\\| ${row}(?: \\w{3})? \\| – \\| – \\|`));
    const { trend } = JSON.parse((await ask("overview --period last_9_days --json")).stdout);
    expect(trend.visitors).toEqual([1, 1, 1, 1, null, null, null, null, 1].slice(0, trend.visitors.length));
    const { stdout: overview } = await ask("overview --period last_9_days", true);
    expect(overview).toMatch(/████████ {8}██/);
  });

  it("are a run, or said not to be one", async () => {
    const [first, last] = [dayOf(5), dayOf(2)];
    const { stderr } = await ask("stats --days 10 --quiet");
    expect(stderr).toContain(
      `The log has no line of 4 days (${first} to ${last}): their numbers are missing`,
    );
    const apart = await askLog([0, 1, 3, 8, 9])("stats --days 10 --quiet");
    expect(apart.stderr).toContain(`5 days (${dayOf(7)} to ${dayOf(2)}, not all between)`);
  });
});

describe("days before a log begins", () => {
  const ask = askLog([1, 0]);
  const [first, last] = [dayOf(1), dayOf(0)];

  it("are in no drawing: axes begin with the log", async () => {
    const { trend } = JSON.parse((await ask("overview --period last_30_days --json")).stdout);
    expect(trend).toMatchObject({ from: first, visitors: [1] });
    const { stdout: overview } = await ask(`overview --period ${dayOf(20)}/today`, true);
    expect(overview).toMatch(new RegExp(`visitors a day, ${first} to ${last}`));
    const { stdout: chart } = await ask("timeseries --days 30", true);
    expect(chart).toMatch(/^1 ┤█+ █+$/m);
    // All is in one week, of which there is nothing to draw.
    const { stdout: weeks } = await ask("timeseries --days 60 --by week", true);
    expect(weeks).not.toContain("└");
    const { stdout: page } = await ask(`report --period ${dayOf(20)}/today -o -`);
    const table = /<div class="scroll".*?<\/table>/s.exec(page)?.[0] ?? "";
    expect(table.match(/<time /g)).toHaveLength(2);
    expect(page).toContain(`{"from":"${first}","visitors":[1,1]`);
  });

  it("are not in tables, empty in CSV, and said to be missing", async () => {
    const before = dayOf(5);
    const { stdout: csv, stderr } = await ask("timeseries --days 10 --csv");
    expect(csv).toContain(`\n${before},,,\n`);
    expect(stderr).toContain(`The site has had data since ${first}: earlier days are missing, not zero.`);
    const { stdout: table } = await ask("timeseries --days 10", true);
    expect(table).toContain("Not shown: the 8 days before the data.");
    expect(table).not.toContain(`${before} `);
  });
});

it("the same question has the same answer the second time", async () => {
  const ask = askLog([0, 1, 2, 9]);
  for (const words of ["overview", "timeseries --days 10", "compare --days 3", "sites"])
    expect(await ask(words, true)).toEqual(await ask(words, true));
});

it("one of something is not several", async () => {
  const ask = askLog([1]);
  const one = "--period yesterday --explain";
  const said = async (words: string) => {
    const { stdout, stderr } = await ask(`${words} ${one}`, true);
    // Rows of a table are no sentence.
    const marked = `${stdout}${stderr}`.replaceAll(/.* {2,}.*/g, (row) => `${row} |`);
    return marked.replaceAll(/\s+/g, " ");
  };
  expect(await said("pages")).toContain("In all: 1 visitor, 1 page view.");
  expect(await said("timeseries --by hour")).not.toMatch(/\b1 (?:visitors|days|requests)\b/);
  for (const command of ["overview", "stats", "compare", "crawlers", "not-found", "report -o -"])
    expect(await said(command), command).not.toMatch(
      /[^\d.,]1 (?:visitors|pages|page views|days|requests|paths|events)\b/,
    );
});
