import { transform } from "esbuild";
import type { Options } from "tsup";

/**
 * Turns each chunk into CommonJS: on Node 20, the tools are listed 13 ms sooner than from ES modules, and the first call
 * over HTTP is answered 20 ms sooner. esbuild itself can only split ES modules into chunks.
 */
export const commonJs: NonNullable<Options["plugins"]>[number] = {
  name: "common-js",
  renderChunk: (code) =>
    transform(defineExports(code), {
      format: "cjs",
      platform: "node",
      target: "node20",
      minify: true,
      // Chunks are loaded with `require`, not with the loader of ES modules.
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "__moduleUrl" },
      ...(code.includes("import.meta.url") && {
        banner: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;',
      }),
    }),
};

/**
 * Replaces the list of exports at the end of a chunk by a getter for each. esbuild's own conversion adds a second getter
 * around each, which looks it up by name at every call: counting a log takes 4 to 7 % longer, and the program is 59 kB larger.
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
