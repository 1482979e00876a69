import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { spawnSync } from "../support/child-process.js";
import { findProgram } from "../support/processes.ts";

const { folder } = inject("installed");
const home = join(folder, "node_modules", "analytics-mcp");
const page = join(home, JSON.parse(readFileSync(join(home, "package.json"), "utf8")).man);

describe.skipIf(findProgram("mandoc") === undefined)("the manual page, read by mandoc", () => {
  const mandoc = (...argv: string[]) => spawnSync("mandoc", [...argv, page], { encoding: "utf8" });

  it("is well formed", () => {
    const { stdout } = mandoc("-T", "lint", "-W", "warning");
    // Without a date, so that the same sources give the same page.
    expect(stdout.split("\n").filter((line) => line !== "" && !/missing date/.test(line))).toEqual([]);
  });

  it("shows what is typed as it is typed", () => {
    const { stdout } = mandoc("-T", "utf8", "-O", "width=100");
    // Bold is a letter, a backspace and the letter again.
    const text = stdout.split("\b").reduce((read, part) => read.slice(0, -1) + part);
    for (const line of [
      "analytics-mcp - web analytics for AI assistants and the shell",
      'eval "$(analytics-mcp completion bash)"',
      "analytics-mcp completion fish > ~/.config/fish/completions/analytics-mcp.fish",
      "--dimension <dimension>",
    ]) {
      expect(text).toContain(line);
    }
  });
});
