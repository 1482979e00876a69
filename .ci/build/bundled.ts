import { readFileSync } from "node:fs";

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** The folders of the packages that a bundle has code of, sorted, read from esbuild's metafile. */
export function findBundled(metafile: string): string[] {
  const { outputs }: Metafile = JSON.parse(readFileSync(metafile, "utf8"));
  // Tree shaking may leave nothing of a package.
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0),
  );
  const folders = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(folders)].sort();
}
