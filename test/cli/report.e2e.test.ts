import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";

it("a report's file is named after the site and its days", () => {
  const { bin } = installed;
  const cwd = mkdtempSync(join(tmpdir(), "report-"));
  const run = (...args: string[]) =>
    spawnSync(bin, ["report", "--demo", ...args], { cwd, encoding: "utf8" }).stdout;
  const month = run("--period", "2026-10");
  expect(month).toBe(`${join(cwd, "example.com-2026-10-01-2026-10-31.html")}\n`);
  expect(run("--period", "2026-10-05", "docs.example.com")).toContain("docs.example.com-2026-10-05.html\n");
  expect(readdirSync(cwd)).toHaveLength(2);
  expect(readFileSync(month.trim(), "utf8")).toContain("</html>");
  rmSync(cwd, { recursive: true });
});
