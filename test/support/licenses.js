import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Packages that name their licence in package.json alone, with where its text and holders are found.
 * @type {Record<string, string>}
 */
const WITHOUT_FILE = {
  "koa-compose": "MIT, as its package.json says; of the authors of Koa: https://github.com/koajs/compose",
};

/**
 * The licence texts of every package that a bundle holds, read from esbuild's metafile (which is removed).
 * Throws where a package has none: then it may not be shipped.
 * @param {string} metafile
 */
export function collectLicenses(metafile) {
  /** @type {{ inputs: Record<string, unknown> }} */
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8"));
  rmSync(metafile);
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
    if (file === undefined && !(name in WITHOUT_FILE)) {
      throw new Error(`${name} has no licence file: it cannot be bundled.`);
    }
    if (file === undefined) return `${name} ${version} (${license})\n\n${WITHOUT_FILE[name]}\n`;
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return `analytics-mcp contains code of these packages, under these licences.\n\n${texts.join(`\n${"-".repeat(78)}\n\n`)}`;
}
