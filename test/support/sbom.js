import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBundled } from "./bundled.js";

/**
 * What a lock file says of a package.
 * @typedef {{ version: string, integrity?: string, dependencies?: Record<string, string> }} Locked
 */

/**
 * The software bill of materials of a bundle: CycloneDX 1.6 as JSON, of what esbuild's metafile says is in it and what
 * the lock file says that is. It has neither a serial number nor a time, so that the same sources give the same bytes.
 * Throws where a package is not the one that the lock file names.
 * @param {string} metafile
 */
export function buildSbom(metafile) {
  /** @type {{ packages: Record<string, Locked> }} */
  const { packages } = read("package-lock.json");
  const product = describe("", packages, "application");
  const direct = Object.keys(read("package.json").devDependencies);
  const folders = findBundled(metafile);
  const components = new Map(folders.map((folder) => [folder, describe(folder, packages, "library")]));

  /** @type {(folder: string, names: string[]) => string[]} */
  const refer = (folder, names) => {
    const found = names.map((name) => components.get(resolve(folder, name, components))?.["bom-ref"]);
    return [...new Set(found.filter((ref) => ref !== undefined))].sort();
  };
  const dependencies = [...components].map(([folder, component]) => ({
    ref: component["bom-ref"],
    dependsOn: refer(folder, Object.keys(packages[folder]?.dependencies ?? {})),
  }));
  const sbom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { lifecycles: [{ phase: "build" }], component: product },
    components: [...components.values()],
    dependencies: [{ ref: product["bom-ref"], dependsOn: refer("", direct) }, ...dependencies],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/**
 * @param {string} folder
 * @param {Record<string, Locked>} packages
 * @param {"application" | "library"} type
 */
function describe(folder, packages, type) {
  const { name, version, description, license } = read(join(folder, "package.json"));
  const locked = packages[folder];
  if (locked === undefined || locked.version !== version) {
    throw new Error(
      `${name} ${version} is not what package-lock.json names (${locked?.version}): run npm ci.`,
    );
  }
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const digest = /^sha512-(.+)$/.exec(locked.integrity ?? "")?.[1];
  const hashes = digest && [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }];
  return {
    type,
    "bom-ref": purl,
    name,
    version,
    description,
    ...(hashes && { hashes }),
    licenses: [{ license: { id: license } }],
    purl,
  };
}

/**
 * The folder in which Node finds a package from another's.
 * @param {string} folder
 * @param {string} name
 * @param {ReadonlyMap<string, unknown>} bundled
 * @returns {string}
 */
function resolve(folder, name, bundled) {
  const found = join(folder, "node_modules", name);
  return folder === "" || folder === "." || bundled.has(found)
    ? found
    : resolve(dirname(folder), name, bundled);
}

/** @param {string} file */
const read = (file) => JSON.parse(readFileSync(file, "utf8"));
