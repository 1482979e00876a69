import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** A test that needs the build, another program, or more than about five seconds is named so. */
const END_TO_END = /\.e2e\.test\.ts$/;
/**
 * A module that a file mocks would be mocked for every other file of its process, the compiler leaves a listener, and garbage that
 * other files have left spoils what a file measures of the whole process.
 */
const CHANGES_PROCESS =
  /\bvi\s*\.\s*(mock|doMock|resetModules)\(|"typescript\/unstable\/sync"|\bsetFlagsFromString\(/;

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`);

const setupFiles = ["test/support/private-home.ts", "test/support/seed.ts"];

/** Files share processes, but for those that change theirs: each of these gets one of its own. */
const isIsolated = (file: string) => CHANGES_PROCESS.test(readFileSync(file, "utf8"));
const isEndToEnd = (file: string) => END_TO_END.test(file);
const shared = { isolate: false, setupFiles: [...setupFiles, "test/support/shared-process.ts"] };
const select = (...conditions: ((file: string) => boolean)[]) =>
  files.filter((file) => conditions.every((holds) => holds(file)));

const not = (condition: (file: string) => boolean) => (file: string) => !condition(file);

const projects = [
  { name: "unit", include: select(not(isEndToEnd), not(isIsolated)), ...shared },
  { name: "unit-isolated", include: select(not(isEndToEnd), isIsolated), setupFiles },
  {
    name: "end-to-end",
    include: select(isEndToEnd, not(isIsolated)),
    ...shared,
    globalSetup: ["test/support/installed-package.ts"],
  },
  { name: "end-to-end-isolated", include: select(isEndToEnd, isIsolated), setupFiles },
].map((test): TestProjectInlineConfiguration => ({ extends: true, test }));

export default defineConfig({
  test: {
    projects,
    reporters: ["default", "./test/support/summary-reporter.ts"],
    // These end a test that hangs, and nothing else: no test is slower for a long one. docs/contributing.md has the rule.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Concurrent tests wait for time limits more than they compute.
    maxConcurrency: 10,
    // Two more than the cores that the tests are planned for, since each waits at times; no test measures time.
    maxWorkers: 4,
  },
});
