import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installed } from "../support/installed-package.ts";

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const manifest: Record<"devDependencies" | "overrides", Record<string, string>> = read("package.json");
const lock: {
  lockfileVersion: number;
  packages: Record<string, { version: string; integrity?: string; hasInstallScript?: true }>;
} = read("package-lock.json");
const sbom: { components: { name: string }[] } = read(
  join(installed.folder, "node_modules", "analytics-mcp", "dist", "sbom.cdx.json"),
);
const bundled = new Set(sbom.components.map(({ name }) => name));
const packages = Object.entries(lock.packages).filter(([folder]) => folder !== "");
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** What stands between strangers and keys: tokens and consent, requests and their bodies, TLS, the shared store. */
const guards = ["oidc-provider", "@modelcontextprotocol/server", "undici", "zod", "ioredis"];

it("the lock file is that of package.json, and holds every package by its digest", () => {
  expect(lock.lockfileVersion).toBe(3);
  expect(lock.packages[""]).toMatchObject({ devDependencies: manifest.devDependencies });
  expect(packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))).toEqual([]);
});

it.each(guards)("%s is bundled", (name) => {
  expect([...bundled]).toContain(name);
});

it("what is bundled is named by its exact version, so that no update comes unread", () => {
  const loose = Object.entries(manifest.devDependencies).filter(
    ([name, range]) => bundled.has(name) && !EXACT.test(range),
  );
  expect(loose).toEqual([]);
  for (const name of guards) {
    expect(lock.packages[`node_modules/${name}`]?.version).toBe(manifest.devDependencies[name]);
  }
});

it("two packages would run something on install, and CI lets none", () => {
  const running = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([folder]) => folder);
  expect(running).toEqual(["node_modules/esbuild", "node_modules/msw"]);
  const installs = [".ci/run", ".ci/tools", "deploy/Containerfile"].flatMap((file) =>
    readFileSync(file, "utf8").match(/\bnpm (ci|install)\b.*/g),
  );
  expect(installs).toHaveLength(4);
  expect(installs.filter((line) => !line?.includes("--ignore-scripts"))).toEqual([]);
});

it("the tools of CI are named by their exact versions, but for Node, whose majors are followed", () => {
  const names = readFileSync(".ci/tools", "utf8").match(/(?<=\s)(@[\w.-]+\/)?[a-z][\w.-]*@\S+/g) ?? [];
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !EXACT.test(name.replace(/^.+@/, "")))).toEqual([]);
});
