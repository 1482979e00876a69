import { defineConfig } from "vitest/config";

/** What `npm run mutation` runs: the tests of what is mutated that run in one process and are quick. */
export default defineConfig({
  test: {
    include: [
      "test/{client,documents,insights,mcp,operations}/*.test.ts",
      "test/cli/screens.test.ts",
      "test/oauth/{attacks-consent,attacks-requests,attacks-tokens,bearer,client-facts,flow,half-done,memory,metadata,open-store,pages,registration,requests,sealing,search,store,tampering}.test.ts",
      "test/oauth/{clients-demand-*,metadata-documents}.test.ts",
      "test/reference/contract.test.ts",
    ],
    env: { WITHOUT_BUILD: "true" },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
