import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findBundled } from "./bundled.ts";

/** Packages that only name their licence in package.json, with where its text and holders are found. */
const WITHOUT_FILE: Readonly<Record<string, string>> = {
  "koa-compose": "MIT, as its package.json says; of the authors of Koa: https://github.com/koajs/compose",
};

/**
 * The licence texts of all packages in a bundle, including the notices of third parties that they carry. Throws if a
 * package has none, because it may not be shipped then.
 */
export function collectLicenses(metafile: string): string {
  const printed = new Map<string, string>();
  const texts = findBundled(metafile).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const found = findPapers(folder).map((file) => readFileSync(join(folder, file), "utf8").trim());
    if (found.length === 0 && !Object.hasOwn(WITHOUT_FILE, name)) {
      throw new Error(`${name} has no licence file, so it cannot be bundled.`);
    }
    const papers =
      found.length === 0 ? [WITHOUT_FILE[name]] : found.map((text) => printOnce(text, name, printed));
    return `${name} ${version} (${license})\n\n${papers.join("\n\n")}\n`;
  });
  return `analytics-mcp contains code of these packages, under these licences.\n\n${texts.join(`\n${"-".repeat(78)}\n\n`)}`;
}

/** Where the terms of the MIT, ISC and Apache licences begin, after the title and the holders. */
const TERMS = /^(?:Permission (?:is hereby granted|to use, copy)| *Apache License$)/m;

/** Of the Apache licence, before its appendix. */
const LAST_WORDS = "END OF TERMS AND CONDITIONS";

/**
 * A licence with its holders. Terms that were printed before, word for word, are not printed again.
 *
 * @param printed The packages whose terms were printed, by these.
 */
function printOnce(text: string, name: string, printed: Map<string, string>): string {
  const start = text.search(TERMS);
  const last = text.indexOf(LAST_WORDS);
  const end = last === -1 ? text.length : last + LAST_WORDS.length;
  const terms = text.slice(start, end).replaceAll(/\s+/g, " ");
  const before = printed.get(terms);
  if (start === -1 || before === undefined) {
    printed.set(terms, name);
    return text;
  }
  return `${text.slice(0, start)}The terms are, word for word, those of ${before} above.${text.slice(end)}`;
}

/** The licence files and notices of a package, its own first; without those of packages in its `node_modules`. */
function findPapers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => !/(^|[\\/])node_modules[\\/]/.test(file))
    .filter((file) => /^(licen[cs]e|copying|notice|third-party)[\w-]*(\.md|\.txt)?$/i.test(basename(file)))
    .sort((one, other) => one.split(/[\\/]/).length - other.split(/[\\/]/).length || (one < other ? -1 : 1));
}
