import { defineConfig } from "vitest/config";

/** What `npm run mutation` runs: the tests of what is mutated that run in one process and are quick. */
export default defineConfig({
  test: {
    include: [
      "test/{client,documents,insights,mcp,operations}/*.test.ts",
      "test/cli/screens.test.ts",
      "test/oauth/{half-done,memory,metadata-documents,pages,registration,sealing,store,tampering}.test.ts",
      "test/reference/contract.test.ts",
    ],
    env: { WITHOUT_BUILD: "true" },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
