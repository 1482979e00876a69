import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { execFileSync, spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";
import { findProgram } from "../support/processes.ts";

/** What `npm install --global` makes, in a folder of its own: the pages are where `man` looks. */
const prefix = mkdtempSync(join(tmpdir(), "global-"));
afterAll(() => rmSync(prefix, { recursive: true }));
execFileSync(
  "npm",
  [
    "install",
    "--global",
    "--prefix",
    prefix,
    "--offline",
    "--no-audit",
    "--loglevel=error",
    installed.tarball,
  ],
  { env: { HOME: prefix } },
);
const page = join(prefix, "share", "man", "man1", "analytics-mcp.1");

it("a global install links the manual page", () => {
  expect(readFileSync(page, "utf8")).toMatch(/^\.TH ANALYTICS\\-MCP 1 /);
});

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
