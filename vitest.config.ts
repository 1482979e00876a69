import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** A test that needs the build, another program, or more than about five seconds is named so. */
const END_TO_END = /\.e2e\.test\.ts$/;
/** A module that a file mocks would be mocked for every other file of its process. */
const MOCKS_MODULES = /\bvi\s*\.\s*(mock|doMock|resetModules)\(/;

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`);

const setupFiles = ["test/support/private-home.ts", "test/support/seed.ts"];

const mocks = (file: string) => MOCKS_MODULES.test(readFileSync(file, "utf8"));

/** The unit tests share processes, but those that mock modules: each of these files gets a process of its own. */
const unit = files.filter((file) => !END_TO_END.test(file));
const [shared, isolated] = [unit.filter((file) => !mocks(file)), unit.filter(mocks)];

const projects: TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: {
      name: "unit",
      isolate: false,
      include: shared,
      setupFiles: [...setupFiles, "test/support/shared-process.ts"],
    },
  },
  { extends: true, test: { name: "unit-isolated", include: isolated, setupFiles } },
  {
    extends: true,
    test: {
      name: "end-to-end",
      include: files.filter((file) => END_TO_END.test(file)),
      globalSetup: ["test/support/installed-package.ts"],
      setupFiles,
    },
  },
];

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
