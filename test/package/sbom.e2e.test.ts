import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { expect, it } from "vitest";
import { installed } from "../support/installed-package.ts";
import { checks } from "../support/tools.ts";

const dist = join(installed.folder, "node_modules", "analytics-mcp", "dist");
const text = readFileSync(join(dist, "sbom.cdx.json"), "utf8");
const sbom: {
  metadata: { component: { "bom-ref": string } };
  components: { "bom-ref": string; name: string; version: string; hashes: { content: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
} = JSON.parse(text);

it.skipIf(!checks.cycloneDx)("is valid by CycloneDX's own schema", () => {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(checks.cycloneDx ?? "", `${name}.SNAPSHOT.schema.json`), "utf8"));
  const ajv = new Ajv({
    strict: false,
    formats: { ...fullFormats, "iri-reference": true, "idn-email": true },
    schemas: Object.fromEntries(
      ["spdx", "jsf-0.82", "cryptography-defs"].map(
        (name) => [`http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`, read(name)] as const,
      ),
    ),
  });
  const isValid = ajv.compile(read("bom-1.6"));
  expect([isValid(sbom), isValid.errors]).toEqual([true, null]);
});

it("lists the packages whose licences the tarball carries, each as the lock file has it", () => {
  const licenses = readFileSync(join(dist, "THIRD_PARTY_LICENSES.txt"), "utf8");
  const headings = [...licenses.matchAll(/(?:^|-{78}\n\n)(\S+) (\d+\.\d+\.\d+) \(\S+\)$/gm)];
  const listed = sbom.components.map(({ name, version }) => `${name} ${version}`);
  expect(listed.sort()).toEqual(headings.map(([, name, version]) => `${name} ${version}`).sort());
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  for (const { name, version, hashes } of sbom.components) {
    const digest = `sha512-${Buffer.from(hashes[0]?.content ?? "", "hex").toString("base64")}`;
    const locked = Object.keys(packages).filter(
      (folder) => folder.endsWith(`node_modules/${name}`) && packages[folder].integrity === digest,
    );
    expect(locked.map((folder) => packages[folder].version)).toContain(version);
  }
});

it("has what runs and nothing of what only builds and tests", () => {
  const names = sbom.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["oidc-provider", "jose", "undici", "zod", "ioredis", "koa"]));
  for (const name of ["tsup", "esbuild", "vitest", "msw", "libsql"]) expect(names).not.toContain(name);
});

it("says of each package what it needs, and what needs it", () => {
  const refs = [sbom.metadata.component["bom-ref"], ...sbom.components.map((each) => each["bom-ref"])];
  expect(sbom.dependencies.map(({ ref }) => ref)).toEqual(refs);
  const needed = new Set(sbom.dependencies.flatMap(({ dependsOn }) => dependsOn));
  expect([...needed].sort()).toEqual(refs.slice(1).sort());
  const provider = sbom.dependencies.find(({ ref }) => ref.startsWith("pkg:npm/oidc-provider@"));
  expect(provider?.dependsOn).toEqual(
    expect.arrayContaining([expect.stringContaining("/koa@"), expect.stringContaining("/jose@")]),
  );
});

it("knows neither the time nor the machine of its build", () => {
  expect(text).not.toMatch(/timestamp|serialNumber|node_modules/);
});
