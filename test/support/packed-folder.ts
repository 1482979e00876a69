import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    packed: string;
  }
}

/** Runs once before all tests: the folder into which installed-package.ts installs the project, once one asks for it. */
export function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), "packed-"));
  project.provide("packed", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
