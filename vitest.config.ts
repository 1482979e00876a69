import { defineConfig } from "vitest/config";

/** A test that needs the build, another program, or more than about five seconds is named so. */
const END_TO_END = "test/**/*.e2e.test.ts";

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], exclude: [END_TO_END] } },
      {
        extends: true,
        test: {
          name: "end-to-end",
          include: [END_TO_END],
          globalSetup: ["test/support/installed-package.ts"],
        },
      },
    ],
    setupFiles: ["test/support/private-home.ts", "test/support/seed.ts"],
    reporters: ["default", "./test/support/summary-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Longer than a step takes while both workers are busy. The default is one second.
    expect: { poll: { timeout: 15_000 } },
    // The processes that the tests start compete for two cores; no test measures time.
    maxWorkers: 2,
  },
});
