import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const DAY = 86_400_000;
const lines = [0, 1, 2].map((ago) => combined({ at: LOG_NOW - ago * DAY }));
const log = createLogFolder({ "access.log": joinLines(...lines.toReversed()) }).path("access.log");

const state = mkdtempSync(join(tmpdir(), "state-"));
afterAll(() => rmSync(state, { recursive: true }));

/** Asks 200 days after the log's last line, at a terminal. */
const ask = async (argv: readonly string[]) =>
  runShell([...argv, "--logs", log, "--site", "example.com"], {
    isTTY: true,
    clock: () => LOG_NOW + 200 * DAY,
    environment: { TZ: "UTC", XDG_STATE_HOME: state },
  });

it.each(["overview", "stats", "compare", "breakdown --dimension pages"])(
  "%s of a log that ended long ago proposes the command with its last days, which answers",
  async (command) => {
    const words = command === "stats" ? [command, "--period", "last_7_days"] : command.split(" ");
    const { code, stdout } = await ask(words);
    const text = stdout.replaceAll(/\s+/g, " ");
    const [, period = ""] = /--period (\S+)/.exec(text) ?? [];
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/^example\.com has no data after (\S+)\. Its last days: analytics-mcp .*--logs /),
    ]);
    expect(period).toMatch(/^\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d$/);
    const { stdout: answer } = await ask([...command.split(" "), "--period", period]);
    const said =
      command === "compare"
        ? "has no data before 2026-11-19, so there is nothing to compare."
        : period.replace("/", " to ");
    expect(answer.replaceAll(/\s+/g, " ")).toContain(said);
    expect(answer).not.toContain("has no data after");
  },
);

it("a report of such days has a sentence in place of its zeros", async () => {
  const { stdout } = await ask(["report", "-o", "-"]);
  expect(stdout).toMatch(/>example\.com has no data after [\d-]+\.</);
  const { stdout: markdown } = await ask(["overview", "--output", "markdown"]);
  expect(markdown).toMatch(/^example\.com has no data after/);
});

it("today is not called incomplete where it is missing", async () => {
  const words = ["stats", "--period", "all", "--logs", log, "--site", "example.com"];
  const clock = (days: number) => () => LOG_NOW + days * DAY;
  const ask = (days: number) =>
    runShell([...words, "-q"], {
      clock: clock(days),
      environment: { TZ: "UTC", XDG_STATE_HOME: join(state, `${days}`) },
    });
  const ended = (await ask(5)).stderr;
  expect(ended).toContain("The log ends on");
  expect(ended).not.toContain("Today, ");
  expect((await ask(0)).stderr).toContain("Today, ");
});
