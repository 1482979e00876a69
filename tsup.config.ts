import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { type Plugin, transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { chartAsData } from "./.ci/build/chart.ts";
import { commandList } from "./src/cli/commands/command-list.ts";
import { buildManPage } from "./src/cli/help/man-page.ts";
import type { Io } from "./src/cli/io.ts";
import { createProgram } from "./src/cli/program.ts";
import { collectLicenses } from "./test/support/licenses.js";
import { buildSbom } from "./test/support/sbom.js";

/** Only ES modules can be split, and CommonJS starts faster: each chunk is turned into it. */
const commonJs: NonNullable<Options["plugins"]>[number] = {
  name: "commonjs",
  renderChunk: (code) =>
    transform(defineExports(code), {
      format: "cjs",
      platform: "node",
      target: "node20",
      minify: true,
      // `require` where a chunk is needed, not the loader of ES modules.
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "__moduleUrl" },
      ...(code.includes("import.meta.url") && {
        banner: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;',
      }),
    }),
};

/**
 * Puts a getter for each export of a chunk in place of the list at its end. esbuild's own conversion has a second getter
 * around each, which looks it up by name at every call: counting a log takes 8 % longer.
 */
function defineExports(code: string): string {
  const [statement = "", list = ""] = /export\s*\{([^{}]*)\};\s*$/.exec(code) ?? [];
  if (statement === "") return code;
  const getters = list.split(",").map((item) => {
    const [name = "", exported = name] = item.trim().split(" as ");
    return `${exported}: { enumerable: true, get: () => ${name} }`;
  });
  const body = code.slice(0, -statement.length);
  return `Object.defineProperties(exports, { __esModule: { value: true }, ${getters} });\n${body}`;
}

/**
 * The SDK loads a JSON Schema validator, Ajv, for what a person fills into a form. This server asks for no forms.
 * `_shims` is where the SDK itself has other runtimes put theirs.
 */
const withoutAjv: Plugin = {
  name: "without-ajv",
  setup: ({ onResolve, onLoad }) => {
    const filter = /^@modelcontextprotocol\/server\/_shims$/;
    onResolve({ filter }, ({ path }) => ({ path, namespace: "shims" }));
    onLoad({ filter, namespace: "shims" }, () => ({
      contents: `export { default as process } from "node:process";
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error("This server has no validator of JSON Schema."); }
        }`,
    }));
  },
};

/**
 * The dispatchers of undici alone, without its caches, mocks and web sockets, 40 % of its code: over HTTP the first
 * call comes 29 ms sooner on Node 20, and 22 ms on Node 24. The package has no entry of its own for them.
 */
const undiciInPart: Plugin = {
  name: "undici-in-part",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.undici.index\.js$/ }, () => ({
      contents: `
        Object.assign(require("./lib/dispatcher/dispatcher").prototype, require("./lib/api"));
        exports.Agent = require("./lib/dispatcher/agent");
        exports.Pool = require("./lib/dispatcher/pool");
        exports.EnvHttpProxyAgent = require("./lib/dispatcher/env-http-proxy-agent");`,
    })),
};

/** oidc-provider finds lifetimes and kinds by the names of its classes, which minifying would take away. */
const namesOfProvider: Plugin = {
  name: "names-of-provider",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.oidc-provider.lib.*\.js$/ }, async ({ path }) => ({
      contents: (await transform(readFileSync(path, "utf8"), { keepNames: true })).code,
    })),
};

async function writeManPage(): Promise<string> {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  // No command looks at the process before it runs.
  const program = await createProgram(
    { version } as Io,
    commandList.map(({ name }) => name),
  );
  return buildManPage(program, version);
}

export default defineConfig({
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
  esbuildPlugins: [chartAsData, namesOfProvider, undiciInPart, withoutAjv],
  onSuccess: async () => {
    writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
    cpSync("src/cli/completion/scripts", "dist/completion/scripts", { recursive: true });
    cpSync("src/oauth/pages/pages.css", "dist/pages.css");
    writeFileSync("dist/analytics-mcp.1", await writeManPage());
    writeFileSync("dist/sbom.cdx.json", buildSbom("dist/metafile-esm.json"));
    writeFileSync("dist/THIRD_PARTY_LICENSES.txt", collectLicenses("dist/metafile-esm.json"));
  },
});
