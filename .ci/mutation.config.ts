import { defineConfig } from "vitest/config";

/** The tests of `npm run mutation`: quick ones that need no build. */
export default defineConfig({
  test: {
    include: [
      "test/{client,documents,mcp,operations,reports}/*.test.ts",
      "test/cli/screens.test.ts",
      "test/oauth/{attacks-consent,attacks-requests,attacks-tokens,open-store,store}.e2e.test.ts",
      "test/oauth/{application-facts,bearer,discovery,flow,memory-store,pages,partial-failure,registration,request-normalizer,sealing,search,tampering}.test.ts",
      "test/oauth/{client-compatibility-*,metadata-documents}.test.ts",
      "test/api/contract.test.ts",
    ],
    setupFiles: ["test/support/private-home.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
