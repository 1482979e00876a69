import { describe, expect, it } from "vitest";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

function createPlace() {
  const environment = { ...createHome(), TZ: "UTC" };
  const { path } = createLogFolder({
    "access.log": joinLines(
      ...["2026-11-19T12:00:00Z", "2026-11-20T12:00:00Z"].flatMap((at) =>
        ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((address) => combined({ at, address })),
      ),
    ),
  });
  const log = path("access.log");
  const shell = (...argv: string[]) => runShell(argv, { clock: () => LOG_NOW, environment, columns: 400 });
  return { log, shell, environment };
}

const A = ["--exclude-address", "192.0.2.1"];
const B = ["--exclude-address", "192.0.2.2"];

describe("logs --set", () => {
  it("says what it has changed, which days that holds for, and what a list has lost", async () => {
    const { log, shell } = createPlace();
    await shell("stats", "--logs", log, "--site", "example.com");
    const first = await shell("logs", "--set", ...A, log);
    expect(first.stderr).toContain("exclude-address: none → 192.0.2.1\n2 days were counted again.\n");
    expect(first.stderr).not.toContain("warning:");
    const { stderr } = await shell("logs", "--set", ...B, log);
    expect(stderr).toContain("exclude-address: 192.0.2.1 → 192.0.2.2\n2 days were counted again.\n");
    const [, command = ""] =
      /^warning: The new --exclude-address .*: 192\.0\.2\.1 is .* analytics-mcp (.*)\n/.exec(stderr) ?? [];
    const both = await shell(...command.split(" "));
    expect(both.stderr).toContain("exclude-address: 192.0.2.2 → 192.0.2.1, 192.0.2.2\n");
    const again = await shell(...command.split(" "));
    expect(again.stderr).toMatch(/^Nothing has changed: it was saved before\.\n/);
    const none = await shell("logs", "--set", "--exclude-address", "none", log);
    expect(none.stderr).toMatch(/^exclude-address: 192\.0\.2\.1, 192\.0\.2\.2 → none\n/);
    expect((await shell("logs", "--set", "--keep", "9", log)).stderr).not.toContain("counted again");
  });

  it("has a heading of its own", async () => {
    const { log, environment } = createPlace();
    const show = async (...argv: string[]) =>
      (await runShell(["logs", ...argv], { environment, clock: () => LOG_NOW, isTTY: true })).stdout;
    expect(await show("--set", "--site", "example.com", ...A, log)).toMatch(/^\S*Options of the history/);
    expect(await show("--list")).toMatch(/^\S*Histories of access logs/);
  });

  it("says what it takes", async () => {
    const { log, shell } = createPlace();
    const { code, stderr } = await shell("logs", "--set", log);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--set needs an option to save.")]);
    expect(stderr).toContain("It takes --log-format, --timezone, --exclude-address, ");
    expect((await shell("logs", "--set")).stderr).toContain("--set needs an option to save.");
    const path = await shell("logs", "--set", "--exclude-path", "/admin/**", log);
    expect(path.stderr).toContain("--exclude-path is saved with a profile");
  });
});

it("logs --list names each address alike, and shows no column without values", async () => {
  const { log, environment } = createPlace();
  const clock = () => LOG_NOW;
  await runShell(["logs", "--set", "--site", "example.com", ...A, ...B, log], { environment, clock });
  const { stdout } = await runShell(["logs", "--list"], { environment, clock });
  expect(stdout).toContain("\ttimezone UTC, exclude-address 192.0.2.1, exclude-address 192.0.2.2\t");
  const shown = await runShell(["logs", "--list"], {
    environment,
    clock,
    isTTY: true,
    columns: log.length + 75,
  });
  expect(shown.stdout).not.toContain("damaged");
});
