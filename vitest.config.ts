import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    reporters: ["default", "./test/support/summary-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Above what a step takes while both workers are busy; by default a second.
    expect: { poll: { timeout: 15_000 } },
    // The runs of many processes compete for two cores; what is measured in time is not tested.
    maxWorkers: 2,
  },
});
