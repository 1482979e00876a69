import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/**
 * A module that a file mocks would be mocked for every other file of its process, the compiler leaves a listener, and garbage that
 * other files have left spoils what a file measures of the whole process.
 */
const CHANGES_PROCESS =
  /\bvi\s*\.\s*(mock|doMock|resetModules)\(|"typescript\/unstable\/sync"|\bsetFlagsFromString\(/;

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`);
const isolated = files.filter((file) => CHANGES_PROCESS.test(readFileSync(file, "utf8")));

const globalSetup = ["test/support/temporary-folder.ts"];
const setupFiles = ["test/support/private-home.ts", "test/support/seed.ts"];

/** Files share processes and what has been compiled there, but for those that change theirs: each of these gets one of its own. */
const projects = [
  {
    name: "shared",
    include: files.filter((file) => !isolated.includes(file)),
    isolate: false,
    globalSetup: [...globalSetup, "test/support/packed-folder.ts"],
    setupFiles: [...setupFiles, "test/support/shared-process.ts"],
  },
  { name: "isolated", include: isolated, globalSetup, setupFiles },
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
    // One more than the cores that the tests are planned for, since each waits at times; no test measures time.
    maxWorkers: 3,
  },
});
