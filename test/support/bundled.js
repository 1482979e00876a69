import { readFileSync } from "node:fs";

/**
 * The folders of the packages whose code stands in a bundle, sorted, read from esbuild's metafile: what tree shaking
 * left nothing of is not there.
 * @param {string} metafile
 */
export function findBundled(metafile) {
  /** @type {{ outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> }} */
  const { outputs } = JSON.parse(readFileSync(metafile, "utf8"));
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0),
  );
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(folders)].sort();
}
