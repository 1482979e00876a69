import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBundled } from "./bundled.ts";

/** What package-lock.json says of a package. */
interface Locked {
  version: string;
  integrity?: string;
  dependencies?: Record<string, string>;
}

type Lock = Readonly<Record<string, Locked>>;

/**
 * The software bill of materials of a bundle: CycloneDX 1.6 as JSON, of the packages in esbuild's metafile. It has neither
 * a serial number nor a time, so that the same sources give the same bytes. Throws if an installed package is not the one
 * in package-lock.json.
 */
export function buildSbom(metafile: string): string {
  const { packages }: { packages: Lock } = read("package-lock.json");
  const product = describe("", packages, "application");
  const direct = Object.keys(read("package.json").devDependencies);
  const folders = findBundled(metafile);
  const components = new Map(folders.map((folder) => [folder, describe(folder, packages, "library")]));

  const refer = (folder: string, names: string[]) => {
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
  return `${JSON.stringify(sbom)}\n`;
}

function describe(folder: string, packages: Lock, type: "application" | "library") {
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

/** The folder in which Node finds a package that the package in `folder` imports. */
function resolve(folder: string, name: string, bundled: ReadonlyMap<string, unknown>): string {
  const found = join(folder, "node_modules", name);
  return folder === "" || folder === "." || bundled.has(found)
    ? found
    : resolve(dirname(folder), name, bundled);
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
