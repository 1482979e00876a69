import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { findBundled } from "./bundled.js";

/**
 * Packages that name their licence in package.json alone, with where its text and holders are found.
 * @type {Record<string, string>}
 */
const WITHOUT_FILE = {
  "koa-compose": "MIT, as its package.json says; of the authors of Koa: https://github.com/koajs/compose",
};

/**
 * The licence texts of every package that a bundle holds, with the notices of what those carry in their turn, read
 * from esbuild's metafile (which is removed). Throws where a package has none: then it may not be shipped.
 * @param {string} metafile
 */
export function collectLicenses(metafile) {
  const texts = findBundled(metafile).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const found = findPapers(folder).map((file) => readFileSync(join(folder, file), "utf8").trim());
    if (found.length === 0 && !(name in WITHOUT_FILE)) {
      throw new Error(`${name} has no licence file: it cannot be bundled.`);
    }
    const papers = found.length === 0 ? [WITHOUT_FILE[name]] : found;
    return `${name} ${version} (${license})\n\n${papers.join("\n\n")}\n`;
  });
  rmSync(metafile);
  return `analytics-mcp contains code of these packages, under these licences.\n\n${texts.join(`\n${"-".repeat(78)}\n\n`)}`;
}

/**
 * A package's own papers, its licence first; those of packages within it are theirs.
 * @param {string} folder
 */
function findPapers(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => !/(^|[\\/])node_modules[\\/]/.test(file))
    .filter((file) => /^(licen[cs]e|copying|notice|third-party)[\w-]*(\.md|\.txt)?$/i.test(basename(file)))
    .sort((one, other) => one.split(/[\\/]/).length - other.split(/[\\/]/).length || (one < other ? -1 : 1));
}
