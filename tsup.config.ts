import { cpSync, writeFileSync } from "node:fs";
import { defineConfig } from "tsup";
import { collectLicenses } from "./test/support/licenses.js";

export default defineConfig({
  entry: { main: "src/main.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  outDir: "dist",
  clean: true,
  splitting: true,
  minify: true,
  // The authorization server reads its classes' names: lifetimes and kinds hang on them.
  keepNames: true,
  metafile: true,
  silent: true,
  // One tarball without runtime dependencies: everything is bundled, but for 19 MB that few need (an optional peer).
  noExternal: [/^(?!libsql$)/],
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  onSuccess: async () => {
    // The chart's page is no code of the program: it is read, and sent to hosts as it is written.
    cpSync("src/mcp/chart", "dist/chart", { recursive: true });
    cpSync("src/cli/completion", "dist/completion", { recursive: true });
    cpSync("src/oauth/pages/pages.css", "dist/pages.css");
    writeFileSync("dist/THIRD_PARTY_LICENSES.txt", collectLicenses("dist/metafile-esm.json"));
  },
});
