import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runShell } from "../../../support/shell.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

describe("the histories of a user", () => {
  let place: LogPlace;
  beforeEach(async () => {
    place = createLogPlace();
    place.write(
      "access.log",
      [3, 2, 1].map((days) => combinedLine({ at: NOON - days * 86_400_000 })),
    );
    expect((await run("sites", "--logs", pattern(), "--site", "example.com")).code).toBe(0);
  });
  afterEach(() => place.remove());

  const pattern = () => join(place.folder, "www", "access.log*");
  const run = (...argv: string[]) => runShell(argv, { environment: place.environment });

  it("are listed with their logs, options and days", async () => {
    expect(JSON.parse((await run("logs", "--list", "--json")).stdout)).toEqual({
      histories: [
        {
          logs: [pattern()],
          options: ["--timezone UTC"],
          sites: 1,
          first_day: "2026-11-18",
          last_day: "2026-11-20",
          bytes: expect.any(Number),
          damaged: [],
          set_aside: [],
          folder: place.history(),
        },
      ],
    });
  });

  it("are removed by --forget, with all of their files, and begin anew", async () => {
    const history = place.history();
    const { code, stderr } = await run("logs", "--forget", pattern());
    expect([code, stderr]).toEqual([0, expect.stringContaining("This history is removed.")]);
    expect(existsSync(history)).toBe(false);
    expect(await run("logs", "--forget", pattern())).toMatchObject({ code: 2 });
    expect((await run("sites", "--logs", pattern(), "--site", "example.com")).code).toBe(0);
    expect(existsSync(history)).toBe(true);
  });

  it("are removed by --forget at a terminal only if the person agrees", async () => {
    const ask = (keys: string, ...more: string[]) =>
      runShell(["logs", "--forget", pattern(), ...more], {
        environment: place.environment,
        isTTY: true,
        answers: [["Enter for no", keys]],
      });
    const question = `Remove the history of '${pattern()}' (3 days): yes or no (Enter for no):`;
    const kept = await ask("\r");
    expect(kept.stderr.replaceAll(/\s+/g, " ")).toContain(question);
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringMatching(/\nNothing was removed\.\n$/)]);
    const left = await ask("\u0003");
    expect([left.code, left.stderr]).toEqual([
      130,
      expect.stringContaining("Cancelled: nothing was removed."),
    ]);
    expect(existsSync(place.history())).toBe(true);
    const removed = await ask("y\r");
    expect([removed.code, removed.stdout + removed.stderr]).toEqual([
      0,
      expect.stringContaining("This history is removed."),
    ]);
    expect((await run("sites", "--logs", pattern(), "--site", "example.com")).code).toBe(0);
    expect((await ask("", "--json")).stderr, "for a program").toBe("");
  });

  it("are not removed by --forget with patterns that would only continue them", async () => {
    const history = place.history();
    const other = pattern().replace("access", "acc*");
    const { code, stderr } = await run("logs", "--forget", other);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`would continue the history of "${pattern()}"`),
    ]);
    expect(stderr).toContain(`analytics-mcp logs --forget '${pattern()}'`);
    expect(existsSync(history)).toBe(true);
    // Once they continued it, they name it.
    expect((await run("sites", "--logs", other, "--site", "example.com")).code).toBe(0);
    expect(await run("logs", "--forget", other)).toMatchObject({ code: 0 });
    expect(existsSync(history)).toBe(false);
  });

  it.each([["--set --keep 9"], ["--forget"]])("of more files are named by logs %s of some", async (words) => {
    place.write("access.log.1", [combinedLine({ at: NOON - 4 * 86_400_000 })]);
    const { code, stderr } = await run("logs", ...words.split(" "), pattern().slice(0, -1));
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`alone: that of '${pattern()}' has more files.`),
    ]);
    expect(stderr).toContain(`analytics-mcp logs --forget '${pattern()}'`);
  });
});
