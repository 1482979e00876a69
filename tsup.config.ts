import { cpSync, rmSync, writeFileSync } from "node:fs";
import { defineConfig } from "tsup";

import { commonJs } from "./.ci/build/common-js.ts";
import { computed } from "./.ci/build/computed.ts";
import { collectLicenses } from "./.ci/build/licenses.ts";
import { writeManPage } from "./.ci/build/man-page.ts";
import {
  hyparquetInPart,
  mailInPart,
  mimeInPart,
  provider,
  undiciInPart,
  withoutAjv,
} from "./.ci/build/packages.ts";
import { buildSbom } from "./.ci/build/sbom.ts";

const METAFILE = "dist/metafile-esm.json";

export default defineConfig({
  // A worker thread starts from a file of its own.
  entry: { main: "src/main.ts", "read-logs": "src/read-logs.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  outDir: "dist",
  clean: true,
  splitting: true,
  minify: true,
  metafile: true,
  silent: true,
  // One tarball without runtime dependencies: everything is bundled, but for 19 MB that few need (an optional peer).
  noExternal: [/^(?!libsql$)/],
  plugins: [commonJs],
  esbuildPlugins: [computed, hyparquetInPart, mailInPart, mimeInPart, provider, undiciInPart, withoutAjv],
  onSuccess: async () => {
    writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
    cpSync("src/cli/completion/scripts", "dist/completion/scripts", { recursive: true });
    cpSync("src/oauth/pages/pages.css", "dist/pages.css");
    writeFileSync("dist/analytics-mcp.1", await writeManPage());
    writeFileSync("dist/sbom.cdx.json", buildSbom(METAFILE));
    writeFileSync("dist/THIRD_PARTY_LICENSES.txt", collectLicenses(METAFILE));
    rmSync(METAFILE);
  },
});
